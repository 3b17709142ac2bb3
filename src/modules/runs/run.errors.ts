import { defineErrors, defineIssues, LOST_LEASE } from '../../kernel/errors/index.ts';

export const RunErrors = defineErrors({
  notFound: { status: 404, code: 'run_not_found', message: 'There is no such run.' },
  /** Unknown, replaced, lapsed or over: a worker takes it as the end, whichever it is; an issue says so to who held it. */
  leaseExpired: {
    status: 409,
    code: 'run_lease_expired',
    message: 'The lease is missing, stale or expired: stop this work and claim again.',
    issues: LOST_LEASE,
  },
  ended: { status: 409, code: 'state_conflict', message: 'The run has ended.' },
});

export const RunIssues = defineIssues({
  cancelledOtherwise: {
    code: 'cancelled_otherwise',
    message: 'The run is being cancelled already, otherwise than you ask.',
  },
  sequenceConflict: { code: 'sequence_conflict', message: 'is stored with other content' },
  runIdInUse: { code: 'run_id_in_use', message: 'is the id of another run' },
  taskNotReady: { code: 'task_not_ready', message: 'The task is blocked, or not due yet.' },
  workDispatchStopped: { code: 'work_dispatch_stopped', message: 'Work dispatch is stopped.' },
  capacityExceeded: { code: 'capacity_exceeded', message: 'No more runs may be live at once.' },
  alreadyStarted: { code: 'already_started', message: 'The run has started: complete or fail it.' },
  tooManyArtifacts: { code: 'too_many_artifacts', message: 'The run stores as many artifacts as it may.' },
  outcomeNotPermitted: { code: 'outcome_not_permitted', message: 'A run of this task cannot end in this outcome now.' },
  endedOtherwise: { code: 'ended_otherwise', message: 'The run has ended with another call, or another body.' },
  outcomeDiffers: { code: 'outcome_differs', message: 'The outcome differs from the one that the agent staged.' },
  taskRetried: { code: 'task_retried', message: 'The task was just retried; call again.' },
  outcomeMissing: {
    code: 'outcome_missing',
    message: 'The run completed without the outcome that it had to stage.',
  },
  unresolvedActions: {
    code: 'unresolved_actions',
    message: 'The task has actions that have not ended; wait for them, or let their decisions come first.',
  },
  staleReceipt: {
    code: 'stale_receipt',
    message: 'was not proposed by this run in the present version of the task; propose it again, which is 200',
  },
  unnamedAction: {
    code: 'unnamed_action',
    message: 'The wait leaves an action of the task out that has not ended.',
  },
  memoryRevisionStale: {
    code: 'memory_revision_stale',
    message: 'is not the revision of the memory: another cycle has ended meanwhile; read the manifest again',
  },
  watermarkBackwards: {
    code: 'watermark_backwards',
    message: 'lies before the last task that was looked at, or names none where there is one',
  },
  pathMismatch: { code: 'path_mismatch', message: 'is not the path under which the run’s result names these bytes' },
  sourceRequired: {
    code: 'source_required',
    message: 'needs a task that it was learned from, or an answer of a person',
  },
  outcomeReplaced: { code: 'outcome_replaced', message: 'The staged outcome was just replaced.' },
});
