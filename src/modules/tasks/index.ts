/** What is to be done: tasks, their dependencies and graph, run requests. */
export { OperatorQuestions } from './operator-questions.ts';
export {
  comeBack,
  HAS_READY,
  hintReady,
  IN_LINE,
  PROFILE_HAS_READY,
  PROFILE_IN_LINE,
  STANDS,
} from './dispatch-lines.ts';
export { OrganizationDispatch } from './organization-dispatch.entity.ts';
export { ProfileDispatch } from './profile-dispatch.entity.ts';
export { RunRequest } from './run-request.entity.ts';
export { RunRequestQueue } from './run-request-queue.ts';
export { UNCLAIMED } from './run-request-moves.ts';
export * from './run-request.state.ts';
export { TaskDependency } from './task-dependency.entity.ts';
export { CreateBudgetDto, CreateTaskDto, CreateTaskSpecDto } from './task-creation.dto.ts';
export { TaskCreation } from './task-creation.ts';
export { type EndedTask, TaskEnded, type TaskFollower } from './task-ended.ts';
export { TaskEnding } from './task-ending.ts';
export { TaskIdentifier } from './task-identifier.entity.ts';
export {
  type LockedTask,
  type LockedTasks,
  lockedTasks,
  lockForEnd,
  lockTasks,
  movedByEnd,
  taskLocks,
  waitingFor,
  type WaitingTask,
} from './task-locks.ts';
export { TaskDto, TaskParams, TaskSpecDto } from './task.dto.ts';
export { type TaskRow, toTask } from './task-row.ts';
export { Task } from './task.entity.ts';
export { TaskErrors } from './task.errors.ts';
export { isTask } from './task-ref.ts';
export * from './task.state.ts';
export { PlannedOutcomeDto, PlanOperationList, type PlanOperationDto } from './task-plan.dto.ts';
export { type LockedPlan, TaskPlans } from './task-plans.ts';
export { TasksModule } from './tasks.module.ts';
export { TASK_COLUMNS } from './tasks.queries.ts';
export { WorkSignals } from './work-signals.ts';
