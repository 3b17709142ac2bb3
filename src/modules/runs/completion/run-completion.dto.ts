import { FailureDto, LeaseDto, UsageDto } from '../../../kernel/leases/index.ts';
import {
  CutText,
  Integer,
  JsonObject,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  TextList,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { ERROR_CLASSES, type ErrorClass, RUN_REQUEST_STATUSES, TASK_STATUSES } from '../../tasks/index.ts';
import { LOG_STATES, OUTCOME_KINDS, type OutcomeKind, RUN_STATUSES } from '../run.state.ts';
import { ArtifactDto } from '../artifacts/run-artifact.dto.ts';
import { ReceiptDto } from '../run.dto.ts';

export class RequirementDto {
  @Slug({ optional: true, example: 'code-host' })
  connectorKey?: string;
  @Text({ max: 100, optional: true, example: 'email_delivery' })
  purpose?: string;
  @OneOf(['connected', 'tool', 'write_access', 'grant'], { example: 'connected' })
  need!: string;
  @Text({ max: 200, optional: true })
  toolName?: string;
}

/** The worker's result; each field names the kind that it belongs to. */
export class WorkerResultDto {
  @OneOf(OUTCOME_KINDS, { example: 'completed' })
  kind!: OutcomeKind;
  @CutText({ max: 4_000, example: 'Compared the quarter with the one before; revenue rose by 4 %.' })
  summary!: string;
  @NestedList(() => ArtifactDto, { max: 100, optional: true, description: 'Of `completed`' })
  artifacts?: ArtifactDto[];
  @TextList({ min: 1, max: 50, optional: true, description: 'Of `action_wait`' })
  actionIds?: string[];
  @Uuid({ optional: true, description: 'Of `handoff`' })
  inboxItemId?: string;
  @NestedList(() => RequirementDto, { min: 1, max: 20, optional: true, description: 'Of `integration_wait`' })
  requirements?: RequirementDto[];
  @JsonObject({
    maxBytes: 1024 * 1024,
    optional: true,
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
