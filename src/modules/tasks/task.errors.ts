import { defineErrors, defineIssues, EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';

export const TaskIssues = defineIssues({
  invalidTaskRef: {
    code: 'invalid_task_ref',
    message: 'must be a UUID, an identifier such as ENG-7, or in a plan a ref of its own',
  },
  invalidPath: { code: 'invalid_path', message: 'must be a relative path' },
  cycle: { code: 'cycle', message: 'closes a cycle' },
  tooManyDescendants: { code: 'too_many_descendants', message: 'makes the tree larger than the organization permits' },
  contradiction: { code: 'contradiction', message: 'is not the key of that id' },
  beforeScheduled: { code: 'before_scheduled', message: 'must not be before scheduledAt' },
  budgetExhausted: { code: 'budget_exhausted', message: 'The task has used up its run budget.' },
  parentEnded: { code: 'parent_ended', message: 'The parent has ended.' },
  dependencyExists: { code: 'dependency_exists', message: 'is a dependency of this task already' },
  notWaivable: { code: 'not_waivable', message: 'is satisfied' },
  taskEnded: { code: 'task_ended', message: 'has ended' },
  ownTask: { code: 'own_task', message: 'is the planning task or one above it' },
  taskRunning: { code: 'task_running', message: 'is running' },
  otherTree: { code: 'other_tree', message: 'belongs to another tree' },
  otherDepartment: { code: 'other_department', message: 'belongs to another department' },
  staleGraphRevision: { code: 'stale_graph_revision', message: 'The graph has changed: read its revision again.' },
  replansExhausted: { code: 'replans_exhausted', message: 'The task has used up its replans.' },
  tooManyOperations: {
    code: 'too_many_operations',
    message: 'The plan has more operations than the organization permits.',
  },
});

/** What a task's fields may contradict together, wherever tasks are created. */
export const INVALID_TASK = withIssues(
  EdgeErrors.validationFailed,
  TaskIssues.contradiction,
  TaskIssues.beforeScheduled,
);

export const TaskErrors = defineErrors({
  notFound: { status: 404, code: 'task_not_found', message: 'There is no such task.' },
  graphNotFound: { status: 404, code: 'task_graph_not_found', message: 'There is no such task.' },
  dependencyNotFound: { status: 404, code: 'task_dependency_not_found', message: 'There is no such dependency.' },
  runRequestNotFound: { status: 404, code: 'run_request_not_found', message: 'There is no such run request.' },
  ended: { status: 409, code: 'state_conflict', message: 'The task has ended: there is nothing to cancel.' },
  notFailed: { status: 409, code: 'state_conflict', message: 'Only a failed task can be retried.' },
  budgetUsedUp: {
    status: 409,
    code: 'state_conflict',
    message: 'The run budget is used up: give a higher maxAgentRuns.',
    issues: [TaskIssues.budgetExhausted],
  },
  dedupeKeyTaken: {
    status: 409,
    code: 'state_conflict',
    message: 'Another open task has this dedupeKey: cancel it, or wait until it has ended.',
  },
  parentEnded: {
    status: 409,
    code: 'state_conflict',
    message: 'The parent has ended: name one that is open, or none.',
    issues: [TaskIssues.parentEnded],
  },
  limitExceeded: {
    status: 409,
    code: 'state_conflict',
    message: 'A limit of the organization would be exceeded: see the issues.',
    issues: [EdgeIssues.tooDeep, TaskIssues.tooManyDescendants],
  },
  cycle: {
    status: 409,
    code: 'state_conflict',
    message: 'The dependencies would close a cycle: leave out one that the issue names.',
    issues: [TaskIssues.cycle],
  },
  notWaivable: {
    status: 409,
    code: 'state_conflict',
    message: 'Only a pending or failed dependency can be waived, and only while its task neither runs nor has ended.',
  },
  planRefused: {
    status: 409,
    code: 'state_conflict',
    message: 'The plan cannot be applied: see the issues.',
    issues: [
      TaskIssues.staleGraphRevision,
      TaskIssues.tooManyOperations,
      TaskIssues.replansExhausted,
      TaskIssues.taskEnded,
      TaskIssues.taskRunning,
      TaskIssues.ownTask,
      TaskIssues.otherTree,
      TaskIssues.otherDepartment,
      TaskIssues.dependencyExists,
      TaskIssues.notWaivable,
      TaskIssues.cycle,
      TaskIssues.parentEnded,
      EdgeIssues.tooDeep,
      TaskIssues.tooManyDescendants,
    ],
  },
});
