import { applyDecorators } from '@nestjs/common';
import { PageQuery } from '../../kernel/pagination/index.ts';
import {
  ConvertedText,
  Formatted,
  Integer,
  JsonObject,
  ListOf,
  OneOf,
  OpenObject,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { isDurabilityKey, normalizeKey } from './durability-key.ts';
import { MAX_PAYLOAD_BYTES, NAMESPACES, type Namespace, TASK_CHECKPOINT } from './durability.state.ts';
import { DurabilityIssues } from './durability.errors.ts';

const KEY = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11.draft';

/** `<id>` or `<id>.<name>`, the id in lower case. */
function Key(): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => (isDurabilityKey(text) ? normalizeKey(text) : text)),
    Formatted({
      test: isDurabilityKey,
      issue: DurabilityIssues.invalidKey,
      what: 'the id of a task or chat, alone or followed by a dot and a name of [a-z0-9_-], 1 to 100 characters',
      max: 137,
      example: KEY,
      description: '`<id>` or `<id>.<name>`: the id of the task or chat, and a name of `[a-z0-9_-]{1,100}`',
    }),
  );
}

export class DurabilityParams extends OrganizationParams {
  @OneOf(NAMESPACES, { example: 'task', description: 'What the row is about' })
  namespace!: Namespace;
  @Key()
  key!: string;
}

export class DurabilityListQuery extends PageQuery {
  @Text({
    max: 150,
    optional: true,
    description: 'Continues from here: `<namespace>:<key>` of the last row of the page before',
  })
  declare cursor?: string;

  @OneOf(['asc', 'desc'], { optional: true, default: 'asc', description: 'By namespace and key, byte by byte' })
  override order: 'asc' | 'desc' = 'asc';

  @ListOf(NAMESPACES, { optional: true, description: 'Repeatable' })
  namespace?: Namespace[];

  @Timestamp({ optional: true, description: 'Only rows updated after this' })
  updatedAfter?: string;

  @Timestamp({ optional: true, description: 'Only rows updated before this' })
  updatedBefore?: string;
}

export class DurabilityRowDto {
  @Uuid()
  organizationId!: string;
  @OneOf(NAMESPACES, { example: 'task' })
  namespace!: Namespace;
  @Text({ example: KEY })
  key!: string;
  @Text({ example: TASK_CHECKPOINT })
  kind!: string;
  @Integer({ min: 1, example: 1 })
  version!: number;
  @OpenObject({ example: { kind: TASK_CHECKPOINT, summary: 'The draft is written.' } })
  payload!: Record<string, unknown>;
  @Uuid({ nullable: true, description: 'The run that wrote it; null when a chat turn did' })
  sourceRunId!: string | null;
  @Timestamp({ nullable: true, example: null })
  expiresAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class PutDurabilityRowDto {
  @Formatted({
    test: (text) => /^[a-z0-9]+([_-][a-z0-9]+)*$/.test(text),
    issue: DurabilityIssues.invalidKind,
    what: 'lowercase letters and digits in segments joined by single hyphens or underscores, at most 100 characters',
    max: 100,
    example: 'draft',
    description: 'What the payload is; the payload of a `task_checkpoint` has a shape of its own',
  })
  kind!: string;
  @JsonObject({ maxBytes: MAX_PAYLOAD_BYTES, example: { step: 2 }, description: 'At most 256 KiB as JSON' })
  payload!: Record<string, unknown>;
  @Integer({
    example: 0,
    description:
      'The version that the row has now; 0 to create it. A key that was deleted or has expired goes on with the version after its last, for 30 days',
  })
  expectedVersion!: number;
  @Timestamp({ optional: true, nullable: true, description: 'From then on the row is gone; never when left out' })
  expiresAt?: string | null;
}

export class DeleteDurabilityRowQuery {
  @Integer({ min: 1, description: 'The version that the row has now' })
  expectedVersion!: number;
}

/** The payload of a `task_checkpoint`. */
export class TaskCheckpointDto {
  @OneOf([TASK_CHECKPOINT])
  kind!: string;
  @Uuid()
  taskId!: string;
  @Integer({ min: 1 })
  taskVersion!: number;
  @Text({ max: 20_000 })
  summary!: string;
  @TextList({
    max: 100,
    items: {
      schema: { type: 'string', minLength: 1, maxLength: 2_000 },
      what: 'a URI of 1 to 2000 characters',
      test: (text) => text.length >= 1 && text.length <= 2_000,
    },
  })
  artifactUris!: string[];
}
