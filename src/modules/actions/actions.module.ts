import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
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
import { ProposalMakingService } from './proposal/proposal-making.service.ts';
import { ProposalsService } from './proposal/proposals.service.ts';
import { SuccessiveProposalsService } from './proposal/successive-proposals.service.ts';
import { ActionReleaseService } from './execution/action-release.service.ts';
import { ActionParkingService } from './execution/action-parking.service.ts';
import { ActionFinishService } from './execution/action-finish.service.ts';
import { ActionExecutionService } from './execution/action-execution.service.ts';
import { ActionFollowingService } from './execution/action-following.service.ts';
import { ActionLapsesService } from './execution/action-lapses.service.ts';
import { ExecutionJobs } from './execution/execution.jobs.ts';
import { ActionSettlingService } from './reconciliation/action-settling.service.ts';
import { ReconciliationService } from './reconciliation/reconciliation.service.ts';
import { ReconciliationJobs } from './reconciliation/reconciliation.jobs.ts';
import { TaskActions } from './waits/task-actions.adapter.ts';
import { ChatActions } from './waits/chat-actions.adapter.ts';
import { ActionExpiryService } from './expiry/action-expiry.service.ts';
import { ActionExpiryJobs } from './expiry/action-expiry.jobs.ts';
import { DisabledProfiles } from './expiry/disabled-profiles.adapter.ts';
import { ActionCensusService } from './census/action-census.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, ChatsModule, TasksModule, InboxModule],
  controllers: [ActionsController, ActionsAgentController],
  providers: [
    ActionExecutors,
    ActionSignalsService,
    ActionStandingService,
    ActionEndingService,
    ApprovalItemsService,
    ActionsService,
    ActionsAgentService,
    ProposalMakingService,
    ProposalsService,
    SuccessiveProposalsService,
    ChatDecisionsService,
    DecisionsService,
    ActionReleaseService,
    ActionParkingService,
    ActionFinishService,
    ActionExecutionService,
    ActionFollowingService,
    ActionLapsesService,
    ExecutionJobs,
    ActionSettlingService,
    ReconciliationService,
    ReconciliationJobs,
    TaskActions,
    ChatActions,
    ActionExpiryService,
    ActionExpiryJobs,
    DisabledProfiles,
    ActionCensusService,
  ],
  exports: [ActionExecutors, ActionExpiryService, ProposalsService, SuccessiveProposalsService, ActionFollowingService],
})
export class ActionsModule {}
