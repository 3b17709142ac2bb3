import { UuidCursor, WindowedPageQuery } from '../../../kernel/pagination/index.ts';
import {
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { ERROR_CLASSES, EXECUTION_CLASSES, RUN_REQUEST_STATUSES } from './run-request.state.ts';
import { PRIORITY, TASK_PHASES } from '../task.state.ts';

export class RunRequestParams {
  @Uuid()
  organizationId!: string;
  @Uuid()
  id!: string;
}

export class RunRequestListQuery extends WindowedPageQuery {
  @UuidCursor()
  declare cursor?: string;
  @ListOf(RUN_REQUEST_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @Uuid({ optional: true, description: 'Only requests of this task' })
  taskId?: string;
  @Uuid({ optional: true, description: 'Only requests of this profile' })
  agentProfileId?: string;
  @Integer({ ...PRIORITY, default: undefined, optional: true, description: 'Only requests of this priority' })
  priority?: number;
  @Timestamp({ optional: true, description: 'Only requests that are available before this' })
  availableBefore?: string;
}

export class RunRequestStateDto {
  @TextList({
    example: [],
    description: 'Ids of the tasks, inbox items and actions, and keys of the connectors, that its task waits for',
  })
  waitingOn!: string[];
  @Integer({ example: 0, description: 'Times that a worker gave it back' })
  releaseCount!: number;
}

/** The error of an attempt. */
export class AttemptErrorDto {
  @Text({ example: 'model_overloaded' })
  code!: string;
  @Text({ example: 'The model did not answer.' })
  message!: string;
  @OneOf(ERROR_CLASSES, { example: 'transient', description: 'Who or what has to change before a retry helps' })
  class!: string;
  @Flag()
  retryable!: boolean;
  @Integer({ nullable: true, example: null })
  retryAfterSeconds!: number | null;
  @Timestamp()
  at!: string;
}

/** The error of the last attempt, and which run it was. */
export class LastErrorDto extends AttemptErrorDto {
  @Uuid({ nullable: true })
  runId!: string | null;
}

export class RunRequestDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Uuid()
  taskId!: string;
  @Uuid()
  agentProfileId!: string;
  @OneOf(TASK_PHASES, { example: 'execute' })
  mode!: string;
  @OneOf(RUN_REQUEST_STATUSES)
  status!: string;
  @OneOf(EXECUTION_CLASSES)
  executionClass!: string;
  @Integer({ min: PRIORITY.min, max: PRIORITY.max, example: 0 })
  priority!: number;
  @Text()
  dedupeKey!: string;
  @Integer({ example: 1 })
  taskVersion!: number;
  @Integer({ example: 1 })
  taskGraphRevision!: number;
  @Nested(() => RunRequestStateDto)
  state!: RunRequestStateDto;
  @Timestamp({ nullable: true })
  availableAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  claimedAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  cancelRequestedAt!: string | null;
  @Integer({ example: 0, description: 'Runs that it started' })
  attemptCount!: number;
  @Integer({ example: 3 })
  maxAttempts!: number;
  @Uuid({ nullable: true, example: null })
  lastRunId!: string | null;
  @Nested(() => LastErrorDto, { nullable: true, example: null, description: 'Of the last attempt that failed' })
  lastError!: LastErrorDto | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

/** The columns that a run request is shown from. */
export interface RunRequestRow extends Omit<RunRequestDto, 'state'> {
  releaseCount: number;
  waitingOn: string[];
}

export function toRunRequest({ releaseCount, waitingOn, ...shown }: RunRequestRow): RunRequestDto {
  return { ...shown, state: { waitingOn, releaseCount } };
}
