import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { AttemptEnding } from './attempt-ending.ts';
import { ClaimsService } from './claims.service.ts';
import { CompletedOutcome } from './completed-outcome.ts';
import { ExecutionController } from './execution.controller.ts';
import { ExecutionManifest } from './execution-manifest.service.ts';
import { ExecutionTokens } from './execution-tokens.ts';
import { FinalCalls } from './final-calls.ts';
import { LiveRun } from './live-run.ts';
import { ManifestParts } from './manifest-parts.ts';
import { OutcomeStaging } from './outcome-staging.service.ts';
import { PlainCompletions } from './plain-completion.ts';
import { PlannedOutcome } from './planned-outcome.ts';
import { AgentArtifactsController, RunArtifactsController } from './run-artifacts.controller.ts';
import { RunArtifacts } from './run-artifacts.service.ts';
import { RunAttachments } from './run-attachments.ts';
import { RunCancellation } from './run-cancellation.service.ts';
import { RunCompletionController } from './run-completion.controller.ts';
import { RunCompletionService } from './run-completion.service.ts';
import { RunExpiry } from './run-expiry.ts';
import { RunFailureService } from './run-failure.service.ts';
import { RunLeasesController } from './run-leases.controller.ts';
import { RunLeasesService } from './run-leases.service.ts';
import { RunLogsJobs } from './run-logs.jobs.ts';
import { RunLogsRuntimeController } from './run-logs.runtime.controller.ts';
import { RunLogsService } from './run-logs.service.ts';
import { OutcomeHandlers } from './run-outcomes.ts';
import { InternalRunRequestsController } from './run-requests.internal.controller.ts';
import { DispatchUpkeep } from './dispatch-upkeep.ts';
import { RunRequestsJobs } from './run-requests.jobs.ts';
import { RunStartService } from './run-start.service.ts';
import { RunRetention } from './run-retention.ts';
import { RunRetentionJobs } from './run-retention.jobs.ts';
import { RunsController } from './runs.controller.ts';
import { RunsService } from './runs.service.ts';
import { TaskStop } from './task-stop.ts';
import { VerificationOutcome } from './verification-outcome.ts';
import { WhyController } from './why.controller.ts';
import { WorkWaiters } from './work-waiters.ts';
import { WorkerRecoveryService } from './worker-recovery.service.ts';
import { WorkersController } from './workers.controller.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, ChatsModule, TasksModule],
  controllers: [
    InternalRunRequestsController,
    RunLeasesController,
    RunCompletionController,
    WorkersController,
    RunsController,
    RunLogsRuntimeController,
    ExecutionController,
    WhyController,
    AgentArtifactsController,
    RunArtifactsController,
  ],
  providers: [
    WorkWaiters,
    ClaimsService,
    RunStartService,
    RunLeasesService,
    ExecutionTokens,
    WorkerRecoveryService,
    RunRequestsJobs,
    DispatchUpkeep,
    LiveRun,
    FinalCalls,
    PlainCompletions,
    RunCompletionService,
    RunFailureService,
    AttemptEnding,
    RunExpiry,
    TaskStop,
    OutcomeHandlers,
    CompletedOutcome,
    PlannedOutcome,
    VerificationOutcome,
    RunsService,
    RunCancellation,
    RunLogsService,
    RunLogsJobs,
    RunRetention,
    RunRetentionJobs,
    ManifestParts,
    ExecutionManifest,
    OutcomeStaging,
    RunArtifacts,
    RunAttachments,
  ],
  exports: [OutcomeHandlers, ManifestParts],
})
export class RunsModule {}
