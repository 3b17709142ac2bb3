/** Chats with their messages, the turns that answer them, and attachments. */
export { AttachmentDto } from './attachments/attachment.dto.ts';
export { Attachment } from './attachments/attachment.entity.ts';
export { AttachmentReaders } from './attachments/attachment-readers.port.ts';
export { AttachmentUpload } from './attachments/attachment-upload.entity.ts';
export type { AttachmentRef } from './attachments/attachments.queries.ts';
export { ChatDeleted, type ChatFollower } from './chat-deleted.port.ts';
export { ChatContents, type ChatRef } from './purge/chat-contents.port.ts';
export { ChatCreationService } from './chat-creation.service.ts';
export { ChatDto } from './chat.dto.ts';
export { Chat } from './chat.entity.ts';
export { lockChat } from './chats.queries.ts';
export { ChatsModule } from './chats.module.ts';
export { MessageChunk } from './messages/message-chunk.entity.ts';
export { MessageDto } from './messages/message.dto.ts';
export { Message } from './messages/message.entity.ts';
export { PinnableTasks, type TaskDirectory } from './pinnable-tasks.port.ts';
export { holdLiveTurn, sourceOfTurn } from './turns/turn-hold.ts';
export {
  attachmentsAroundTurn,
  chatAroundTurn,
  chatOfTurn,
  messagesAroundTurn,
  pinOfTurn,
  type TurnFacts,
  turnFacts,
} from './turns/turn-manifest.queries.ts';
export { TurnRecoveryService } from './turns/turn-recovery.service.ts';
