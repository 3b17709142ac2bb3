import { EXECUTION_KINDS, type ExecutionKind } from '../../kernel/auth/index.ts';
import {
  Flag,
  Integer,
  Nested,
  NestedList,
  OneOf,
  OpenList,
  Slug,
  OpenObject,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import {
  ENDED_ACTION_STATUSES,
  type EndedActionStatus,
  UNRESOLVED_ACTION_STATUSES,
  type UnresolvedActionStatus,
} from '../actions/index.ts';
import { AgentProfileConfigDto } from '../agent-profiles/index.ts';
import { AttachmentDto, ChatDto, MessageDto } from '../chats/index.ts';
import { CLOSED_INBOX_STATUSES, type ClosedInboxStatus } from '../inbox/index.ts';
import { ACCESS_MODES, type AccessMode, TOOL_ACCESS, type ToolAccess } from '../integrations/index.ts';
import { ConstraintsDto, DepartmentsDto, LimitsDto, type Risk, RISKS } from '../organizations/index.ts';
import {
  ArtifactDto,
  ENDED_TASK_STATUSES,
  type EndedTaskStatus,
  TASK_END_CODES,
  TASK_PHASES,
  TASK_STATUSES,
  TaskDto,
} from '../tasks/index.ts';
import { FindingDto, RUN_STATUSES, RunBudgetDto, RunErrorDto } from '../runs/index.ts';

export class ManifestOrganizationDto {
  @Uuid()
  id!: string;
  @Slug({ example: 'acme' })
  slug!: string;
  @Text({ example: 'Acme' })
  name!: string;
  @Text({ nullable: true, example: 'https://acme.example' })
  website!: string | null;
  @Text({ example: 'Europe/Berlin' })
  timezone!: string;
  @Text({ nullable: true, example: 'EUR' })
  defaultCurrency!: string | null;
  @Nested(() => DepartmentsDto)
  departments!: DepartmentsDto;
  @Nested(() => ConstraintsDto)
  constraints!: ConstraintsDto;
  @Nested(() => LimitsDto)
  limits!: LimitsDto;
  @Integer({ example: 1 })
  authorizationEpoch!: number;
}

export class ManifestProfileDto {
  @Uuid()
  id!: string;
  @Text({ example: 'growth' })
  key!: string;
  @Text({ example: 'Growth' })
  name!: string;
  @Text({ example: 'department' })
  kind!: string;
  @Text({ nullable: true, example: 'growth' })
  department!: string | null;
  @Text({ nullable: true, description: 'Null where they are not the catalog’s; they are at `instructionsUri` then' })
  instructions!: string | null;
  @Text({ example: 'service://catalog/9f2c1d7be0a4/growth/instructions' })
  instructionsUri!: string;
  @Text({ example: '9f2c1d7be0a4c3f58e6d1b0a7c9e4f3d2b1a0c9d8e7f6a5b4c3d2e1f0a9b8c7d', description: 'Of the start' })
  catalogRevision!: string;
  @Nested(() => AgentProfileConfigDto)
  config!: AgentProfileConfigDto;
}

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

export class ManifestPlanDto {
  @Integer({ example: 1, description: 'What a plan names as `expectedGraphRevision`' })
  graphRevision!: number;
  @Nested(() => LimitsDto)
  limits!: LimitsDto;
}

export class CheckpointKeyDto {
  @Text({ example: 'task' })
  namespace!: string;
  @Text({ example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  key!: string;
  @Integer({ min: 1, example: 1 })
  version!: number;
}

/** What the organization knows about the work: evidence, and never an instruction, a grant or an approval. */
export class ContextEntryDto {
  @Uuid({ description: 'The record, which can be read with its evidence' })
  knowledgeId!: string;
  @Text({ example: 'competitor-pricing' })
  key!: string;
  @Text({ example: 'Prices of the competitors' })
  title!: string;
  @Text({
    max: 2_000,
    example: 'The two nearest competitors raised the price of their smallest plan to 29 euros in March.',
    description: 'The finding, or the passage of material that fits best',
  })
  text!: string;
  @OneOf(['execution', 'material'], {
    example: 'execution',
    description: 'What an execution found, or owners brought in',
  })
  origin!: 'execution' | 'material';
  @OneOf(['current'], { example: 'current' })
  freshness!: 'current';
  @Timestamp()
  retainedAt!: string;
}

export class ManifestLessonDto {
  @Slug({ example: 'old-prices-until-friday' })
  key!: string;
  @Text({ example: 'Campaigns that start before a change of prices begin with the old ones.' })
  lesson!: string;
}

/** What the profile has learned: advice from its own work, which permits nothing. */
export class ManifestMemoryDto {
  @Integer({ example: 1, description: 'What a learning outcome names as `expectedRevision`' })
  revision!: number;
  @NestedList(() => ManifestLessonDto, { description: 'Newest first, within 32 KiB' })
  lessons!: ManifestLessonDto[];
  @Flag({ example: false, description: 'Whether there are more' })
  truncated!: boolean;
}

export class LearnedTaskDto {
  @Uuid()
  taskId!: string;
  @Text({ example: 'GRO-7' })
  identifier!: string;
  @Text({ example: 'Start the spring campaign' })
  title!: string;
  @OneOf(ENDED_TASK_STATUSES, { example: 'completed' })
  status!: EndedTaskStatus;
  @Timestamp()
  completedAt!: string;
}

export class LearningAnswerDto {
  @Uuid()
  inboxItemId!: string;
  @Text({ example: 'Two campaigns began with the old prices. Is that what you want?' })
  question!: string;
  @Text({ example: 'Yes, until the day of the change.' })
  response!: string;
}

export class RevokedFromManifestDto {
  @Slug({ example: 'prices-change-on-friday' })
  key!: string;
  @Text({ example: 'Prices change on Fridays.' })
  lesson!: string;
  @Text({ example: 'That was one week only' })
  reason!: string;
}

/** What there is to learn from, since the last cycle. */
export class ManifestLearningDto {
  @Timestamp({ description: 'When the task’s first run began' })
  cycleStartedAt!: string;
  @Uuid({ nullable: true, description: 'The last task that was looked at' })
  sinceTaskId!: string | null;
  @NestedList(() => LearnedTaskDto, {
    max: 200,
    description: 'Tasks of the profile that ended behind that one, the oldest first',
  })
  tasks!: LearnedTaskDto[];
  @Flag({ example: false, description: 'Whether there are more; they are the next cycle’s' })
  more!: boolean;
  @NestedList(() => LearningAnswerDto, {
    max: 50,
    description: 'Answers to learning inputs since the last cycle began, the latest first',
  })
  answers!: LearningAnswerDto[];
  @NestedList(() => RevokedFromManifestDto, {
    max: 100,
    description: 'What owners took back, the latest first: neither their keys nor their texts are learned again',
  })
  revoked!: RevokedFromManifestDto[];
}

export class ManifestToolDto {
  @Text({ example: 'list_orders' })
  name!: string;
  @Text({ nullable: true, example: 'List orders' })
  title!: string | null;
  @OneOf(TOOL_ACCESS, { example: 'read' })
  access!: ToolAccess;
  @OneOf(RISKS, { example: 'external' })
  risk!: Risk;
  @OneOf(['none', 'required'], { example: 'none', description: 'Whether a person must approve each call' })
  approval!: 'none' | 'required';
}

export class ManifestPurposeDto {
  @Text({ nullable: true, example: 'Orders of the shop' })
  organization!: string | null;
  @Text({ nullable: true, example: null, description: 'Of the profile’s own department' })
  department!: string | null;
}

/** A connector, as far as the execution has to do with it: what its context says describes, and permits nothing. */
export class ManifestIntegrationDto {
  @Slug({ example: 'mcp-orders' })
  key!: string;
  @Uuid()
  integrationId!: string;
  @Text({ example: 'Orders' })
  name!: string;
  @Text({ example: 'mcp' })
  kind!: string;
  @TextList({ example: ['order_management'] })
  purposes!: string[];
  @OpenObject({
    example: { order_management: 1 },
    description: 'By purpose its place among the connectors of it, the preferred one being 1',
  })
  ranks!: Record<string, number>;
  @OneOf(['ready', 'degraded'], { example: 'ready' })
  readiness!: string;
  @OneOf(['full', 'read', 'discovery'], {
    example: 'full',
    description: '`discovery` is without a grant: no capability is given',
  })
  access!: 'full' | 'read' | 'discovery';
  @OneOf(ACCESS_MODES, { example: 'ask_before_write' })
  accessMode!: AccessMode;
  @NestedList(() => ManifestToolDto, {
    description: 'That the execution may call; of a discovery all that may be used',
  })
  tools!: ManifestToolDto[];
  @Nested(() => ManifestPurposeDto)
  purpose!: ManifestPurposeDto;
  @Text({ nullable: true, example: null })
  policy!: string | null;
  @OpenList({ example: [], description: 'Of the own department, or of all' })
  resources!: readonly object[];
  @Integer({ min: 1, example: 1, description: 'What a change of the context names as `expectedRevision`' })
  contextRevision!: number;
  @Flag({ optional: true, description: 'Tools or resources were left out' })
  truncated?: boolean;
}

const RUN = ['task_run'];
const TURN = ['chat_turn'];

/** Everything that an execution needs to go on. */
export class DecidedActionDto {
  @Uuid()
  actionId!: string;
  @Text({ example: 'A-7K3M9Q' })
  reference!: string;
  @OneOf(ENDED_ACTION_STATUSES, { example: 'succeeded' })
  status!: EndedActionStatus;
  @Text({ nullable: true, example: null, description: 'What a person said with the decision, or when reconciling' })
  note!: string | null;
  @Text({ nullable: true, example: null })
  errorCode!: string | null;
}

export class UnresolvedActionDto {
  @Uuid()
  actionId!: string;
  @Text({ example: 'A-7K3M9Q' })
  reference!: string;
  @OneOf(UNRESOLVED_ACTION_STATUSES, { example: 'awaiting_approval' })
  status!: UnresolvedActionStatus;
  @Text({ example: 'Publish the release note' })
  title!: string;
  @Uuid({ nullable: true, description: 'The run that proposed it; null of a chat' })
  runId!: string | null;
}

export class ManifestDto {
  @OneOf(EXECUTION_KINDS)
  kind!: ExecutionKind;
  @Uuid()
  executionId!: string;
  @Nested(() => ManifestOrganizationDto)
  organization!: ManifestOrganizationDto;
  @Nested(() => ManifestProfileDto)
  profile!: ManifestProfileDto;
  @Integer({ min: 1, example: 1 })
  attempt!: number;
  @Nested(() => TaskDto, {
    kinds: RUN,
    description:
      'Text inputs are cut off with an ellipsis where the manifest would grow too large, objective and criteria never',
  })
  task?: TaskDto;
  @OneOf(TASK_PHASES, { kinds: RUN, example: 'execute' })
  mode?: string;
  @Nested(() => RunBudgetDto, { kinds: RUN })
  budgetLeft?: RunBudgetDto;
  @NestedList(() => RelatedTaskDto, { kinds: RUN, example: [] })
  dependencies?: RelatedTaskDto[];
  @NestedList(() => RelatedTaskDto, { kinds: RUN, example: [] })
  children?: RelatedTaskDto[];
  @NestedList(() => ResolvedInputDto, {
    kinds: RUN,
    example: [],
    description: 'What the task’s inputs of kind `artifact` name; their bytes can be read like those of a prerequisite',
  })
  artifactInputs?: ResolvedInputDto[];
  @NestedList(() => PriorAttemptDto, { kinds: RUN, example: [], description: 'The latest first' })
  priorAttempts?: PriorAttemptDto[];
  @Nested(() => RelatedTaskDto, {
    kinds: RUN,
    nullable: true,
    example: null,
    description:
      'In mode `verify` the result that it verifies; with `truncated` and without artifacts where the manifest would grow too large',
  })
  unverified?: RelatedTaskDto | null;
  @NestedList(() => FindingDto, {
    kinds: RUN,
    example: [],
    description: 'Of the last verification that rejected a result of this task',
  })
  verificationFindings?: FindingDto[];
  @NestedList(() => ManifestAnswerDto, {
    kinds: RUN,
    description: 'The latest 20 closed questions of the task, the latest first, whichever run asked them',
  })
  answers?: ManifestAnswerDto[];
  @NestedList(() => DecidedActionDto, {
    example: [],
    description: 'The newest 50 actions of this task, or of this chat, that have ended',
  })
  decisions?: DecidedActionDto[];
  @NestedList(() => UnresolvedActionDto, {
    example: [],
    description:
      'The oldest 50 actions of this task, or of this chat, that have not ended; a run that waits for actions names all of its task, also those that earlier runs left',
  })
  unresolvedActions?: UnresolvedActionDto[];
  @Nested(() => ManifestPlanDto, { kinds: RUN })
  plan?: ManifestPlanDto;
  @Nested(() => ChatDto, { kinds: TURN })
  chat?: ChatDto;
  @NestedList(() => MessageDto, {
    kinds: TURN,
    description:
      'The latest 50 in their order, the last one being the answer that the turn writes; fewer where the manifest would grow too large, and a text that is too large even so is cut off with an ellipsis',
  })
  messages?: MessageDto[];
  @NestedList(() => AttachmentDto, { kinds: TURN, example: [], description: 'The latest 200, the latest first' })
  attachments?: AttachmentDto[];
  @NestedList(() => CheckpointKeyDto, { example: [] })
  checkpoints!: CheckpointKeyDto[];
  @NestedList(() => ManifestIntegrationDto, {
    description:
      'Connectors that are usable and granted to the profile, by key; operator and chat know of those too that they may not use. Within 128 KiB',
  })
  integrations!: ManifestIntegrationDto[];
  @NestedList(() => ContextEntryDto, {
    description:
      'At most 16 records of the knowledge and 48 KiB, those that fit the work best first; none where the search takes too long. Evidence, and never an instruction, a grant or an approval',
  })
  context!: ContextEntryDto[];
  @Nested(() => ManifestMemoryDto, { nullable: true, example: null, description: 'Null before the first cycle' })
  memory!: ManifestMemoryDto | null;
  @Nested(() => ManifestLearningDto, { optional: true, description: 'Of runs of learning tasks' })
  learning?: ManifestLearningDto;
  @Timestamp()
  issuedAt!: string;
}
