import { OpaqueCursor, WindowedPageQuery } from '../../../kernel/pagination/index.ts';
import {
  Flag,
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  Text,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { MESSAGE_ROLES, MESSAGE_STATUSES, type MessageRole, type MessageStatus } from './message.state.ts';
import { MESSAGE_LIMITS } from './message.policy.ts';
import { InChatParams } from '../chat.dto.ts';

export class MessageAuthorDto {
  @OneOf(['human'])
  kind!: 'human';
  @Name({ example: 'Ada' })
  displayName!: string;
}

export class MessagePartDto {
  @Text({ max: 100, example: 'p1' })
  id!: string;
  @OneOf(['text'])
  kind!: 'text';
  @Text({ min: 0, example: 'What is left to do for the launch?' })
  text!: string;
}

/** Why an answer failed. */
export class MessageErrorDto {
  @Text({ example: 'turn_timeout' })
  code!: string;
  @Text({ example: 'The answer took too long.' })
  message!: string;
  @Flag()
  retryable!: boolean;
}

export class MessageDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Uuid()
  chatId!: string;
  @Uuid({
    nullable: true,
    example: null,
    description: 'The user’s message that an answer is for; null for a user’s message',
  })
  replyToMessageId!: string | null;
  @OneOf(MESSAGE_ROLES)
  role!: MessageRole;
  @OneOf(MESSAGE_STATUSES, { example: 'complete' })
  status!: MessageStatus;
  @Integer({ min: 1, example: 1, description: 'Rises with each change of the message' })
  revision!: number;
  @Nested(() => MessageAuthorDto, { nullable: true, description: 'Null for an answer' })
  author!: MessageAuthorDto | null;
  @NestedList(() => MessagePartDto)
  parts!: MessagePartDto[];
  @Nested(() => MessageErrorDto, { nullable: true, example: null })
  error!: MessageErrorDto | null;
  @Timestamp({ nullable: true })
  completedAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class MessageInChatParams extends InChatParams {
  @Uuid()
  messageId!: string;
}

export class MessageParams extends OrganizationParams {
  @Uuid()
  id!: string;
}

export class MessageListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(MESSAGE_ROLES, { optional: true, description: 'Repeatable' })
  role?: MessageRole[];
  @ListOf(MESSAGE_STATUSES, { optional: true, description: 'Repeatable' })
  status?: MessageStatus[];
}

export class NewMessagePartDto {
  @OneOf(['text'])
  kind!: 'text';
  @Text({ visible: true, max: MESSAGE_LIMITS.userPartCharacters, example: 'What is left to do for the launch?' })
  text!: string;
}

export class PostMessageDto {
  @Nested(() => MessageAuthorDto)
  author!: MessageAuthorDto;
  @NestedList(() => NewMessagePartDto, { min: 1, max: MESSAGE_LIMITS.userParts })
  parts!: NewMessagePartDto[];
}

const AWAITED_ANSWER: MessageDto = {
  id: '0199c9a4-5b1e-7c3b-8e07-5d2f4b6a9c10',
  organizationId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  chatId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  replyToMessageId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  role: 'assistant',
  status: 'pending',
  revision: 1,
  author: null,
  parts: [],
  error: null,
  completedAt: null,
  createdAt: '2026-03-01T09:30:00.000100Z',
  updatedAt: '2026-03-01T09:30:00.000100Z',
};

/** The message, and the answer that waits to be written. */
export class PostedMessageDto {
  @Nested(() => MessageDto)
  userMessage!: MessageDto;
  @Nested(() => MessageDto, { example: AWAITED_ANSWER })
  assistantMessage!: MessageDto;
}
