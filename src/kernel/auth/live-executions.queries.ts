import { type Sql, sql, type Statement } from '../database/index.ts';
import type { ExecutionPrincipal } from '../principals/index.ts';

/** What the row of an execution says; no row is an execution that is not alive. */
export interface ExecutionState {
  /** Neither ended nor lapsed, of the token's generation, its profile not deleted. */
  readonly alive: boolean;
  /** Its profile may start something new. */
  readonly enabled: boolean;
}

export interface Verdict extends ExecutionState {
  readonly active: boolean;
  readonly expired: boolean;
  readonly entered: boolean;
}

/** Leaves the organization again unless everything holds. Reads all of it before it leaves: it is materialized. */
export function verdictOf(
  { organizationId, expiresAt }: ExecutionPrincipal,
  state: Sql<ExecutionState>,
  needsEnabled: boolean,
): Statement<Verdict> {
  return sql`
    with state as materialized (${state}),
    judged as materialized (
      select exists (select from organization o where o.id = ${organizationId}::uuid and o.status = 'active') as active,
        ${expiresAt}::timestamptz <= clock_timestamp() as expired,
        coalesce((select s.alive from state s), false) as alive,
        coalesce((select s.enabled from state s), false) as enabled)
    select j.active, j.expired, j.alive, j.enabled,
      set_config('app.org',
        case when j.active and not j.expired and j.alive and (j.enabled or not ${needsEnabled}::boolean)
             then current_setting('app.org', true) else '' end, true) <> '' as entered
    from judged j`;
}
