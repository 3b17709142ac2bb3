import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { AttachmentReaders } from './attachment-readers.ts';
import { AttachmentUploads } from './attachment-uploads.service.ts';
import { AttachmentsController } from './attachments.controller.ts';
import { AttachmentsJobs } from './attachments.jobs.ts';
import { AttachmentsService } from './attachments.service.ts';
import { ChatChanges } from './chat-changes.service.ts';
import { ChatContents } from './chat-contents.ts';
import { ChatCreation } from './chat-creation.ts';
import { ChatEventsController } from './chat-events.controller.ts';
import { ChatEventsService } from './chat-events.service.ts';
import { ChatPurgeJobs } from './chat-purge.jobs.ts';
import { ChatSignals } from './chat-signals.ts';
import { ChatsController } from './chats.controller.ts';
import { ChatsService } from './chats.service.ts';
import { LiveTurn } from './live-turn.ts';
import { MessageCancellation } from './message-cancellation.service.ts';
import { MessagePosting } from './message-posting.service.ts';
import { MessagesController } from './messages.controller.ts';
import { MessagesService } from './messages.service.ts';
import { PinnableTasks } from './pinnable-tasks.ts';
import { TurnAppends } from './turn-appends.service.ts';
import { TurnClaims } from './turn-claims.service.ts';
import { TurnEndings } from './turn-endings.service.ts';
import { TurnLeases } from './turn-leases.service.ts';
import { TurnRecovery } from './turn-recovery.ts';
import { TurnRests } from './turn-rests.ts';
import { TurnSweep } from './turn-sweep.ts';
import { TurnTokens } from './turn-tokens.ts';
import { TurnWaiters } from './turn-waiters.ts';
import { InternalChatTurnsController } from './turns.internal.controller.ts';
import { TurnsJobs } from './turns.jobs.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule],
  controllers: [
    ChatsController,
    MessagesController,
    InternalChatTurnsController,
    AttachmentsController,
    ChatEventsController,
  ],
  providers: [
    ChatContents,
    ChatCreation,
    ChatSignals,
    ChatsService,
    ChatChanges,
    ChatPurgeJobs,
    MessagesService,
    MessagePosting,
    MessageCancellation,
    PinnableTasks,
    TurnWaiters,
    TurnClaims,
    TurnTokens,
    TurnLeases,
    TurnAppends,
    TurnEndings,
    TurnSweep,
    TurnRests,
    TurnsJobs,
    TurnRecovery,
    LiveTurn,
    AttachmentsService,
    AttachmentUploads,
    AttachmentsJobs,
    AttachmentReaders,
    ChatEventsService,
  ],
  exports: [ChatContents, ChatCreation, PinnableTasks, TurnRecovery, AttachmentReaders],
})
export class ChatsModule {}
