/** What is to be done: tasks, their dependencies and graph, run requests. */
export { OperatorQuestions } from './operator-questions.ts';
export { OrganizationDispatch } from './organization-dispatch.entity.ts';
export { RunRequest } from './run-request.entity.ts';
export { RunRequestQueue } from './run-request-queue.ts';
export * from './run-request.state.ts';
export { TaskDependency } from './task-dependency.entity.ts';
export { type EndedTask, TaskEnded, type TaskFollower } from './task-ended.ts';
export { type TaskEnd, TaskEnding } from './task-ending.ts';
export { TaskIdentifier } from './task-identifier.entity.ts';
export { type LockedTask, type LockedTasks, lockForEnd, lockGraph, lockTasks } from './task-locks.ts';
export { TaskCancellation } from './task-cancellation.ts';
export { type CreatedTask, TaskCreation } from './task-creation.ts';
export { CreateTaskDto } from './task-creation.dto.ts';
export { Task } from './task.entity.ts';
export * from './task.state.ts';
export { TasksModule } from './tasks.module.ts';
export { WorkSignals } from './work-signals.ts';
