import { defineErrors } from '../../kernel/errors/index.ts';

export const RunErrors = defineErrors({
  notFound: { status: 404, code: 'run_not_found', message: 'There is no such run.' },
  /** Unknown, replaced, lapsed or over: a worker takes it as the end, whichever it is. */
  leaseExpired: { status: 409, code: 'run_lease_expired', message: 'The lease is missing, stale or expired.' },
  ended: { status: 409, code: 'state_conflict', message: 'The run has ended.' },
});
