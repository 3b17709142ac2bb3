import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/index.ts';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { ChatsModule } from '../chats/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ActionWaitOutcome } from './outcomes/action-wait-outcome.adapter.ts';
import { AttemptEndingService } from './attempts/attempt-ending.service.ts';
import { ClaimsService } from './claims/claims.service.ts';
import { CompletedOutcome } from './outcomes/completed-outcome.adapter.ts';
import { ExecutionTokensService } from './leases/execution-tokens.service.ts';
import { FinalCallsService } from './completion/final-calls.service.ts';
import { LostRunsService } from './leases/lost-runs.service.ts';
import { LiveRun } from './leases/live-run.adapter.ts';
import { HandoffOutcome } from './outcomes/handoff-outcome.adapter.ts';
import { IntegrationWaitOutcome } from './outcomes/integration-wait-outcome.adapter.ts';
import { RequirementChecksService } from './outcomes/requirement-checks.service.ts';
import { OutcomeStagingService } from './outcomes/outcome-staging.service.ts';
import { PermittedClaims } from './claims/permitted-claims.adapter.ts';
import { PlainCompletionsService } from './completion/plain-completions.service.ts';
import { PlannedOutcome } from './outcomes/planned-outcome.adapter.ts';
import { RunArtifactsAgentController } from './artifacts/run-artifacts.agent.controller.ts';
import { RunArtifactsController } from './artifacts/run-artifacts.controller.ts';
import { RunArtifactsService } from './artifacts/run-artifacts.service.ts';
import { RunAttachments } from './artifacts/run-attachments.adapter.ts';
import { RunCancellationService } from './attempts/run-cancellation.service.ts';
import { RunCompletionController } from './completion/run-completion.runtime.controller.ts';
import { RunCompletionService } from './completion/run-completion.service.ts';
import { RunExpiryJobs } from './attempts/run-expiry.jobs.ts';
import { RunExpiryService } from './attempts/run-expiry.service.ts';
import { RunFailureService } from './completion/run-failure.service.ts';
import { RunHeartbeatsService } from './leases/run-heartbeats.service.ts';
import { RunLeasesController } from './leases/run-leases.runtime.controller.ts';
import { RunLeasesService } from './leases/run-leases.service.ts';
import { RunLogsJobs } from './logs/run-logs.jobs.ts';
import { RunLogsRuntimeController } from './logs/run-logs.runtime.controller.ts';
import { RunLogsService } from './logs/run-logs.service.ts';
import { OutcomeHandlers } from './outcomes/outcome-handlers.port.ts';
import { RunRequestsRuntimeController } from './claims/run-requests.runtime.controller.ts';
import { DispatchUpkeepService } from './claims/dispatch-upkeep.service.ts';
import { RunRequestsJobs } from './claims/run-requests.jobs.ts';
import { RunStartService } from './leases/run-start.service.ts';
import { RunCitations } from './retention/run-citations.port.ts';
import { RunRetentionService } from './retention/run-retention.service.ts';
import { RunRetentionJobs } from './retention/run-retention.jobs.ts';
import { RunSignalsService } from './run-signals.service.ts';
import { RunsController } from './runs.controller.ts';
import { RunsService } from './runs.service.ts';
import { TaskStop } from './attempts/task-stop.adapter.ts';
import { VerificationOutcome } from './outcomes/verification-outcome.adapter.ts';
import { WorkCensusService } from './census/work-census.service.ts';
import { WhyController } from './why/why.controller.ts';
import { WorkWaitersService } from './claims/work-waiters.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, ChatsModule, IntegrationsModule, TasksModule, ActionsModule],
  controllers: [
    RunRequestsRuntimeController,
    RunLeasesController,
    RunCompletionController,
    RunsController,
    RunLogsRuntimeController,
    WhyController,
    RunArtifactsAgentController,
    RunArtifactsController,
  ],
  providers: [
    WorkCensusService,
    WorkWaitersService,
    PermittedClaims,
    ClaimsService,
    RunStartService,
    RunLeasesService,
    LostRunsService,
    RunHeartbeatsService,
    RunSignalsService,
    ExecutionTokensService,
    RunRequestsJobs,
    DispatchUpkeepService,
    LiveRun,
    FinalCallsService,
    PlainCompletionsService,
    RunCompletionService,
    RunFailureService,
    AttemptEndingService,
    RunExpiryService,
    RunExpiryJobs,
    TaskStop,
    OutcomeHandlers,
    CompletedOutcome,
    PlannedOutcome,
    HandoffOutcome,
    VerificationOutcome,
    ActionWaitOutcome,
    RequirementChecksService,
    IntegrationWaitOutcome,
    RunsService,
    RunCancellationService,
    RunLogsService,
    RunLogsJobs,
    RunCitations,
    RunRetentionService,
    RunRetentionJobs,
    OutcomeStagingService,
    RunArtifactsService,
    RunAttachments,
  ],
  exports: [OutcomeHandlers, RunCitations, OutcomeStagingService, RunExpiryService],
})
export class RunsModule {}
