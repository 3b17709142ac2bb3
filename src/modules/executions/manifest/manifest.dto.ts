import { EXECUTION_KINDS, type ExecutionKind } from '../../../kernel/auth/index.ts';
import { Integer, Nested, NestedList, OneOf, Slug, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { AgentProfileConfigDto } from '../../agent-profiles/index.ts';
import { AttachmentDto, ChatDto, MessageDto } from '../../chats/index.ts';
import { ConstraintsDto, DepartmentsDto, LimitsDto } from '../../organizations/index.ts';
import { TASK_PHASES, TaskDto } from '../../tasks/index.ts';
import { FindingDto, RunBudgetDto } from '../../runs/index.ts';
import { RelatedTaskDto, ResolvedInputDto, PriorAttemptDto, ManifestAnswerDto } from './manifest-task.dto.ts';
import { ContextEntryDto, ManifestMemoryDto, ManifestLearningDto } from './manifest-knowledge.dto.ts';
import { ManifestIntegrationDto } from './manifest-connector.dto.ts';
import { DecidedActionDto, UnresolvedActionDto } from './manifest-action.dto.ts';

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

const RUN = ['task_run'];
const TURN = ['chat_turn'];

/** Everything that an execution needs to go on. */
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
