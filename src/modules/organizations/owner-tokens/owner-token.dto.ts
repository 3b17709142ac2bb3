import { PageQuery, UuidCursor } from '../../../kernel/pagination/index.ts';
import { Formatted, Name, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { subjectField } from '../members/member.dto.ts';

export class OwnerTokenParams {
  @Uuid()
  ownerTokenId!: string;
}

export class OwnerTokenListQuery extends PageQuery {
  @UuidCursor()
  declare cursor?: string;
}

export class CreateOwnerTokenDto {
  @Name({ max: 100, example: 'laptop', description: 'Tells your tokens apart' })
  name!: string;

  @Timestamp({
    optional: true,
    example: '2035-01-01T00:00:00Z',
    description: 'When it stops working: in the future, and no later than the token that you call with',
  })
  expiresAt?: string;

  @Formatted({
    ...subjectField,
    example: undefined,
    optional: true,
    description:
      'The owner of the token; only the bootstrap token may name one. When left out, the bootstrap token creates a new subject, any other token uses its own',
  })
  subject?: string;
}

export class OwnerTokenDto {
  @Uuid()
  id!: string;
  @Text({ max: 100, example: 'laptop' })
  name!: string;
  @Text({ example: 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  subject!: string;
  @Text({ example: 'brt_k3JqZ0aB', description: 'The first characters of the token' })
  prefix!: string;
  @Timestamp()
  createdAt!: string;
  @Timestamp({ nullable: true, example: null })
  expiresAt!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'Accurate to the minute' })
  lastUsedAt!: string | null;
}

export class CreatedOwnerTokenDto extends OwnerTokenDto {
  @Text({
    nullable: true,
    example: 'brt_k3JqZ0aBx1yT7mW2vQe5uRf8sLp4dNhCgXo6iKtMbEj',
    description: 'The token itself, shown only once; null in a replay',
  })
  token!: string | null;
}
