import { defineErrors } from '../../kernel/errors/index.ts';

export const TaskErrors = defineErrors({
  notFound: { status: 404, code: 'task_not_found', message: 'There is no such task.' },
  graphNotFound: { status: 404, code: 'task_graph_not_found', message: 'There is no such task.' },
  dependencyNotFound: { status: 404, code: 'task_dependency_not_found', message: 'There is no such dependency.' },
  runRequestNotFound: { status: 404, code: 'run_request_not_found', message: 'There is no such run request.' },
  ended: { status: 409, code: 'state_conflict', message: 'The task has ended.' },
  notFailed: { status: 409, code: 'state_conflict', message: 'Only a failed task can be retried.' },
  budgetUsedUp: {
    status: 409,
    code: 'state_conflict',
    message: 'The run budget is used up; give a higher maxAgentRuns.',
  },
  dedupeKeyTaken: { status: 409, code: 'state_conflict', message: 'Another live task has this dedupeKey.' },
  parentEnded: { status: 409, code: 'state_conflict', message: 'The parent has ended.' },
  limitExceeded: { status: 409, code: 'state_conflict', message: 'A limit of the organization would be exceeded.' },
  cycle: { status: 409, code: 'state_conflict', message: 'The dependencies would close a cycle.' },
  notWaivable: { status: 409, code: 'state_conflict', message: 'This dependency cannot be waived now.' },
  planRefused: { status: 409, code: 'state_conflict', message: 'The plan cannot be applied.' },
});
