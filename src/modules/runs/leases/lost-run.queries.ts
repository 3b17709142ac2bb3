import { type Placed, sql, type Statement } from '../../../kernel/database/index.ts';
import type { LostCall, LostLease } from '../../../kernel/leases/index.ts';

export interface LostRow extends Placed {
  readonly fate: LostLease;
}

/**
 * What became of the runs and claims of calls whose lease does not hold. The row answers only to a token that it has, or
 * had. By keys alone and without a lock, one statement for all calls that fail together.
 */
export function fatesOfRuns(calls: readonly LostCall[]): Statement<LostRow> {
  return sql`
    select c.place, case
      -- another attempt at the request of a run that expired
      when r.id is not null then case when r.status = 'expired'
        and (q.last_run_id <> r.id or q.claim_token_hash <> r.lease_token_hash) then 'superseded' else 'ended' end
      when c.request_id is null then 'unknown'
      when q.claim_token_hash = c.token_hash then 'ended'
      when q.former_token_hash = c.token_hash then case when q.claim_token_hash is null then 'ended' else 'superseded' end
      else 'unknown' end as fate
    from unnest(${calls.map(({ organizationId }) => organizationId)}::uuid[],
        ${calls.map(({ params }) => params['runId'] ?? null)}::uuid[],
        ${calls.map(({ params }) => params['runRequestId'] ?? null)}::uuid[],
        ${calls.map(({ tokenHash }) => tokenHash)}::bytea[])
      with ordinality c(organization_id, run_id, request_id, token_hash, place)
    left join run r
      on r.organization_id = c.organization_id and r.id = c.run_id and r.lease_token_hash = c.token_hash
    left join run_request q
      on q.organization_id = c.organization_id and q.id = coalesce(c.request_id, r.run_request_id)`;
}
