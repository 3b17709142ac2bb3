import { LeaseDto } from '../../../kernel/leases/index.ts';
import { Flag, Integer, Nested, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { RUN_REQUEST_STATUSES } from '../../tasks/index.ts';
import { RUN_STATUSES } from '../run.state.ts';

export class ReleasedDto {
  @Uuid()
  runRequestId!: string;
  @OneOf(RUN_REQUEST_STATUSES, { example: 'queued' })
  status!: string;
}

export class RunRunningDto extends LeaseDto {
  @Text({ max: 200, example: 'example-harness/2.1' })
  harness!: string;
  @Text({ max: 200, example: 'example-model' })
  model!: string;
  @Text({ max: 2_000, example: 'workspace://runtime-7/4711' })
  workspaceUri!: string;
}

const CANCEL_REQUESTED = {
  example: false,
  description: 'The run was asked to stop: end it soon, by failing it or by completing finished work',
} as const;

export class RunStatusDto {
  @OneOf(RUN_STATUSES, { example: 'running' })
  status!: string;
  @Flag(CANCEL_REQUESTED)
  cancelRequested!: boolean;
}

export class RunBudgetDto {
  @Integer({ example: 19 })
  agentRuns!: number;
  @Integer({ example: 3, description: 'Failed attempts that the current phase still allows' })
  attemptsInPhase!: number;
  @Integer({ example: 3 })
  replans!: number;
  @Integer({ example: 20 })
  actions!: number;
}

export class HeartbeatDto {
  @Timestamp()
  leaseExpiresAt!: string;
  @Integer({ example: 20_000 })
  heartbeatIntervalMs!: number;
  @Flag(CANCEL_REQUESTED)
  cancelRequested!: boolean;
  @Flag({ example: false, description: 'No run starts while this is true; live runs may end normally' })
  workDispatchStopped!: boolean;
  @Nested(() => RunBudgetDto, { description: 'The budget that is left' })
  budget!: RunBudgetDto;
  @Integer({ example: 1 })
  authorizationEpoch!: number;
  @Text({
    nullable: true,
    example: null,
    description: 'A new token once less than half of the last token’s lifetime is left; else null',
  })
  executionToken!: string | null;
}
