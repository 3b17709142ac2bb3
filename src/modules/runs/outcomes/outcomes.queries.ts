import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { sql, type Statement } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { taskMoves } from '../../tasks/index.ts';
import type { Outcome } from '../run.state.ts';

/** Stages an outcome instead of the one before; the same outcome keeps its id. */
export function stageOutcome(
  { organizationId, executionId }: ExecutionPrincipal,
  outcome: Outcome,
  digest: string,
): Statement<{ id: string }> {
  return sql`
    insert into run_outcome as o (organization_id, run_id, id, kind, outcome, digest)
    values (${organizationId}, ${executionId}, ${newId()}, ${outcome.kind}, ${JSON.stringify(outcome)}::jsonb, ${digest})
    on conflict (organization_id, run_id) do update set
      id = case when o.digest = excluded.digest then o.id else excluded.id end, kind = excluded.kind,
      outcome = excluded.outcome, digest = excluded.digest, staged_at = clock_timestamp()
    returning o.id`;
}

const REQUEUED = sql.raw(taskMoves.moved('requeue', 'status'));

/** Moves a task to verification, with the result to be verified. */
export function verifyNext(organizationId: string, taskId: string, result: Outcome): Statement {
  return sql`
    update task set status = ${REQUEUED}, phase = 'verify', unverified_result = ${JSON.stringify(result)}::jsonb,
      verify_failures = 0, refund_streak = 0, version = version + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${taskId}`;
}

/** Moves a task back to execution, as a failed attempt there. */
export function rejectResult(organizationId: string, taskId: string): Statement {
  return sql`
    update task set status = ${REQUEUED}, phase = 'execute', unverified_result = null,
      refund_streak = 0, execute_failures = execute_failures + 1, version = version + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${taskId}`;
}

/** Moves a planned task to execution, which waits while children are open. */
export function executeNext(organizationId: string, taskId: string, openChildren: boolean): Statement {
  return sql`
    update task set status = ${taskMoves.next(openChildren ? 'wait' : 'requeue', 'running')}, phase = 'execute',
      plan_failures = 0, refund_streak = 0, version = version + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${taskId}`;
}
