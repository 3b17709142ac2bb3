import { OpaqueCursor, SearchText, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  OpenObject,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
  VariantList,
} from '../../kernel/validation/index.ts';
import { INPUTS, type TaskInputDto } from './task-input.dto.ts';
import { TaskRef } from './task-ref.ts';
import { TaskResultDto } from './task-result.dto.ts';
import { BLOCKER_KINDS, PRIORITY, TASK_KINDS, TASK_PHASES, TASK_STATUSES, VERIFICATIONS } from './task.state.ts';

export class TaskParams {
  @Uuid()
  organizationId!: string;
  @TaskRef()
  taskRef!: string;
}

export class TaskListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(TASK_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(TASK_KINDS, { optional: true, description: 'Repeatable' })
  kind?: string[];
  @ListOf(TASK_PHASES, { optional: true, description: 'Repeatable' })
  phase?: string[];
  @Integer({ ...PRIORITY, default: undefined, optional: true, description: 'Only tasks of this priority' })
  priority?: number;
  @Uuid({ optional: true, description: 'Only tasks of this profile' })
  ownerAgentProfileId?: string;
  @Uuid({ optional: true, description: 'Only children of this task' })
  parentId?: string;
  @Uuid({ optional: true, description: 'Only the tree of this root' })
  rootTaskId?: string;
  @Uuid({ optional: true, description: 'Only tasks that this chat created' })
  sourceChatId?: string;
  @SearchText('Part of the title, in any case')
  search?: string;
}

export class AcceptanceCriterionDto {
  @OneOf(['text'])
  kind!: 'text';
  @Text({ visible: true, max: 2_000, example: 'The page loads within two seconds' })
  description!: string;
}

export class BudgetDto {
  @Integer({ example: 20, description: 'Most runs over the whole life of the task' })
  maxAgentRuns!: number;
  @Integer({ example: 3, description: 'Most failed attempts within a phase' })
  maxAttemptsPerPhase!: number;
  @Integer({ example: 3, description: 'Most accepted plans after the first' })
  maxReplans!: number;
  @Integer({ example: 20, description: 'Most actions that the task may propose' })
  maxActions!: number;
}

export class TaskSpecDto {
  @Text({ max: 20_000, example: 'Find out why checkout fails on mobile and mend it' })
  objective!: string;
  @VariantList(INPUTS, { max: 50, example: [] })
  inputs!: TaskInputDto[];
  @NestedList(() => AcceptanceCriterionDto)
  acceptanceCriteria!: AcceptanceCriterionDto[];
  @Nested(() => BudgetDto)
  budget!: BudgetDto;
  @OneOf(VERIFICATIONS, { description: 'Whether another run verifies the result' })
  verification!: string;
}

/** Why a task is blocked; the field of its kind says what it waits for. */
export class BlockerDto {
  @OneOf(BLOCKER_KINDS, { example: 'dependency' })
  kind!: string;
  @Timestamp()
  since!: string;
  @Uuid({ kinds: ['dependency', 'dependency_failed'], description: 'The prerequisite' })
  dependsOnTaskId?: string;
  @Uuid({ kinds: ['handoff', 'operator'], description: 'The item of the inbox' })
  inboxItemId?: string;
  @Uuid({ kinds: ['action'] })
  actionId?: string;
  @Slug({
    kinds: ['integration'],
    nullable: true,
    example: 'code-host',
    description: 'Null where any connector of the purpose will do',
  })
  connectorKey?: string | null;
  @OpenObject({ kinds: ['integration'], description: 'What the connector lacks: `{purpose, need, toolName}`' })
  requirement?: object;
}

export class TaskStateDto {
  @NestedList(() => BlockerDto)
  blockers!: BlockerDto[];
  @TextList({ example: [], description: 'Ids of its live runs' })
  activeRunIds!: string[];
}

export class TaskDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Text({ example: 'ENG-7' })
  identifier!: string;
  @Text({ example: 'ENG' })
  identifierScope!: string;
  @Integer({ min: 1, example: 7 })
  identifierNumber!: number;
  @Uuid({ nullable: true, example: null })
  parentId!: string | null;
  @Uuid({ nullable: true, description: 'The task itself for a root' })
  rootTaskId!: string | null;
  @Integer({ example: 0 })
  depth!: number;
  @Uuid()
  ownerAgentProfileId!: string;
  @Uuid({ nullable: true, example: null })
  sourceChatId!: string | null;
  @Uuid({ nullable: true, example: null })
  sourceMessageId!: string | null;
  @OneOf(TASK_KINDS)
  kind!: string;
  @OneOf(TASK_STATUSES)
  status!: string;
  @OneOf(TASK_PHASES, { example: 'execute' })
  phase!: string;
  @Text({ max: 200, example: 'Mend the checkout on mobile' })
  title!: string;
  @Integer({ min: PRIORITY.min, max: PRIORITY.max, example: 0 })
  priority!: number;
  @Integer({ example: 1, description: 'Rises with every change of its state' })
  version!: number;
  @Integer({ example: 1, description: 'Rises with every structural change of its tree' })
  graphRevision!: number;
  @Integer({ example: 0 })
  agentRunCount!: number;
  @Integer({ example: 0, description: 'Runs that count against the budget' })
  consumedAgentRunCount!: number;
  @Integer({ example: 0 })
  replanCount!: number;
  @Uuid({ nullable: true, example: null })
  createdByRunId!: string | null;
  @Nested(() => TaskSpecDto)
  spec!: TaskSpecDto;
  @Nested(() => TaskStateDto)
  state!: TaskStateDto;
  @Nested(() => TaskResultDto, { nullable: true, example: null, description: 'Null until it has ended' })
  result!: TaskResultDto | null;
  @Text({ max: 200, example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  dedupeKey!: string;
  @Timestamp({ nullable: true, example: null })
  scheduledAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  dueAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  startedAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  completedAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class RetryTaskDto {
  @Integer({ min: 1, max: 1_000, optional: true, description: 'A new run budget; needed when the old one is used up' })
  maxAgentRuns?: number;
}
