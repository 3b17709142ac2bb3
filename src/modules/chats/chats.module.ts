import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { AttachmentReaders } from './attachments/attachment-readers.port.ts';
import { AttachmentUploadsService } from './attachments/attachment-uploads.service.ts';
import { AttachmentsController } from './attachments/attachments.controller.ts';
import { AttachmentsJobs } from './attachments/attachments.jobs.ts';
import { AttachmentsService } from './attachments/attachments.service.ts';
import { ChatChangesService } from './chat-changes.service.ts';
import { ChatContents } from './purge/chat-contents.port.ts';
import { ChatCreationService } from './chat-creation.service.ts';
import { ChatDeleted } from './chat-deleted.port.ts';
import { ChatEventsController } from './events/chat-events.controller.ts';
import { ChatEventsService } from './events/chat-events.service.ts';
import { ChatPurgeJobs } from './purge/chat-purge.jobs.ts';
import { ChatSignalsService } from './chat-signals.service.ts';
import { ChatsController } from './chats.controller.ts';
import { ChatsService } from './chats.service.ts';
import { LiveTurn } from './turns/live-turn.adapter.ts';
import { MessageCancellationService } from './messages/message-cancellation.service.ts';
import { MessagePostingService } from './messages/message-posting.service.ts';
import { MessagesController } from './messages/messages.controller.ts';
import { MessagesService } from './messages/messages.service.ts';
import { PinnableTasks } from './pinnable-tasks.port.ts';
import { TurnCensusService } from './census/turn-census.service.ts';
import { TurnAppendsService } from './turns/turn-appends.service.ts';
import { TurnClaimsService } from './turns/turn-claims.service.ts';
import { TurnEndingsService } from './turns/turn-endings.service.ts';
import { LostTurnsService } from './lost-turns/lost-turns.service.ts';
import { TurnLeasesService } from './turns/turn-leases.service.ts';
import { TurnRecoveryService } from './turns/turn-recovery.service.ts';
import { PermittedTurns } from './turns/permitted-turns.adapter.ts';
import { TurnRestsService } from './turns/turn-rests.service.ts';
import { TurnSweepService } from './turns/turn-sweep.service.ts';
import { TurnTokensService } from './turns/turn-tokens.service.ts';
import { TurnWaitersService } from './turns/turn-waiters.service.ts';
import { TurnsRuntimeController } from './turns/turns.runtime.controller.ts';
import { TurnsJobs } from './turns/turns.jobs.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule],
  controllers: [
    ChatsController,
    MessagesController,
    TurnsRuntimeController,
    AttachmentsController,
    ChatEventsController,
  ],
  providers: [
    ChatContents,
    ChatDeleted,
    ChatCreationService,
    ChatSignalsService,
    ChatsService,
    ChatChangesService,
    ChatPurgeJobs,
    MessagesService,
    MessagePostingService,
    MessageCancellationService,
    PinnableTasks,
    TurnWaitersService,
    TurnClaimsService,
    TurnTokensService,
    TurnLeasesService,
    LostTurnsService,
    TurnAppendsService,
    TurnEndingsService,
    TurnSweepService,
    TurnRestsService,
    PermittedTurns,
    TurnsJobs,
    TurnRecoveryService,
    TurnCensusService,
    LiveTurn,
    AttachmentsService,
    AttachmentUploadsService,
    AttachmentsJobs,
    AttachmentReaders,
    ChatEventsService,
  ],
  exports: [ChatContents, ChatDeleted, ChatCreationService, PinnableTasks, TurnRecoveryService, AttachmentReaders],
})
export class ChatsModule {}
