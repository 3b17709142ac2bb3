/** What is to be done: tasks, their dependencies and graph, run requests. */
export { OrganizationDispatch } from './organization-dispatch.entity.ts';
export { RunRequest } from './run-request.entity.ts';
export * from './run-request.state.ts';
export { TaskDependency } from './task-dependency.entity.ts';
export { TaskIdentifier } from './task-identifier.entity.ts';
export { Task } from './task.entity.ts';
export * from './task.state.ts';
