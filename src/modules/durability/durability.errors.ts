import { defineErrors } from '../../kernel/errors/index.ts';

export const DurabilityErrors = defineErrors({
  notFound: { status: 404, code: 'durability_row_not_found', message: 'There is no such durability row.' },
  versionConflict: { status: 409, code: 'state_conflict', message: 'The row has another version: read it again.' },
});
