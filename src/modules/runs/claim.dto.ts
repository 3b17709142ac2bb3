import {
  Integer,
  isSlug,
  isUuid,
  ListOf,
  OneOf,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { EXECUTION_CLASSES, TASK_PHASES } from '../tasks/index.ts';

export const MAX_CLAIMS = 50;

export class ClaimDto {
  @Text({ max: 200, example: 'runtime-7', description: 'Stays the same when the worker starts again' })
  workerId!: string;
  @Uuid({ description: 'New at each start of the worker' })
  bootId!: string;
  @Text({
    max: 200,
    optional: true,
    example: 'claim-4711',
    description:
      'A repeat while the claims hold answers the same items, with new lease tokens: the latest answer counts',
  })
  requestKey?: string;
  @TextList({
    optional: true,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
    description: 'All when left out',
  })
  organizationIds?: string[];
  @TextList({
    optional: true,
    items: { schema: { type: 'string', maxLength: 100 }, what: 'the key of a profile', test: isSlug },
    example: ['growth'],
    description: 'All when left out',
  })
  profileKeys?: string[];
  @ListOf(TASK_PHASES, { optional: true, example: ['plan', 'execute', 'verify'] })
  modes?: string[];
  @ListOf(EXECUTION_CLASSES, { optional: true, example: ['standard', 'background'] })
  executionClasses?: string[];
  @Integer({ min: 1, max: MAX_CLAIMS, optional: true, default: 1, example: 1 })
  limit = 1;
  @Integer({ min: 0, max: 30, optional: true, default: 0, example: 0, description: 'How long to wait for work' })
  waitSeconds = 0;
}

export class ClaimedDto {
  @Uuid()
  organizationId!: string;
  @Uuid()
  runRequestId!: string;
  @Uuid()
  taskId!: string;
  @Uuid()
  agentProfileId!: string;
  @OneOf(TASK_PHASES, { example: 'execute' })
  mode!: string;
  @Integer({ min: -1_000, max: 1_000, example: 0 })
  priority!: number;
  @Text({ example: 'GlB7o3rC5pY1vA9sK0tX2wQ8zE4uJ6hN-mD_fLcRbSk', description: 'The fence of everything that follows' })
  leaseToken!: string;
  @Timestamp({ description: 'Start, or release, before' })
  claimExpiresAt!: string;
}
