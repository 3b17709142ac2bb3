import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const DurabilityErrors = defineErrors({
  notFound: { status: 404, code: 'durability_row_not_found', message: 'There is no such durability row.' },
  versionConflict: { status: 409, code: 'state_conflict', message: 'The row has another version: read it again.' },
});

export const DurabilityIssues = defineIssues({
  invalidKey: { code: 'invalid_key', message: 'must begin with the id of the task or chat' },
  invalidKind: { code: 'invalid_kind', message: 'must be of the form that is described' },
  wrongTask: { code: 'wrong_task', message: 'must be the task that the execution works on' },
});
