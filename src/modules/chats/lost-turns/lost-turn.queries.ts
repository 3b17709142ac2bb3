import { type Placed, sql, type Statement } from '../../../kernel/database/index.ts';
import type { LostCall, LostLease } from '../../../kernel/leases/index.ts';

export interface LostTurnRow extends Placed {
  readonly fate: LostLease;
}

/** What became of the turns of calls whose lease does not hold, as `fatesOfRuns` has it for runs. */
export function fatesOfTurns(calls: readonly LostCall[]): Statement<LostTurnRow> {
  return sql`
    select c.place, case
      when m.lease_token_hash = c.token_hash then 'ended'
      when m.former_token_hash = c.token_hash then case when m.lease_token_hash is null then 'ended' else 'superseded' end
      else 'unknown' end as fate
    from unnest(${calls.map(({ organizationId }) => organizationId)}::uuid[],
        ${calls.map(({ params }) => params['turnId'] ?? null)}::uuid[],
        ${calls.map(({ tokenHash }) => tokenHash)}::bytea[])
      with ordinality c(organization_id, turn_id, token_hash, place)
    left join message m on m.organization_id = c.organization_id and m.id = c.turn_id`;
}
