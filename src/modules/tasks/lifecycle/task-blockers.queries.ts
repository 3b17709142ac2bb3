import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';
import { type BlockerKey, type TaskStatus, taskMoves } from '../task.state.ts';

const NOW = sql.raw(ISO_NOW);
const SUSPEND = {
  permitted: sql.raw(taskMoves.permits('suspend', 't.status')),
  status: sql.raw(taskMoves.moved('suspend', 't.status')),
};
const UNBLOCK = {
  permitted: sql.raw(taskMoves.permits('unblock', 't.status')),
  status: sql.raw(taskMoves.moved('unblock', 't.status')),
};

/** Lets a task wait. That is an outcome, so refunds of run credit count from zero, unless it was refunded itself. */
export function addBlockers(
  organizationId: string,
  taskId: string,
  blockers: readonly BlockerKey[],
  isRefunded: boolean,
): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select t.id, ${SUSPEND.status} as status, t.version + 1 as version, clock_timestamp() as now,
        case when ${isRefunded}::boolean then t.refund_streak else 0 end as streak,
        t.blockers || (select jsonb_agg(b || jsonb_build_object('since', ${NOW}) order by n)
          from jsonb_array_elements(${JSON.stringify(blockers)}::jsonb) with ordinality e(b, n)) as blockers
      from task t where t.organization_id = ${organization} and t.id = ${taskId} and ${SUSPEND.permitted}
      for no key update),
    moved as (
      update task t set status = h.status, blockers = h.blockers, refund_streak = h.streak, version = h.version,
        updated_at = h.now
      from held h where t.organization_id = ${organization} and t.id = h.id)
    select from held`;
}

/**
 * Takes a blocker from a task; answers its status behind the move, no row where it has no such blocker. With fresh
 * attempts, failures of the phase, refunds in a row and repairs count from zero, as after a retry.
 */
export function removeBlocker(
  organizationId: string,
  taskId: string,
  blocker: BlockerKey,
  freshAttempts: boolean,
): Statement<{ readonly status: TaskStatus }> {
  const organization = sql.value(organizationId);
  const key = sql.value(JSON.stringify(blocker));
  const fresh = sql.value(freshAttempts);
  return sql`
    with held as materialized (
      select t.id, case when lasting.blockers = '[]' then ${UNBLOCK.status} else t.status end as status,
        lasting.blockers, t.version + 1 as version, clock_timestamp() as now,
        ${fresh}::boolean and t.phase = 'plan' as plans_anew,
        ${fresh}::boolean and t.phase = 'execute' as executes_anew,
        ${fresh}::boolean and t.phase = 'verify' as verifies_anew
      from task t cross join lateral (
        select coalesce(jsonb_agg(b order by n) filter (where not b @> ${key}::jsonb), '[]') as blockers
        from jsonb_array_elements(t.blockers) with ordinality e(b, n)) lasting
      where t.organization_id = ${organization} and t.id = ${taskId} and ${UNBLOCK.permitted}
        and t.blockers @> jsonb_build_array(${key}::jsonb)
      for no key update of t),
    moved as (
      update task t set status = h.status, blockers = h.blockers, version = h.version, updated_at = h.now,
        plan_failures = case when h.plans_anew then 0 else t.plan_failures end,
        execute_failures = case when h.executes_anew then 0 else t.execute_failures end,
        verify_failures = case when h.verifies_anew then 0 else t.verify_failures end,
        refund_streak = case when ${fresh}::boolean then 0 else t.refund_streak end,
        repaired_at = case when ${fresh}::boolean then null else t.repaired_at end
      from held h where t.organization_id = ${organization} and t.id = h.id
      returning t.status)
    select m.status from moved m`;
}
