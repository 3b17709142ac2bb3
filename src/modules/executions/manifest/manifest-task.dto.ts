import { Flag, Nested, NestedList, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { CLOSED_INBOX_STATUSES, type ClosedInboxStatus } from '../../inbox/index.ts';
import {
  ArtifactDto,
  ENDED_TASK_STATUSES,
  type EndedTaskStatus,
  TASK_END_CODES,
  TASK_STATUSES,
} from '../../tasks/index.ts';
import { RUN_STATUSES, RunErrorDto } from '../../runs/index.ts';

const COMPLETED = ['completed'];
const NOT_COMPLETED = ['failed', 'cancelled'];

/** A task's result, or the part of it that a manifest has room for. */
export class RelatedResultDto {
  @OneOf(ENDED_TASK_STATUSES, { example: 'completed' })
  kind!: EndedTaskStatus;
  @Text({ kinds: COMPLETED, mayLack: true, example: 'Checkout works on mobile again.' })
  summary?: string;
  @NestedList(() => ArtifactDto, { kinds: COMPLETED, mayLack: true })
  artifacts?: ArtifactDto[];
  @OneOf(TASK_END_CODES, { kinds: NOT_COMPLETED, mayLack: true, example: 'attempts_exhausted' })
  code?: string;
  @Text({ kinds: NOT_COMPLETED, mayLack: true, example: 'The last attempt of this phase failed.' })
  message?: string;
  @Uuid({ kinds: NOT_COMPLETED, mayLack: true, nullable: true, description: 'The run that failed last' })
  runId?: string | null;
  @Flag({
    optional: true,
    description: 'The manifest would have grown too large with all of it: without artifacts, or only the kind',
  })
  truncated?: boolean;
}

/** A prerequisite or child of the task. */
export class RelatedTaskDto {
  @Uuid()
  taskId!: string;
  @Text({ example: 'ENG-7' })
  identifier!: string;
  @Text({ example: 'Mend the checkout on mobile' })
  title!: string;
  @OneOf(TASK_STATUSES)
  status!: string;
  @Nested(() => RelatedResultDto, { nullable: true, example: null })
  result!: RelatedResultDto | null;
  @Uuid({ nullable: true, example: null, description: 'The run that the result came from; its artifacts can be read' })
  runId!: string | null;
}

/** An input of kind `artifact`, resolved. */
export class ResolvedInputDto {
  @Uuid({ description: 'The task that delivers or delivered it' })
  taskId!: string;
  @Text({ example: 'ENG-7' })
  identifier!: string;
  @OneOf(TASK_STATUSES, { example: 'completed' })
  status!: string;
  @Text({ example: 'report' })
  artifactKind!: string;
  @Uuid({ nullable: true, description: 'The run that delivered it: what artifacts are read by, with their digests' })
  runId!: string | null;
  @NestedList(() => ArtifactDto, { example: [], description: 'Those of that kind; none until the task has completed' })
  artifacts!: ArtifactDto[];
  @Flag({ optional: true, description: 'The manifest would have grown too large with them: read the task' })
  truncated?: boolean;
}

export class PriorAttemptDto {
  @Uuid()
  runId!: string;
  @OneOf(RUN_STATUSES, { example: 'failed' })
  status!: string;
  @Nested(() => RunErrorDto, { nullable: true, example: null })
  error!: RunErrorDto | null;
}

/** A question of the task that is closed, and what a person answered. */
export class ManifestAnswerDto {
  @Uuid()
  inboxItemId!: string;
  @OneOf(CLOSED_INBOX_STATUSES, {
    example: 'answered',
    description: 'Nobody answers an `expired` or `withdrawn` one any more: go on without, or ask anew',
  })
  status!: ClosedInboxStatus;
  @Text({ example: 'Start the campaign with the old prices?' })
  title!: string;
  @Text({ example: 'The new prices come on Friday. The campaign is planned for Thursday.' })
  body!: string;
  @Text({ nullable: true, example: 'wait', description: 'Word for word' })
  response!: string | null;
  @Text({ nullable: true, example: 'wait', description: 'The option whose id the response is' })
  optionId!: string | null;
  @Timestamp({ description: 'When it was closed' })
  at!: string;
  @Flag({
    optional: true,
    description: 'Body, and perhaps response, are cut off with an ellipsis: all answers together take 256 KiB at most',
  })
  truncated?: boolean;
}
