import { FailureDto, LeaseDto, UsageDto } from '../../../kernel/leases/index.ts';
import {
  CutText,
  Integer,
  isUuid,
  JsonObject,
  Nested,
  NestedList,
  OneOf,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { ArtifactDto, ERROR_CLASSES, type ErrorClass, RUN_REQUEST_STATUSES, TASK_STATUSES } from '../../tasks/index.ts';
import { LOG_STATES, OUTCOME_KINDS, type OutcomeKind, RUN_STATUSES, STAGED_OUTCOME_KINDS } from '../run.state.ts';
import { ReceiptDto } from '../run.dto.ts';
import { RequirementDto } from '../run-result.dto.ts';

/** The worker's result. `worker-result.ts` checks that its fields are those of its kind. */
export class WorkerResultDto {
  @OneOf(OUTCOME_KINDS, { example: 'completed' })
  kind!: OutcomeKind;
  @CutText({ max: 4_000, example: 'Compared the quarter with the one before; revenue rose by 4 %.' })
  summary!: string;
  @NestedList(() => ArtifactDto, { max: 100, kinds: ['completed'], mayLack: true })
  artifacts?: ArtifactDto[];
  @TextList({
    min: 1,
    max: 50,
    kinds: ['action_wait'],
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
  })
  actionIds?: string[];
  @Uuid({ kinds: ['handoff'], mayLack: true, description: 'Absent where the agent staged it' })
  inboxItemId?: string;
  @NestedList(() => RequirementDto, { min: 1, max: 20, kinds: ['integration_wait'] })
  requirements?: RequirementDto[];
  @JsonObject({
    maxBytes: 1024 * 1024,
    kinds: STAGED_OUTCOME_KINDS,
    mayLack: true,
    refusesNull: true,
    description: 'The whole staged outcome, to have it compared: a difference is a conflict',
  })
  staged?: Record<string, unknown>;
}

export class OutputDto {
  @OneOf(['task_result'])
  kind!: string;
  @Nested(() => WorkerResultDto)
  result!: WorkerResultDto;
}

export class CompleteRunDto extends LeaseDto {
  @Nested(() => OutputDto)
  output!: OutputDto;
  @Nested(() => UsageDto, { optional: true })
  usage?: UsageDto;
  @NestedList(() => ReceiptDto, { max: 500, optional: true, example: [] })
  receipts?: ReceiptDto[];
  @CutText({ max: 200, optional: true, example: 'reference-runtime' })
  harness?: string;
  @CutText({ max: 2_000, optional: true, example: 'file:///work/ENG-7' })
  workspaceUri?: string;
  @OneOf(LOG_STATES, { optional: true, example: 'complete' })
  logState?: string;
}

export class RunFailureDto extends FailureDto {
  @OneOf(ERROR_CLASSES.filter((each) => each !== 'cancelled'), { optional: true, default: 'agent' })
  class: ErrorClass = 'agent';
  @Integer({ max: 86_400, optional: true, description: 'Replaces the backoff' })
  retryAfterSeconds?: number;
}

export class FailRunDto extends LeaseDto {
  @Nested(() => RunFailureDto)
  error!: RunFailureDto;
  @Nested(() => UsageDto, { optional: true })
  usage?: UsageDto;
  @CutText({ max: 200, optional: true, example: 'reference-runtime' })
  harness?: string;
  @OneOf(LOG_STATES, { optional: true, example: 'complete' })
  logState?: string;
}

/** The statuses that a final call left. */
export class RunEndedDto {
  @Uuid()
  runId!: string;
  @OneOf(RUN_STATUSES, { example: 'succeeded', description: '`cancelled` if the task was cancelled before' })
  status!: string;
  @Uuid()
  taskId!: string;
  @OneOf(TASK_STATUSES, { example: 'completed' })
  taskStatus!: string;
  @OneOf(RUN_REQUEST_STATUSES, { example: 'completed' })
  runRequestStatus!: string;
}
