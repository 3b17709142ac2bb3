import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { AttemptEnding } from './attempt-ending.ts';
import { CompletedOutcome } from './completed-outcome.ts';
import { FinalCalls } from './final-calls.ts';
import { RunCompletionController } from './run-completion.controller.ts';
import { RunCompletionService } from './run-completion.service.ts';
import { RunExpiry } from './run-expiry.ts';
import { RunFailureService } from './run-failure.service.ts';
import { OutcomeHandlers } from './run-outcomes.ts';
import { PlannedOutcome } from './planned-outcome.ts';
import { TaskStop } from './task-stop.ts';
import { VerificationOutcome } from './verification-outcome.ts';
import { ClaimsService } from './claims.service.ts';
import { ExecutionTokens } from './execution-tokens.ts';
import { InternalRunRequestsController } from './run-requests.internal.controller.ts';
import { LiveRun } from './live-run.ts';
import { RunLeasesController } from './run-leases.controller.ts';
import { RunLeasesService } from './run-leases.service.ts';
import { RunRequestsJobs } from './run-requests.jobs.ts';
import { RunStartService } from './run-start.service.ts';
import { WorkersController } from './workers.controller.ts';
import { WorkerRecoveryService } from './worker-recovery.service.ts';
import { WorkWaiters } from './work-waiters.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, TasksModule],
  controllers: [InternalRunRequestsController, RunLeasesController, RunCompletionController, WorkersController],
  providers: [
    WorkWaiters,
    ClaimsService,
    RunStartService,
    RunLeasesService,
    ExecutionTokens,
    WorkerRecoveryService,
    RunRequestsJobs,
    LiveRun,
    FinalCalls,
    RunCompletionService,
    RunFailureService,
    AttemptEnding,
    RunExpiry,
    TaskStop,
    OutcomeHandlers,
    CompletedOutcome,
    PlannedOutcome,
    VerificationOutcome,
  ],
  exports: [OutcomeHandlers],
})
export class RunsModule {}
