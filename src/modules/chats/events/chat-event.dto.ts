import { Integer, Nested, OneOf, Text, Uuid } from '../../../kernel/validation/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { MessageDto } from '../messages/message.dto.ts';

export class ChatEventParams extends OrganizationParams {
  @Uuid()
  chatId!: string;
}

/** The whole message: the first event of a stream, and the next one wherever changes in between are not at hand. */
export class ChatSnapshotEventDto {
  @OneOf(['chat.snapshot'])
  type!: 'chat.snapshot';
  @Nested(() => MessageDto)
  message!: MessageDto;
}

/** A person's message, before the first event of its answer; or an answer after any change but an append. */
export class ChatMessageEventDto {
  @OneOf(['chat.message'])
  type!: 'chat.message';
  @Nested(() => MessageDto)
  message!: MessageDto;
}

/** Text that was appended. A `pending` message is `streaming` from then on. */
export class ChatDeltaEventDto {
  @OneOf(['chat.delta'])
  type!: 'chat.delta';
  @Uuid()
  messageId!: string;
  @Integer({ min: 1, example: 4 })
  revision!: number;
  @Text({ max: 100, example: 'p1', description: 'A part that the message does not have yet begins with this text' })
  partId!: string;
  @Integer({ min: 0, example: 12, description: 'Unicode code points of the part before this text' })
  offset!: number;
  @Text({ example: 'the post, and a date' })
  text!: string;
}
