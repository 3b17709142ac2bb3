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
import { TaskStop } from './task-stop.ts';
import { VerificationOutcome } from './verification-outcome.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, TasksModule],
  controllers: [RunCompletionController],
  providers: [
    FinalCalls,
    RunCompletionService,
    RunFailureService,
    AttemptEnding,
    RunExpiry,
    TaskStop,
    OutcomeHandlers,
    CompletedOutcome,
    VerificationOutcome,
  ],
  exports: [OutcomeHandlers],
})
export class RunsModule {}
