import { Flag, Integer, Nested, NestedList, OneOf, Text, Timestamp, Uuid } from '../../kernel/validation/index.ts';
import { MESSAGE_ROLES, MESSAGE_STATUSES, type MessageRole, type MessageStatus } from './message.state.ts';

export class MessageAuthorDto {
  @OneOf(['human'])
  kind!: 'human';
  @Text({ max: 200, example: 'Ada' })
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
  @Uuid({ nullable: true, example: null, description: 'Of an answer: the user’s message that it is for' })
  replyToMessageId!: string | null;
  @OneOf(MESSAGE_ROLES)
  role!: MessageRole;
  @OneOf(MESSAGE_STATUSES, { example: 'complete' })
  status!: MessageStatus;
  @Integer({ min: 1, example: 1, description: 'Rises with each update' })
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
