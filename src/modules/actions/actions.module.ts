import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { InboxModule } from '../inbox/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ActionEndingService } from './action-ending.service.ts';
import { ActionExecutors } from './action-executors.port.ts';
import { ActionSignalsService } from './action-signals.service.ts';
import { ActionStandingService } from './action-standing.service.ts';
import { ActionsAgentController } from './actions.agent.controller.ts';
import { ActionsAgentService } from './actions.agent.service.ts';
import { ActionsController } from './actions.controller.ts';
import { ActionsService } from './actions.service.ts';
import { ApprovalItemsService } from './proposal/approval-items.service.ts';
import { ChatDecisionsService } from './decision/chat-decisions.service.ts';
import { DecisionsService } from './decision/decisions.service.ts';
import { ProposalsService } from './proposal/proposals.service.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule, TasksModule, InboxModule],
  controllers: [ActionsController, ActionsAgentController],
  providers: [
    ActionExecutors,
    ActionSignalsService,
    ActionStandingService,
    ActionEndingService,
    ApprovalItemsService,
    ActionsService,
    ActionsAgentService,
    ProposalsService,
    ChatDecisionsService,
    DecisionsService,
  ],
  exports: [ActionExecutors],
})
export class ActionsModule {}
