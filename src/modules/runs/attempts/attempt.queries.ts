import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { ProfileKind } from '../../../kernel/principals/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import { hasUnresolvedActions } from '../../actions/index.ts';
import type { RunRequestStatus, TaskPhase } from '../../tasks/index.ts';
import type { Outcome, RunStatus } from '../run.state.ts';

/** A run with what its end is decided by. */
export interface AttemptRun {
  readonly id: string;
  readonly taskId: string;
  readonly runRequestId: string;
  readonly agentProfileId: string;
  readonly profileKey: string;
  readonly profileKind: ProfileKind;
  /** Of a department's profile. */
  readonly department: string | null;
  readonly workerId: string;
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
  /** Whether its task has actions that have not ended. */
  readonly unresolvedActions: boolean;
  /** The outcome that the agent staged, with the digest of the body that it sent. */
  readonly staged: { readonly outcome: Outcome; readonly digest: string } | null;
}

const select = columns<AttemptRun>({
  id: 'r.id',
  taskId: 'r.task_id',
  runRequestId: 'r.run_request_id',
  agentProfileId: 'r.agent_profile_id',
  profileKey: 'p.key',
  profileKind: 'p.kind',
  department: 'p.department',
  workerId: 'r.worker_id',
  mode: 'r.mode',
  status: 'r.status',
  leaseTokenHash: 'r.lease_token_hash',
  leaseValid: isUnlapsed('run', 'r.lease_expires_at'),
  cancelRequested: 'r.cancel_requested_at is not null',
  finalDigest: 'r.final_digest',
  finalAnswer: 'r.final_answer',
  forgotten: `coalesce(r.finished_at < clock_timestamp() - interval '24 hours', false)`,
  unresolvedActions: hasUnresolvedActions(sql`r.organization_id`, sql`r.task_id`),
  staged: `(select jsonb_build_object('outcome', o.outcome, 'digest', o.digest) from run_outcome o
            where o.organization_id = r.organization_id and o.run_id = r.id)`,
});

export function attemptRun(organizationId: string, runId: string): Statement<AttemptRun> {
  return sql`
    select ${select}
    from run r join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
    where r.organization_id = ${organizationId} and r.id = ${runId}`;
}

/** Compares a task's id with that of a run's task. */
export function isTaskOf(organizationId: string, runId: string): Sql {
  return sql`= (select r.task_id from run r where r.organization_id = ${organizationId} and r.id = ${runId})`;
}

export function lockRunRow(organizationId: string, runId: string): Statement {
  return sql`select from run where organization_id = ${organizationId} and id = ${runId} for no key update`;
}

export interface AttemptRequest {
  readonly id: string;
  readonly status: RunRequestStatus;
  readonly attemptCount: number;
  readonly maxAttempts: number;
  readonly requeueOnCancel: boolean;
}

export function lockRequest(organizationId: string, runRequestId: string): Statement<AttemptRequest> {
  return sql`
    select q.id, q.status, q.attempt_count as "attemptCount", q.max_attempts as "maxAttempts",
      q.requeue_on_cancel as "requeueOnCancel"
    from run_request q where q.organization_id = ${organizationId} and q.id = ${runRequestId} for no key update`;
}
