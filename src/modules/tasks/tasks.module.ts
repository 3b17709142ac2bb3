import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { DependencyWaiverService } from './dependencies/dependency-waiver.service.ts';
import { DependentsSweepService } from './lifecycle/dependents-sweep.service.ts';
import { OperatorQuestions } from './lifecycle/operator-questions.port.ts';
import { OrphanedTasksService } from './lifecycle/orphaned-tasks.service.ts';
import { PinnedTasks } from './pinned-tasks.adapter.ts';
import { PlanOperationsService } from './plans/plan-operations.service.ts';
import { QueuedWork } from './run-requests/queued-work.adapter.ts';
import { RunRequestQueueService } from './run-requests/run-request-queue.service.ts';
import { RunRequestsController } from './run-requests/run-requests.controller.ts';
import { RunRequestsService } from './run-requests/run-requests.service.ts';
import { TaskBlockersService } from './lifecycle/task-blockers.service.ts';
import { TaskCancellationService } from './lifecycle/task-cancellation.service.ts';
import { TaskCreationService } from './creation/task-creation.service.ts';
import { TaskDependenciesController } from './dependencies/task-dependencies.controller.ts';
import { TaskDependenciesService } from './dependencies/task-dependencies.service.ts';
import { TaskEnded } from './lifecycle/task-ended.port.ts';
import { TaskEndingService } from './lifecycle/task-ending.service.ts';
import { TaskPlansService } from './plans/task-plans.service.ts';
import { TaskPlacementService } from './creation/task-placement.service.ts';
import { TaskRetryService } from './lifecycle/task-retry.service.ts';
import { TasksAgentController } from './tasks.agent.controller.ts';
import { TasksAgentService } from './tasks.agent.service.ts';
import { TasksController } from './tasks.controller.ts';
import { TasksJobs } from './lifecycle/tasks.jobs.ts';
import { TasksService } from './tasks.service.ts';
import { PermittedWork } from './run-requests/permitted-work.adapter.ts';
import { WorkSignals } from './run-requests/work-signals.port.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule],
  controllers: [TasksController, TasksAgentController, TaskDependenciesController, RunRequestsController],
  providers: [
    WorkSignals,
    PermittedWork,
    RunRequestQueueService,
    RunRequestsService,
    QueuedWork,
    TaskEnded,
    OperatorQuestions,
    TaskEndingService,
    TaskBlockersService,
    TaskPlacementService,
    TaskCreationService,
    TaskCancellationService,
    TaskRetryService,
    PlanOperationsService,
    TaskPlansService,
    TasksService,
    TasksAgentService,
    DependentsSweepService,
    OrphanedTasksService,
    TasksJobs,
    PinnedTasks,
    DependencyWaiverService,
    TaskDependenciesService,
  ],
  exports: [
    WorkSignals,
    RunRequestQueueService,
    TaskEnded,
    OperatorQuestions,
    TaskEndingService,
    TaskBlockersService,
    TaskCreationService,
    TaskCancellationService,
    TaskPlansService,
  ],
})
export class TasksModule {}
