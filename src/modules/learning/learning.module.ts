import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/index.ts';
import { InboxModule } from '../inbox/index.ts';
import { KnowledgeModule } from '../knowledge/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { RunsModule } from '../runs/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { AnsweredInputs } from './answered-inputs.adapter.ts';
import { LearningAgentService } from './learning.agent.service.ts';
import { LearningController } from './learning.controller.ts';
import { LearningCyclesService } from './learning-cycles.service.ts';
import { LearningJobs } from './learning.jobs.ts';
import { LearningManifest } from './learning-manifest.adapter.ts';
import { LearningOutcome } from './outcome/learning-outcome.adapter.ts';
import { LearningService } from './learning.service.ts';

@Module({
  imports: [OrganizationsModule, TasksModule, InboxModule, RunsModule, ExecutionsModule, KnowledgeModule],
  controllers: [LearningController],
  providers: [
    LearningService,
    LearningAgentService,
    LearningCyclesService,
    LearningOutcome,
    LearningManifest,
    AnsweredInputs,
    LearningJobs,
  ],
})
export class LearningModule {}
