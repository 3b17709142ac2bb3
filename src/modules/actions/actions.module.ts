import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { InboxModule } from '../inbox/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ActionEndingService } from './action-ending.service.ts';
import { ActionExecutors } from './action-executors.port.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule, TasksModule, InboxModule],
  controllers: [],
  providers: [ActionExecutors, ActionEndingService],
  exports: [ActionExecutors],
})
export class ActionsModule {}
