/** Chats with their messages, the turns that answer them, and attachments. */
export { AttachmentDto } from './attachment.dto.ts';
export { Attachment } from './attachment.entity.ts';
export { AttachmentReaders } from './attachment-readers.ts';
export { AttachmentUpload } from './attachment-upload.entity.ts';
export type { AttachmentRef } from './attachments.queries.ts';
export { ChatContents, type ContentsOf } from './chat-contents.ts';
export { ChatCreation } from './chat-creation.ts';
export { ChatDto } from './chat.dto.ts';
export { Chat } from './chat.entity.ts';
export { ChatsModule } from './chats.module.ts';
export { MessageChunk } from './message-chunk.entity.ts';
export { MessageDto } from './message.dto.ts';
export { Message } from './message.entity.ts';
export { PinnableTasks, type TaskDirectory } from './pinnable-tasks.ts';
export { holdLiveTurn, holdTurn, sourceOfTurn } from './turn-hold.ts';
export {
  attachmentsAroundTurn,
  chatAroundTurn,
  messagesAroundTurn,
  pinOfTurn,
  type TurnFacts,
  turnFacts,
} from './turn-manifest.queries.ts';
export { TurnRecovery } from './turn-recovery.ts';
