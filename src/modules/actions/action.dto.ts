import { OpaqueCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  OpenObject,
  Sha256,
  Slug,
  Text,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams, RISKS } from '../organizations/index.ts';
import {
  ACTION_KINDS,
  ACTION_STATUSES,
  type ActionKind,
  type ActionRisk,
  type ActionStatus,
  APPROVAL_REASONS,
  type ApprovalReason,
  DECIDER_KINDS,
  DECISION_CHANNELS,
  DECISION_KINDS,
  RECONCILED_OUTCOMES,
  RECONCILIATION_CHANNELS,
  type ReconciledOutcome,
} from './action.state.ts';

export class ActionParams extends OrganizationParams {
  @Uuid()
  id!: string;
}

export class ActionListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;

  @ListOf(ACTION_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(ACTION_KINDS, { optional: true, description: 'Repeatable' })
  kind?: string[];
  @ListOf(RISKS, { optional: true, description: 'Repeatable' })
  risk?: string[];
  @Slug({ optional: true, description: 'Only actions through this connector' })
  connectorKey?: string;
  @Uuid({ optional: true, description: 'Only actions of this task' })
  taskId?: string;
  @Uuid({ optional: true, description: 'Only actions of turns in this chat' })
  chatId?: string;
  @Uuid({ optional: true, description: 'Only actions that this agent profile proposed' })
  agentProfileId?: string;
  @Flag({
    optional: true,
    description: 'Only actions with a decision, a person’s or the policy’s; or only those without',
  })
  decided?: boolean;
}

export class ActionPolicyDto {
  @Flag({ example: true })
  approvalRequired!: boolean;
  @ListOf(APPROVAL_REASONS, {
    example: ['risk'],
    description:
      'Why a person must approve: the access mode of the connector, a tool that is to be reviewed, or the organization’s constraint on this risk',
  })
  reasons!: readonly ApprovalReason[];
  @OneOf(RISKS, { example: 'external' })
  catalogRisk!: ActionRisk;
  @OneOf(RISKS, { nullable: true, example: null, description: 'What the execution said; the higher one counts' })
  callerRisk!: ActionRisk | null;
}

export class ActionDeciderDto {
  @OneOf(DECIDER_KINDS, { example: 'owner', description: '`human` is the author of a chat’s message' })
  kind!: (typeof DECIDER_KINDS)[number];
  @Text({ nullable: true, example: 'jo@acme.example', description: 'The subject of an owner' })
  id!: string | null;
  @Text({ example: 'Jo' })
  name!: string;
}

export class ActionDecisionDto {
  @OneOf(DECISION_KINDS, { example: 'approve' })
  kind!: (typeof DECISION_KINDS)[number];
  @Nested(() => ActionDeciderDto, { nullable: true, description: 'Null where the policy decided' })
  by!: ActionDeciderDto | null;
  @Timestamp()
  at!: string;
  @Text({ nullable: true, example: null })
  comment!: string | null;
  @OneOf(DECISION_CHANNELS, { example: 'owner' })
  channel!: (typeof DECISION_CHANNELS)[number];
  @Uuid({ nullable: true, example: null, description: 'In a chat: the message whose turn decided' })
  messageId!: string | null;
}

export class ActionReconciliationDto {
  @OneOf(RECONCILED_OUTCOMES, { example: 'succeeded' })
  outcome!: ReconciledOutcome;
  @Text({ example: 'The note is on the site.' })
  note!: string;
  @Nested(() => ActionDeciderDto)
  by!: ActionDeciderDto;
  @Timestamp()
  at!: string;
  @OneOf(RECONCILIATION_CHANNELS, { example: 'owner' })
  channel!: (typeof RECONCILIATION_CHANNELS)[number];
  @Uuid({ nullable: true, example: null, description: 'In a chat: the message whose turn said so' })
  messageId!: string | null;
}

export class ActionErrorDto {
  @Text({ example: 'fact_changed' })
  code!: string;
  @Text({ example: 'The webhook has changed since the action was proposed.' })
  message!: string;
  @Text({ optional: true, example: 'webhook', description: 'Which bound fact changed' })
  fact?: string;
  @Integer({ optional: true, example: 422, description: 'The provider’s status' })
  providerStatus?: number;
  @OpenObject({ optional: true, description: 'A definite answer that came too late to count' })
  observed?: object;
}

export class ActionDto {
  @Uuid()
  id!: string;
  @Text({ example: 'A-7K3M9Q', description: 'For people; unique in the organization' })
  reference!: string;
  @Uuid()
  organizationId!: string;
  @OneOf(ACTION_KINDS, { example: 'webhook_call' })
  kind!: ActionKind;
  @Text({ example: 'Publish the release note' })
  title!: string;
  @Text({ example: 'Posts the note to the site of the company.' })
  summary!: string;
  @Text({ example: 'webhooks' })
  connectorKey!: string;
  @Uuid({ nullable: true, example: null })
  integrationId!: string | null;
  @Text({ example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  toolName!: string;
  @Sha256({ description: 'SHA-256 of the canonical JSON (RFC 8785) of `{kind, connectorKey, toolName, arguments}`' })
  argumentsDigest!: string;
  @Text({ min: 0, example: '{\n  "title": "Release 2"\n}', description: 'Without secrets; in lists its first 2 KiB' })
  preview!: string;
  @Uuid({ nullable: true, description: 'The task whose run proposed it' })
  taskId!: string | null;
  @Integer({ nullable: true, example: 3, description: 'The version of the task then' })
  taskVersion!: number | null;
  @Uuid({ nullable: true })
  runId!: string | null;
  @Uuid({ nullable: true, example: null, description: 'The chat whose turn proposed it' })
  chatId!: string | null;
  @Uuid({ nullable: true, example: null, description: 'The message that the turn answered' })
  chatMessageId!: string | null;
  @Uuid()
  agentProfileId!: string;
  @OneOf(RISKS, { example: 'external', description: 'The higher of the catalog’s and the caller’s' })
  risk!: ActionRisk;
  @Nested(() => ActionPolicyDto)
  policy!: ActionPolicyDto;
  @Flag({ example: true })
  approvalRequired!: boolean;
  @Nested(() => ActionDecisionDto, { nullable: true, example: null })
  decision!: ActionDecisionDto | null;
  @OneOf(ACTION_STATUSES, { example: 'awaiting_approval' })
  status!: ActionStatus;
  @Integer({ min: 1, example: 1, description: 'Rises with each move; a decision may name it' })
  revision!: number;
  @Integer({ example: 1, description: 'Of the organization, when it was proposed' })
  authorizationEpoch!: number;
  @OpenObject({ nullable: true, example: null, description: 'What the provider answered' })
  result!: object | null;
  @Nested(() => ActionErrorDto, { nullable: true, example: null })
  error!: ActionErrorDto | null;
  @Nested(() => ActionReconciliationDto, {
    nullable: true,
    example: null,
    description: 'A person’s word on what became of it, where the service could not know',
  })
  reconciliation!: ActionReconciliationDto | null;
  @Text({ example: 'release-note-2' })
  dedupeKey!: string;
  @Uuid({ nullable: true, description: 'The newest inbox item about it' })
  inboxItemId!: string | null;
  @Timestamp({ description: 'Until then it may be approved' })
  expiresAt!: string;
  @Timestamp({ nullable: true, example: null, description: 'When it left; null while nothing has' })
  sentAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  finishedAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class ActionDetailDto extends ActionDto {
  @OpenObject({ example: { title: 'Release 2' }, description: 'What is sent, unchanged' })
  arguments!: Record<string, unknown>;
}
