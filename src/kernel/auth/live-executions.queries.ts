import { type Sql, sql, type Statement } from '../database/index.ts';
import type { ExecutionPrincipal } from '../principals/index.ts';

/** The state of an execution; one without a row is not alive. */
export interface ExecutionState {
  /** It has neither ended nor lapsed, has the token's generation, and its profile is not deleted. */
  readonly alive: boolean;
  /** Its profile may start new work. */
  readonly enabled: boolean;
  /** Whoever it acts for could do what the route does (`scope` of the principal). */
  readonly permitted: boolean;
}

export interface Verdict extends ExecutionState {
  readonly active: boolean;
  readonly expired: boolean;
  readonly entered: boolean;
}

/**
 * Leaves the organization again unless all conditions hold. The subqueries are materialized, so that they read before
 * it leaves.
 */
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
        coalesce((select s.enabled from state s), false) as enabled,
        coalesce((select s.permitted from state s), false) as permitted)
    select j.active, j.expired, j.alive, j.enabled, j.permitted,
      set_config('app.org',
        case when j.active and not j.expired and j.alive and j.permitted
               and (j.enabled or not ${needsEnabled}::boolean)
             then current_setting('app.org', true) else '' end, true) <> '' as entered
    from judged j`;
}
