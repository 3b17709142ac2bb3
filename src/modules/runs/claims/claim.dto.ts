import { PROFILE_KEYS, PullDto } from '../../../kernel/leases/index.ts';
import { Integer, ListOf, OneOf, Text, TextList, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { EXECUTION_CLASSES, TASK_PHASES } from '../../tasks/index.ts';

export class ClaimDto extends PullDto {
  @TextList({ ...PROFILE_KEYS, example: ['growth'] })
  profileKeys?: string[];
  @ListOf(TASK_PHASES, { optional: true, example: ['plan', 'execute', 'verify'] })
  modes?: string[];
  @ListOf(EXECUTION_CLASSES, { optional: true, example: ['standard', 'background'] })
  executionClasses?: string[];
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
  @Text({
    example: 'GlB7o3rC5pY1vA9sK0tX2wQ8zE4uJ6hN-mD_fLcRbSk',
    description: 'Fences every later call on this claim and its run',
  })
  leaseToken!: string;
  @Timestamp({ description: 'Start or release the claim before this time' })
  claimExpiresAt!: string;
}
