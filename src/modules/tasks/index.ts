/** Tasks, their dependencies and graph, and the run requests that get them done. */
export { type Notice, OperatorQuestions, type QuestionAsker } from './lifecycle/operator-questions.port.ts';
export {
  rejoinLines,
  rejoinLinesOfOne,
  rejoinOtherProfiles,
  ORGANIZATION_HAS_READY,
  joinLines,
  organizationInLine,
  PROFILE_HAS_READY,
  profileInLine,
  HAS_PLACE,
} from './run-requests/dispatch-lines.queries.ts';
export { OrganizationDispatch } from './run-requests/organization-dispatch.entity.ts';
export { ProfileDispatch } from './run-requests/profile-dispatch.entity.ts';
export { AttemptErrorDto } from './run-requests/run-request.dto.ts';
export { RunRequest } from './run-requests/run-request.entity.ts';
export { RunRequestQueueService } from './run-requests/run-request-queue.service.ts';
export { logRequeued, type RequeuedRequest } from './run-requests/requeued-requests.ts';
export { TOKEN_TAKEN, UNCLAIMED } from './run-requests/run-request-moves.queries.ts';
export * from './run-requests/run-request.state.ts';
export { TaskDependency } from './graph/task-dependency.entity.ts';
export { CreateBudgetDto, CreateTaskDto, CreateTaskSpecDto } from './creation/task-creation.dto.ts';
export { type CreatedTask, TaskCreationService } from './creation/task-creation.service.ts';
export { type EndedTask, TaskEnded, type TaskFollower } from './lifecycle/task-ended.port.ts';
export { TaskBlockersService } from './lifecycle/task-blockers.service.ts';
export { TaskCancellationService } from './lifecycle/task-cancellation.service.ts';
export { TaskEndingService } from './lifecycle/task-ending.service.ts';
export { TaskIdentifier } from './creation/task-identifier.entity.ts';
export { type LockedTasks, lockedTasks, lockForEnd, lockTasks, affectedByEnd, taskLocks } from './graph/task-locks.ts';
export { type LockedTask, dependentsOf, type DependentTask } from './graph/task-locks.queries.ts';
export { TaskDto, TaskParams, TaskSpecDto } from './task.dto.ts';
export { ArtifactDto } from './task-result.dto.ts';
export type { TaskInputDto } from './task-input.dto.ts';
export { type TaskRow, toTask } from './task-row.ts';
export { Task } from './task.entity.ts';
export { INVALID_TASK, TaskErrors, TaskIssues } from './task.errors.ts';
export * from './task.state.ts';
export { PlannedOutcomeDto, PlanOperationList, type PlanOperationDto } from './plans/task-plan.dto.ts';
export { type LockedPlan, TaskPlansService } from './plans/task-plans.service.ts';
export { TasksModule } from './tasks.module.ts';
export { isTask, TASK_COLUMNS } from './tasks.queries.ts';
export { WorkSignals } from './run-requests/work-signals.port.ts';
