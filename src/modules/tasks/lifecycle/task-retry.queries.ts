import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { type LockedTask, MAX_DEPENDENTS } from '../graph/task-locks.queries.ts';
import { isOpenTask, taskMoves } from '../task.state.ts';

const IS_OPEN = sql.raw(isOpenTask('t.status'));
const REOPEN = {
  permitted: sql.raw(dependencyMoves.permits('reopen', 'd.status')),
  status: sql.raw(dependencyMoves.moved('reopen', 'd.status')),
};
const RETRIED = sql.raw(taskMoves.moved('retry', 't.status'));
const RETRIED_BLOCKED = sql.raw(taskMoves.moved('retryBlocked', 't.status'));
const NOW = sql.raw(ISO_NOW);

/** Read without locks: never changes, or is read again behind them. */
export interface RetryFacts {
  readonly dedupeKey: string;
  readonly parentId: string | null;
}

export function retryFacts(organizationId: string, taskId: string): Statement<RetryFacts> {
  return sql`
    select dedupe_key as "dedupeKey", parent_id as "parentId" from task
    where organization_id = ${organizationId} and id = ${taskId}`;
}

/** Open tasks whose dependency on this one failed, as many as one transaction reopens. */
export function failedDependents(organizationId: string, taskId: string): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    select t.id from task_dependency d join task t on t.organization_id = ${organization} and t.id = d.task_id
    where d.organization_id = ${organization} and d.depends_on_task_id = ${taskId} and ${REOPEN.permitted}
      and ${IS_OPEN}
    order by t.id limit ${MAX_DEPENDENTS}`;
}

/**
 * Makes a failed task runnable again, or blocked by its own dependencies that are still open. Failed attempts of the
 * phase count from zero, runs do not. A result that awaited verification went with the failure, so the work itself is
 * done again.
 */
export function reopenTask(organizationId: string, { id, phase }: LockedTask, maxAgentRuns: number): Statement {
  const organization = sql.value(organizationId);
  const task = sql.value(id);
  const next = sql.value(phase === 'verify' ? 'execute' : phase);
  return sql`
    -- the blockers that its dependencies still are
    with waiting as (
      select coalesce(jsonb_agg(jsonb_build_object(
        'kind', case when d.status = 'pending' then 'dependency' else 'dependency_failed' end,
        'dependsOnTaskId', d.depends_on_task_id, 'since', ${NOW})), '[]') as blockers
      from task_dependency d where d.organization_id = ${organization} and d.task_id = ${task}
        and (d.status = 'pending' or d.status = 'failed' and d.required))
    update task t set blockers = w.blockers,
      status = case when w.blockers = '[]' then ${RETRIED} else ${RETRIED_BLOCKED} end,
      phase = ${next}, result = null, completed_at = null, max_agent_runs = ${maxAgentRuns}, repaired_at = null,
      refund_streak = 0, plan_failures = case when ${next} = 'plan' then 0 else t.plan_failures end,
      execute_failures = case when ${next} = 'execute' then 0 else t.execute_failures end,
      dependents_unsettled = false, version = t.version + 1, updated_at = clock_timestamp()
    from waiting w where t.organization_id = ${organization} and t.id = ${task}`;
}

/** Lets locked dependents wait again for a task that has not ended. One that is not blocked goes on as it is. */
export function reopenDependents(organizationId: string, taskId: string, dependents: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  const prerequisite = sql.value(taskId);
  return sql`
    with reopened as (
      update task_dependency d set status = ${REOPEN.status}, failure = null, failed_at = null
      from task t
      where d.organization_id = ${organization} and d.depends_on_task_id = ${prerequisite}
        and d.task_id = any(${dependents}::uuid[]) and ${REOPEN.permitted}
        and t.organization_id = ${organization} and t.id = d.task_id and ${IS_OPEN}
      returning d.task_id)
    -- a pending blocker in place of the failed one
    update task t set version = t.version + 1, updated_at = clock_timestamp(), blockers =
      (select coalesce(jsonb_agg(b order by n) filter (
         where not (b->>'kind' = 'dependency_failed' and b->>'dependsOnTaskId' = ${prerequisite}::text)), '[]')
       from jsonb_array_elements(t.blockers) with ordinality e(b, n))
      || jsonb_build_array(
        jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', ${prerequisite}::text, 'since', ${NOW}))
    from reopened r where t.organization_id = ${organization} and t.id = r.task_id and t.status = 'blocked'`;
}

/** Leaves the open dependents that a retry has not reopened to the sweep. */
export function flagFailedDependents(organizationId: string, taskId: string): Statement {
  const organization = sql.value(organizationId);
  const prerequisite = sql.value(taskId);
  return sql`
    update task set dependents_unsettled = true
    where organization_id = ${organization} and id = ${prerequisite} and exists (
      select from task_dependency d join task t on t.organization_id = ${organization} and t.id = d.task_id
      where d.organization_id = ${organization} and d.depends_on_task_id = ${prerequisite} and ${REOPEN.permitted}
        and ${IS_OPEN})`;
}
