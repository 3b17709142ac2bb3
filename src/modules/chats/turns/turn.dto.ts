import { EdgeIssues } from '../../../kernel/errors/index.ts';
import { FailureDto, LeaseDto, PROFILE_KEYS, PullDto, UsageDto } from '../../../kernel/leases/index.ts';
import {
  CutName,
  CutText,
  Flag,
  Formatted,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { MessagePartDto } from '../messages/message.dto.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../messages/message.state.ts';
import { MESSAGE_LIMITS } from '../messages/message.policy.ts';

export class TurnParams {
  @Uuid()
  turnId!: string;
}

export class ClaimTurnsDto extends PullDto {
  @TextList({ ...PROFILE_KEYS, example: ['chat'] })
  profileKeys?: string[];
}

export class ClaimedTurnDto {
  @Uuid()
  organizationId!: string;
  @Uuid()
  chatId!: string;
  @Uuid()
  turnId!: string;
  @Uuid({ description: 'The message that the turn writes; equals `turnId`' })
  assistantMessageId!: string;
  @Uuid({ description: 'The message that the turn answers' })
  userMessageId!: string;
  @Uuid()
  agentProfileId!: string;
  @Text({
    example: 'GlB7o3rC5pY1vA9sK0tX2wQ8zE4uJ6hN-mD_fLcRbSk',
    description: 'Send it with every call on the turn; calls with an older one are refused',
  })
  leaseToken!: string;
  @Timestamp()
  leaseExpiresAt!: string;
  @Integer({ example: 20_000 })
  heartbeatIntervalMs!: number;
  @Text({ description: 'The capability of the execution for agent calls; heartbeats renew it' })
  executionToken!: string;
  @Integer({ min: 1, example: 1 })
  attempt!: number;
}

/** The state of a turn after a call. */
export class TurnStateDto {
  @OneOf(MESSAGE_STATUSES, { example: 'streaming' })
  status!: MessageStatus;
  @Integer({ min: 1, example: 7, description: 'Revision of the message' })
  revision!: number;
  @Flag({
    example: false,
    description: 'Whether the owner asked for the end of the turn: call `cancelled`; the text so far is kept',
  })
  cancelRequested!: boolean;
}

export const SESSION = { max: 1_000, optional: true, example: 'session-4711' } as const;

export class TurnRunningDto extends LeaseDto {
  @Text({ max: 200, example: 'example-harness/2.1' })
  harness!: string;
  @Text({ max: 200, example: 'example-model' })
  model!: string;
  @Text({
    ...SESSION,
    description: 'Kept on the chat for its next turn, until the organization’s `authorizationEpoch` advances',
  })
  harnessSessionId?: string;
}

export class TurnHeartbeatDto extends TurnStateDto {
  @Timestamp()
  leaseExpiresAt!: string;
  @Text({
    nullable: true,
    example: null,
    description: 'A new capability once less than half of the last one’s lifetime is left; null before',
  })
  executionToken!: string | null;
}

export class AppendDto extends LeaseDto {
  @Text({ max: 100, example: 'p1', description: 'The first append of a part creates it' })
  partId!: string;
  @Integer({
    max: MESSAGE_LIMITS.answerBytes,
    example: 0,
    description: 'Unicode code points that the part has already',
  })
  offset!: number;
  @Formatted({
    test: (text) => text.length > 0 && Buffer.byteLength(text) <= MESSAGE_LIMITS.appendBytes,
    issue: EdgeIssues.invalidLength,
    what: `text of 1 to ${MESSAGE_LIMITS.appendBytes} bytes in UTF-8`,
    max: MESSAGE_LIMITS.appendBytes,
    example: 'The launch is planned for ',
  })
  text!: string;
}

export class AppendedDto extends TurnStateDto {
  @Integer({ example: 26, description: 'Unicode code points that the part has now' })
  length!: number;
}

export class CompleteTurnDto extends LeaseDto {
  @NestedList(() => MessagePartDto, {
    max: MESSAGE_LIMITS.answerParts,
    optional: true,
    description: 'Replaces all text that was appended',
  })
  parts?: MessagePartDto[];
  @Nested(() => UsageDto, { optional: true })
  usage?: UsageDto;
  @CutName({ max: 200, optional: true, example: 'Launch in March', description: 'Title of the chat from now on' })
  title?: string;
  @CutText({
    max: 4_000,
    optional: true,
    example: 'The launch is planned; the post is being written.',
    description: 'Summary of the chat from now on',
  })
  summary?: string;
  @Text({
    min: 0,
    optional: true,
    example: SESSION.example,
    description: `Kept on the chat up to ${SESSION.max} characters; a longer one is ignored, since it would be useless when cut`,
  })
  harnessSessionId?: string;
}

export class FailTurnDto extends LeaseDto {
  @Nested(() => FailureDto)
  error!: FailureDto;
  @Nested(() => UsageDto, { optional: true })
  usage?: UsageDto;
}

export class CancelledTurnDto extends LeaseDto {
  @Nested(() => UsageDto, { optional: true })
  usage?: UsageDto;
}
