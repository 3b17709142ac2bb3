import { sql, type Statement } from '../../../kernel/database/index.ts';
import { outageThatEnds } from '../../../kernel/leases/index.ts';
import { isLiveRun } from '../run.state.ts';

/**
 * Extends the leases of live runs that would lapse over the outage that this transaction's note ends: those that lapsed
 * in it, and those that would before their worker's next heartbeat. It counts as a sign of life too, so that no other
 * process of the same name gives the run up.
 */
export function extendRunLeases(): Statement {
  return sql`
    with outage as materialized (${outageThatEnds('run')}),
    held as materialized (
      select r.organization_id, r.id, clock_timestamp() as now, clock_timestamp() + outage.period as until
      from outage join run r on ${sql.raw(isLiveRun('r.status'))} and r.lease_expires_at > outage.since
        and r.lease_expires_at < clock_timestamp() + outage.period
      order by r.organization_id, r.id for no key update of r)
    update run r set lease_expires_at = h.until, heartbeat_at = h.now
    from held h where r.organization_id = h.organization_id and r.id = h.id
    returning 1`;
}

/** Extends claims in the same way; the outage does not count as a lapse of theirs. */
export function extendClaims(): Statement {
  return sql`
    with outage as materialized (${outageThatEnds('claim')}),
    held as materialized (
      select q.organization_id, q.id, clock_timestamp() + outage.period as until
      from outage join run_request q on q.status = 'claimed' and q.claim_expires_at > outage.since
        and q.claim_expires_at < clock_timestamp() + outage.period
      order by q.organization_id, q.id for no key update of q)
    update run_request q set claim_expires_at = h.until
    from held h where q.organization_id = h.organization_id and q.id = h.id
    returning 1`;
}
