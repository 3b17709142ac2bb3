import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { sql, type Statement } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { type TaskKind, taskMoves } from '../../tasks/index.ts';
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

/** The kind of a task, which never changes. */
export function taskKindOf(organizationId: string, taskId: string): Statement<{ kind: TaskKind }> {
  return sql`select t.kind from task t where t.organization_id = ${organizationId} and t.id = ${taskId}`;
}

const REQUEUED = sql.raw(taskMoves.moved('requeue', 'status'));

/** Lets a task run again, with its run's credit given back. */
export function refundRun(organizationId: string, taskId: string): Statement {
  return sql`
    with held as materialized (
      select t.id, t.consumed_agent_run_count - 1 as consumed, t.refund_streak + 1 as streak, t.version + 1 as version,
        clock_timestamp() as now
      from task t where t.organization_id = ${organizationId} and t.id = ${taskId} for no key update),
    moved as (
      update task t set status = ${REQUEUED}, consumed_agent_run_count = h.consumed, refund_streak = h.streak,
        version = h.version, updated_at = h.now
      from held h where t.organization_id = ${organizationId} and t.id = h.id)
    select from held`;
}

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

const GOES_ON = sql.raw(taskMoves.moved('requeue', 't.status'));

/** Lets a task go on that had nothing to wait for any more. */
export function waitForNothing(organizationId: string, taskId: string): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select t.id, t.version + 1 as version, clock_timestamp() as now
      from task t where t.organization_id = ${organization} and t.id = ${taskId}),
    moved as (
      update task t set status = ${GOES_ON}, refund_streak = 0, version = h.version, updated_at = h.now
      from held h where t.organization_id = ${organization} and t.id = h.id)
    select h.id from held h`;
}
