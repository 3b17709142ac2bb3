import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { DependencyWaiver } from './dependency-waiver.ts';
import { DependentsSweep } from './dependents-sweep.ts';
import { OperatorQuestions } from './operator-questions.ts';
import { OrphanedTasks } from './orphaned-tasks.ts';
import { PinnedTasks } from './pinned-tasks.ts';
import { PlanOperations } from './plan-operations.ts';
import { RunRequestQueue } from './run-request-queue.ts';
import { RunRequestsController } from './run-requests.controller.ts';
import { RunRequestsService } from './run-requests.service.ts';
import { TaskCancellation } from './task-cancellation.ts';
import { TaskCreation } from './task-creation.ts';
import { TaskDependenciesController } from './task-dependencies.controller.ts';
import { TaskDependenciesService } from './task-dependencies.service.ts';
import { TaskEnded } from './task-ended.ts';
import { TaskEnding } from './task-ending.ts';
import { TaskPlans } from './task-plans.ts';
import { TaskPlacement } from './task-placement.ts';
import { TaskRetry } from './task-retry.ts';
import { TasksAgentController } from './tasks.agent.controller.ts';
import { TasksAgentService } from './tasks.agent.service.ts';
import { TasksController } from './tasks.controller.ts';
import { TasksJobs } from './tasks.jobs.ts';
import { TasksService } from './tasks.service.ts';
import { WorkReturns } from './work-returns.ts';
import { WorkSignals } from './work-signals.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule],
  controllers: [TasksController, TasksAgentController, TaskDependenciesController, RunRequestsController],
  providers: [
    WorkSignals,
    WorkReturns,
    RunRequestQueue,
    RunRequestsService,
    TaskEnded,
    OperatorQuestions,
    TaskEnding,
    TaskPlacement,
    TaskCreation,
    TaskCancellation,
    TaskRetry,
    PlanOperations,
    TaskPlans,
    TasksService,
    TasksAgentService,
    DependentsSweep,
    OrphanedTasks,
    TasksJobs,
    PinnedTasks,
    DependencyWaiver,
    TaskDependenciesService,
  ],
  exports: [
    WorkSignals,
    RunRequestQueue,
    TaskEnded,
    OperatorQuestions,
    TaskEnding,
    TaskCreation,
    TaskCancellation,
    TaskPlans,
  ],
})
export class TasksModule {}
