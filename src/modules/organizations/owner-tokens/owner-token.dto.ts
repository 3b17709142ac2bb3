import { PageQuery, UuidCursor } from '../../../kernel/pagination/index.ts';
import { type Scope, SCOPES } from '../../../kernel/principals/index.ts';
import { Formatted, isUuid, ListOf, Name, Text, TextList, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { subjectField } from '../members/member.dto.ts';

export class OwnerTokenParams {
  @Uuid()
  ownerTokenId!: string;
}

export class OwnerTokenListQuery extends PageQuery {
  @UuidCursor()
  declare cursor?: string;
}

const ORGANIZATION_IDS = { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid };
const ORGANIZATION = '0199c9a4-3f1e-7d2a-8c42-5b8f6f0f2a33';

export class CreateOwnerTokenDto {
  @Name({ max: 100, example: 'laptop', description: 'Tells your tokens apart' })
  name!: string;

  @Timestamp({
    optional: true,
    example: '2035-01-01T00:00:00Z',
    description: 'When it stops working: in the future, and no later than the token that you call with',
  })
  expiresAt?: string;

  @TextList({
    optional: true,
    min: 1,
    items: ORGANIZATION_IDS,
    example: undefined,
    description:
      'The only organizations of which it is a member, if its owner is: yours, as the token that you call with sees them. When left out, all to which that token is not limited itself',
  })
  organizationIds?: string[];

  @ListOf(SCOPES, {
    optional: true,
    min: 1,
    max: SCOPES.length,
    example: ['read', 'work'],
    description:
      'What it may do, as the operations name it; nothing that the token that you call with may not do. When left out, the same as that',
  })
  scopes?: Scope[];

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
  @TextList({
    nullable: true,
    items: ORGANIZATION_IDS,
    example: [ORGANIZATION],
    description: 'The only organizations of which it is a member; null for all of its owner’s',
  })
  organizationIds!: string[] | null;
  @ListOf(SCOPES, { example: [...SCOPES] })
  scopes!: Scope[];
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
