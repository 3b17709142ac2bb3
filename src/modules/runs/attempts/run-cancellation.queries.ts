import { sql, type Statement } from '../../../kernel/database/index.ts';
import { isLiveRun } from '../run.state.ts';

/** Notes on a request that its run is to stop; the first time counts. `requestRunCancel` copies the time. */
export function requestCancel(organizationId: string, runRequestId: string, requeue: boolean): Statement {
  return sql`
    update run_request set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()),
      requeue_on_cancel = ${requeue}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${runRequestId}`;
}

export function requestRunCancel(organizationId: string, runId: string): Statement {
  return sql`
    update run r set cancel_requested_at = coalesce(r.cancel_requested_at, q.cancel_requested_at),
      updated_at = clock_timestamp()
    from run_request q
    where r.organization_id = ${organizationId} and r.id = ${runId}
      and q.organization_id = r.organization_id and q.id = r.run_request_id`;
}

const LIVE = sql.raw(isLiveRun('r.status'));

/** Asks the live runs of tasks to stop, and answers which. They are few and found along their own index, whatever the number of tasks. */
export function requestCancelOfTasks(organizationId: string, taskIds: readonly string[]): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select r.id, coalesce(r.cancel_requested_at, clock_timestamp()) as asked_at
      from run r join unnest(${taskIds}::uuid[]) ended(id) on ended.id = r.task_id
      where r.organization_id = ${organization} and ${LIVE}
      order by r.id for no key update of r),
    moved as (
      update run r set cancel_requested_at = h.asked_at from held h
      where r.organization_id = ${organization} and r.id = h.id)
    select h.id from held h`;
}
