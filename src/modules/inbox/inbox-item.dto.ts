import { EdgeIssues } from '../../kernel/errors/index.ts';
import { OpaqueCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  ConvertedText,
  escapeReordering,
  Flag,
  Formatted,
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import {
  CLOSER_KINDS,
  INBOX_KINDS,
  INBOX_OPENERS,
  INBOX_PURPOSES,
  INBOX_SEVERITIES,
  INBOX_STATUSES,
  type InboxCloser,
  type InboxKind,
  type InboxOpener,
  type InboxPurpose,
  type InboxSeverity,
  type InboxStatus,
  RESPONSE_CHANNELS,
  type ResponseChannel,
} from './inbox-item.state.ts';

const OPTION_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_OPTION_ID = 64;

/** The id of an option: what a person answers to choose it. */
function OptionId(options: Partial<Parameters<typeof Formatted>[0]> = {}): PropertyDecorator {
  return Formatted({
    example: 'wait',
    ...options,
    test: (text) => OPTION_ID.test(text),
    issue: EdgeIssues.invalidSlug,
    what: 'lowercase letters and digits in segments joined by single hyphens, at most 64 characters',
    max: LONGEST_OPTION_ID,
    pattern: OPTION_ID.source,
  });
}

export class InboxItemParams extends OrganizationParams {
  @Uuid()
  inboxItemId!: string;
}

export class InboxListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @Integer({ min: 1, max: 100, optional: true, default: 50, description: 'Most rows of a page' })
  override limit = 50;
  @ListOf(INBOX_STATUSES, { optional: true, description: 'Repeatable' })
  status?: InboxStatus[];
  @ListOf(INBOX_KINDS, { optional: true, description: 'Repeatable' })
  kind?: InboxKind[];
  @ListOf(INBOX_SEVERITIES, { optional: true, description: 'Repeatable' })
  severity?: InboxSeverity[];
  @ListOf(INBOX_PURPOSES, { optional: true, description: 'Only questions for this; repeatable' })
  purpose?: InboxPurpose[];
  @Uuid({ optional: true, description: 'Only items about this task' })
  taskId?: string;
  @Uuid({ optional: true, description: 'Only items of this chat' })
  chatId?: string;
  @Uuid({ optional: true, description: 'Only items that this run opened' })
  runId?: string;
  @Uuid({ optional: true, description: 'Only items of this action' })
  actionId?: string;
}

export class InboxOptionDto {
  @OptionId({ description: 'What to answer to choose it' })
  id!: string;
  @ConvertedText(escapeReordering)
  @Text({ max: 200, decidedBy: true, example: 'Wait for the new prices' })
  label!: string;
  @Text({ max: 1_000, decidedBy: true, optional: true, example: 'The campaign then starts on Monday' })
  description?: string;
}

export class InboxPresentationDto {
  @Text({ max: 2_000, decidedBy: true, optional: true, example: 'The prices of the spring campaign are not settled' })
  summary?: string;
  @Text({ max: 2_000, decidedBy: true, optional: true, example: 'Each day costs about 40 orders' })
  businessImpact?: string;
  @Text({ max: 2_000, decidedBy: true, optional: true, example: 'Wait: a correction costs more than a late start' })
  recommendation?: string;
  @NestedList(() => InboxOptionDto, {
    min: 2,
    max: 10,
    optional: true,
    description: 'Answers to choose from',
    example: [
      { id: 'wait', label: 'Wait for the new prices' },
      { id: 'start', label: 'Start with the old prices' },
    ],
  })
  options?: InboxOptionDto[];
  @OptionId({ optional: true, description: 'One of the options' })
  recommendedOptionId?: string;
  @Flag({ example: true, description: 'Whether an answer may be another text than the id of an option' })
  allowFreeText!: boolean;
}

export class NewInboxPresentationDto extends InboxPresentationDto {
  @Flag({
    optional: true,
    default: true,
    description: 'Whether an answer may be another text than the id of an option; false needs options',
  })
  override allowFreeText = true;
}

export class OpenInboxItemDto {
  @OneOf(['question', 'notification'], { example: 'question', description: 'A chat turn opens notifications only' })
  kind!: 'question' | 'notification';
  @OneOf(INBOX_PURPOSES, {
    optional: true,
    example: 'task',
    description:
      'Of a question: `task` (default), or `learning_input` in a run of a learning task, which nothing waits for',
  })
  purpose?: InboxPurpose;
  @Name({ decidedBy: true, example: 'Start the campaign with the old prices?' })
  title!: string;
  @Text({
    visible: true,
    decidedBy: true,
    max: 10_000,
    example: 'The new prices come on Friday. The campaign is planned for Thursday.',
  })
  body!: string;
  @Nested(() => NewInboxPresentationDto, { optional: true, description: 'What people are shown beside the text' })
  presentation: NewInboxPresentationDto = new NewInboxPresentationDto();
  @OneOf(INBOX_SEVERITIES, {
    optional: true,
    description:
      'A notification is `info` (default) or `attention`; a question has the severity of its purpose: `action_required`, or `attention` where nothing waits',
  })
  severity?: InboxSeverity;
  @Timestamp({ optional: true, description: 'From 5 minutes to 90 days ahead; never when left out' })
  expiresAt?: string;
  @Text({
    max: 200,
    optional: true,
    example: 'campaign-prices',
    description: 'A second opening with the key of an open item of the task or chat answers with that one, as it is',
  })
  dedupeKey?: string;
}

export class RespondDto {
  @Text({
    visible: true,
    max: 10_000,
    example: 'wait',
    description: 'The id of an option, or another text where the item allows one; compared as it came',
  })
  response!: string;
}

export class InboxOpenerDto {
  @OneOf(INBOX_OPENERS, { example: 'agent' })
  kind!: InboxOpener;
  @Slug({ nullable: true, example: 'growth', description: 'The profile of the run or turn' })
  profileKey!: string | null;
}

export class InboxCloserDto {
  @OneOf(CLOSER_KINDS, { example: 'owner', description: '`human`: the author of a chat’s message' })
  kind!: InboxCloser['kind'];
  @Text({ nullable: true, example: 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string | null;
  @Text({ example: 'laptop' })
  name!: string;
}

export class InboxResponseDto {
  @Text({ max: 10_000, example: 'wait' })
  text!: string;
  @OptionId({ nullable: true, description: 'The option whose id the text is' })
  optionId!: string | null;
  @Nested(() => InboxCloserDto)
  respondedBy!: InboxCloserDto;
  @Timestamp()
  respondedAt!: string;
  @OneOf(RESPONSE_CHANNELS, { example: 'owner', description: '`chat`: through a turn of the chat agent' })
  channel!: ResponseChannel;
  @Uuid({ nullable: true, example: null, description: 'The person’s message that the turn answered' })
  messageId!: string | null;
}

export class InboxClosureDto {
  @Timestamp()
  at!: string;
  @Nested(() => InboxCloserDto, { nullable: true, description: 'Null for the backend' })
  by!: InboxCloserDto | null;
  @Text({ nullable: true, example: null, description: 'Why the backend closed it, e.g. `task_ended`' })
  reason!: string | null;
}

export class InboxItemDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @OneOf(INBOX_KINDS, { example: 'question' })
  kind!: InboxKind;
  @OneOf(INBOX_PURPOSES, {
    nullable: true,
    example: 'task',
    description: 'Of a question: `task` is for work that may wait for it, `learning_input` for what a profile learns',
  })
  purpose!: InboxPurpose | null;
  @OneOf(INBOX_STATUSES, { example: 'answered' })
  status!: InboxStatus;
  @OneOf(INBOX_SEVERITIES, { example: 'action_required' })
  severity!: InboxSeverity;
  @Text({ max: 200, example: 'Start the campaign with the old prices?' })
  title!: string;
  @Text({ max: 10_000, example: 'The new prices come on Friday. The campaign is planned for Thursday.' })
  body!: string;
  @Nested(() => InboxPresentationDto)
  presentation!: InboxPresentationDto;
  @Nested(() => InboxOpenerDto)
  openedBy!: InboxOpenerDto;
  @Uuid({ nullable: true })
  taskId!: string | null;
  @Uuid({ nullable: true, description: 'The run that opened it' })
  runId!: string | null;
  @Uuid({ nullable: true, example: null })
  chatId!: string | null;
  @Uuid({ nullable: true, example: null })
  actionId!: string | null;
  @Flag({ example: false, description: 'Whether a task waits for it now' })
  blocking!: boolean;
  @Integer({ min: 1, example: 1, description: 'How often the backend opened it before it was closed' })
  occurrences!: number;
  @Nested(() => InboxResponseDto, { nullable: true })
  response!: InboxResponseDto | null;
  @Nested(() => InboxClosureDto, { nullable: true, description: 'Null while it is open' })
  closure!: InboxClosureDto | null;
  @Timestamp({ nullable: true, example: null, description: 'When it expires unless it is closed before' })
  expiresAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class InboxSummaryDto {
  @Integer({ example: 2 })
  questions!: number;
  @Integer({ example: 5 })
  notifications!: number;
  @Integer({ example: 1 })
  approvals!: number;
  @Integer({ example: 0, description: 'Operations whose outcome a person has to find out' })
  reconciliation!: number;
  @Integer({ example: 8 })
  total!: number;
}
