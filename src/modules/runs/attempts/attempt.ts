import { columns, sql, type Statement, statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import {
  type LockedTask,
  lockedTasks,
  type LockedTasks,
  affectedByEnd,
  type RunRequestStatus,
  taskLocks,
  type TaskPhase,
  dependentsOf,
  type DependentTask,
} from '../../tasks/index.ts';
import { RunErrors } from '../run.errors.ts';
import type { Outcome, RunStatus } from '../run.state.ts';

/** A run with what its end is decided by. */
export interface AttemptRun {
  readonly id: string;
  readonly taskId: string;
  readonly runRequestId: string;
  readonly agentProfileId: string;
  readonly profileKey: string;
  readonly mode: TaskPhase;
  readonly status: RunStatus;
  readonly leaseTokenHash: Buffer;
  /** By the database's clock, as this was read. */
  readonly leaseValid: boolean;
  readonly cancelRequested: boolean;
  readonly finalDigest: string | null;
  readonly finalAnswer: object | null;
  /** Ended so long ago that its final call is forgotten. */
  readonly forgotten: boolean;
  /** What the agent staged for its end, with the digest of what was sent. */
  readonly staged: { readonly outcome: Outcome; readonly digest: string } | null;
}

const select = columns<AttemptRun>({
  id: 'r.id',
  taskId: 'r.task_id',
  runRequestId: 'r.run_request_id',
  agentProfileId: 'r.agent_profile_id',
  profileKey: 'p.key',
  mode: 'r.mode',
  status: 'r.status',
  leaseTokenHash: 'r.lease_token_hash',
  leaseValid: isUnlapsed('run', 'r.lease_expires_at'),
  cancelRequested: 'r.cancel_requested_at is not null',
  finalDigest: 'r.final_digest',
  finalAnswer: 'r.final_answer',
  forgotten: `coalesce(r.finished_at < clock_timestamp() - interval '24 hours', false)`,
  staged: `(select jsonb_build_object('outcome', o.outcome, 'digest', o.digest) from run_outcome o
            where o.organization_id = r.organization_id and o.run_id = r.id)`,
});

export interface AttemptRequest {
  readonly id: string;
  readonly status: RunRequestStatus;
  readonly attemptCount: number;
  readonly maxAttempts: number;
  readonly requeueOnCancel: boolean;
}

/** A run, its request and its task, all locked, with those that wait for the task. */
export interface Attempt {
  readonly run: AttemptRun;
  readonly request: AttemptRequest;
  readonly task: LockedTask;
  readonly locked: LockedTasks;
}

/** A run as it stood without a lock, and who waited for its task then. */
export interface UnlockedAttempt {
  readonly run: AttemptRun;
  readonly waiting: readonly DependentTask[];
}

/** Looks at a run, and at what its end would move, without a lock; one round trip. */
export async function readAttempt(tx: Tx, organizationId: string, runId: string): Promise<UnlockedAttempt | undefined> {
  const itsTask = sql`= (select r.task_id from run r where r.organization_id = ${organizationId} and r.id = ${runId})`;
  const [[run], waiting] = await tx.batch([attemptRun(organizationId, runId), dependentsOf(organizationId, itsTask)]);
  return run && { run, waiting };
}

function attemptRun(organizationId: string, runId: string): Statement<AttemptRun> {
  return statement(
    `select ${select} from run r join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
     where r.organization_id = $1 and r.id = $2`,
    organizationId,
    runId,
  );
}

/** Locks from the top: task with dependents, request, run; each is read after its lock. One round trip. */
export async function lockAttempt(
  tx: Tx,
  organizationId: string,
  { run: { id, taskId, runRequestId }, waiting }: UnlockedAttempt,
): Promise<Attempt> {
  const [, tasks, [request], , [run]] = await tx.batch([
    ...taskLocks(organizationId, affectedByEnd([taskId], waiting)),
    statement<AttemptRequest>(
      `select q.id, q.status, q.attempt_count as "attemptCount", q.max_attempts as "maxAttempts",
         q.requeue_on_cancel as "requeueOnCancel"
       from run_request q where q.organization_id = $1 and q.id = $2 for no key update`,
      organizationId,
      runRequestId,
    ),
    statement(`select from run where organization_id = $1 and id = $2 for no key update`, organizationId, id),
    attemptRun(organizationId, id),
  ]);
  const locked = lockedTasks(tasks);
  const task = locked.get(taskId);
  // The organization was deleted meanwhile, and the purge has come by.
  if (!run || !request || !task) throw new ApiError(RunErrors.leaseExpired);
  return { run, request, task, locked };
}

/** The agent whose run it is. */
export function actorOf({ agentProfileId, profileKey }: AttemptRun) {
  return { kind: 'agent', id: agentProfileId, name: profileKey } as const;
}
