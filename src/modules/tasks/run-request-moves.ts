/** Parts of statements that move run requests, for every lifecycle that does. */

/** Assignments of a request that no worker holds any more. */
export const UNCLAIMED = `claim_token_hash = null, claim_expires_at = null, claimed_at = null, worker_id = null, boot_id = null,
  claim_request_key = null`;

/**
 * Hints that the organizations of a relation have ready work. Writes only where the hint does not stand yet, so that busy
 * organizations do not queue up for the row; each once, however many of its requests the relation holds.
 */
export function hintReady(relation: string): string {
  return `insert into organization_dispatch (organization_id, next_ready_at)
    select h.organization_id, clock_timestamp() from ${relation} h
    where not exists (
      select from organization_dispatch d where d.organization_id = h.organization_id and d.next_ready_at is not null)
    group by h.organization_id order by h.organization_id
    on conflict (organization_id) do update set next_ready_at = excluded.next_ready_at`;
}
