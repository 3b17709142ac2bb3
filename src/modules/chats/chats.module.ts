import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.ts';
import { ChatChanges } from './chat-changes.service.ts';
import { ChatCreation } from './chat-creation.ts';
import { ChatPurgeJobs } from './chat-purge.jobs.ts';
import { ChatSignals } from './chat-signals.ts';
import { ChatsController } from './chats.controller.ts';
import { ChatsService } from './chats.service.ts';
import { MessageCancellation } from './message-cancellation.service.ts';
import { MessagePosting } from './message-posting.service.ts';
import { MessagesController } from './messages.controller.ts';
import { MessagesService } from './messages.service.ts';
import { PinnableTasks } from './pinnable-tasks.ts';

@Module({
  imports: [OrganizationsModule],
  controllers: [ChatsController, MessagesController],
  providers: [
    ChatCreation,
    ChatSignals,
    ChatsService,
    ChatChanges,
    ChatPurgeJobs,
    MessagesService,
    MessagePosting,
    MessageCancellation,
    PinnableTasks,
  ],
  exports: [ChatCreation, PinnableTasks],
})
export class ChatsModule {}
