import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { BackendItemsService } from './backend-items.service.ts';
import { DeletedChats } from './deleted-chats.adapter.ts';
import { EndedTasks } from './ended-tasks.adapter.ts';
import { InboxAgentController } from './inbox.agent.controller.ts';
import { InboxAgentService } from './inbox.agent.service.ts';
import { InboxController } from './inbox.controller.ts';
import { InboxJobs } from './inbox.jobs.ts';
import { InboxService } from './inbox.service.ts';
import { InboxAnswered } from './inbox-answered.port.ts';
import { InboxItemsService } from './inbox-items.service.ts';
import { ItemClosingService } from './item-closing.service.ts';
import { ItemOpeningService } from './item-opening.service.ts';
import { PersonAsked } from './person-asked.adapter.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule, TasksModule],
  controllers: [InboxController, InboxAgentController],
  providers: [
    InboxAnswered,
    InboxItemsService,
    BackendItemsService,
    ItemOpeningService,
    ItemClosingService,
    InboxService,
    InboxAgentService,
    EndedTasks,
    DeletedChats,
    PersonAsked,
    InboxJobs,
  ],
  exports: [BackendItemsService, InboxAnswered],
})
export class InboxModule {}
