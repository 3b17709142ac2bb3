import { type Placed, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed, releasesInARow, restAfter } from '../../../kernel/leases/index.ts';
import { ACTIONS_LEFT } from '../../actions/index.ts';
import { rejoinLines, runRequestMoves, UNCLAIMED } from '../../tasks/index.ts';
import { isLiveRun, runMoves } from '../run.state.ts';
import type { RunProfile } from './execution-tokens.service.ts';

export interface RunFence {
  readonly organizationId: string;
  readonly runId: string;
  readonly tokenHash: Buffer;
}

/** The fences of the calls that share a statement, as arrays; `FENCE_COLUMNS` names them in the calls' relation `c`. */
export function fencesOf(calls: readonly RunFence[]): Sql {
  return sql`${calls.map(({ organizationId }) => organizationId)}::uuid[],
      ${calls.map(({ runId }) => runId)}::uuid[],
      ${calls.map(({ tokenHash }) => tokenHash)}::bytea[]`;
}
export const FENCE_COLUMNS = sql`organization_id, run_id, token_hash`;

/** The runs that calls name, as `run r`, for statements that lock them. */
export function runsNamedBy(calls: readonly RunFence[]): Sql {
  return sql`unnest(${calls.map(({ organizationId }) => organizationId)}::uuid[],
      ${calls.map(({ runId }) => runId)}::uuid[]) c(organization_id, run_id)
    join run r on r.organization_id = c.organization_id and r.id = c.run_id`;
}

/**
 * The fence of every call on a run, of `c` and `run r`. It compares an expression of the status, so that the index of
 * live runs cannot answer: a plan made while few runs were live would walk all that are live later, and those that ended
 * since.
 */
export const RUN_FENCE = sql`r.organization_id = c.organization_id and r.id = c.run_id
      and r.lease_token_hash = c.token_hash and ${isUnlapsed('run', 'r.lease_expires_at')}
      and ${sql.raw(isLiveRun("r.status || ''"))}`;

/** No call lands in an organization that is being deleted or onboarded. */
export const ACTIVE = sql`o.id = c.organization_id and o.status = 'active'`;

/** The keys of a call on a run: calls with one in common do not share a transaction. */
export function lockedRun({ runId }: RunFence): string[] {
  return [runId];
}

export interface RunningCall extends RunFence {
  readonly harness: string;
  readonly model: string;
  readonly workspaceUri: string;
}

export interface RunningRow extends Placed {
  readonly moved: boolean;
  readonly cancelRequested: boolean;
}

const BEGUN = sql.raw(runMoves.moved('begin', 'r.status'));

/**
 * Marks runs as running, with harness, model and workspace. Answers a row where the fence held, and whether the run
 * moved: not where it runs with other values. No row is a lapsed lease.
 */
export function markRunning(calls: readonly RunningCall[]): Statement<RunningRow> {
  return sql`
    with held as materialized (
      select c.place, c.organization_id, c.run_id, c.harness, c.model, c.workspace_uri,
        r.status = 'starting' or (r.harness, r.model, r.workspace_uri) = (c.harness, c.model, c.workspace_uri) as moved,
        r.cancel_requested_at is not null as cancel_requested
      from unnest(${fencesOf(calls)}, ${calls.map(({ harness }) => harness)}::text[],
          ${calls.map(({ model }) => model)}::text[], ${calls.map(({ workspaceUri }) => workspaceUri)}::text[])
        with ordinality c(${FENCE_COLUMNS}, harness, model, workspace_uri, place)
      join run r on ${RUN_FENCE} join organization o on ${ACTIVE}
      order by r.organization_id, r.id for no key update of r),
    moved as (
      update run r set status = ${BEGUN}, harness = h.harness, model = h.model, workspace_uri = h.workspace_uri,
        updated_at = case when r.status = 'running' then r.updated_at else clock_timestamp() end
      from held h where h.moved and r.organization_id = h.organization_id and r.id = h.run_id)
    select held.place, held.moved, held.cancel_requested as "cancelRequested" from held`;
}

export interface RunHeartbeatRow extends Placed, RunProfile {
  readonly agentProfileId: string;
  readonly mode: 'plan' | 'execute' | 'verify';
  readonly attempt: number;
  readonly leaseExpiresAt: string;
  /** A capability is due. */
  readonly renewed: boolean;
  readonly capabilityExpiresAt: string;
  readonly cancelRequested: boolean;
  readonly workDispatchStopped: boolean;
  readonly authorizationEpoch: number;
  readonly agentRuns: number;
  readonly attemptsInPhase: number;
  readonly replans: number;
  readonly actions: number;
}

/**
 * Renews leases; writes the runs' rows alone, in place (none of the columns is in an index). The facts beside them are
 * read without a lock. No row is a lapsed lease.
 */
export function renewRunLeases(
  calls: readonly RunFence[],
  { leaseSeconds, capabilitySeconds }: { leaseSeconds: number; capabilitySeconds: number },
): Statement<RunHeartbeatRow> {
  const capability = sql.value(capabilitySeconds);
  return sql`
    -- the runs whose fence holds, locked
    with held as materialized (
      select c.place, r.organization_id, r.id,
        r.capability_expires_at < clock_timestamp() + make_interval(secs => ${capability}::int) / 2 as due,
        o.work_dispatch_stopped_at is not null as stopped, o.authorization_epoch
      from unnest(${fencesOf(calls)}) with ordinality c(${FENCE_COLUMNS}, place)
      join run r on ${RUN_FENCE} join organization o on ${ACTIVE}
      order by r.organization_id, r.id for no key update of r)
    -- the renewal
    update run r set heartbeat_at = clock_timestamp(),
      lease_expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}::int),
      capability_expires_at = case when h.due then clock_timestamp() + make_interval(secs => ${capability}::int)
                                   else r.capability_expires_at end
    from held h, task t, agent_profile p
    where r.organization_id = h.organization_id and r.id = h.id
      and t.organization_id = h.organization_id and t.id = r.task_id
      and p.organization_id = h.organization_id and p.id = r.agent_profile_id
    -- the facts for the answer
    returning h.place, r.agent_profile_id as "agentProfileId", r.mode, r.attempt, r.lease_expires_at as "leaseExpiresAt",
      h.due as renewed, r.capability_expires_at as "capabilityExpiresAt",
      p.key as "profileKey", p.kind as "profileKind", p.department,
      r.cancel_requested_at is not null as "cancelRequested",
      h.stopped as "workDispatchStopped", h.authorization_epoch as "authorizationEpoch",
      greatest(t.max_agent_runs - t.consumed_agent_run_count, 0) as "agentRuns",
      greatest(t.max_attempts_per_phase - case when t.phase = 'plan' then t.plan_failures
        when t.phase = 'verify' then t.verify_failures else t.execute_failures end, 0) as "attemptsInPhase",
      greatest(t.max_replans - greatest(t.plan_count - 1, 0), 0) as replans, ${ACTIONS_LEFT} as actions`;
}

export interface ReleaseRow {
  readonly released: boolean;
  readonly started: boolean;
}

const MAY_GIVE_BACK = sql.raw(runRequestMoves.permits('giveBack', 'q.status'));
const GIVEN_BACK = sql.raw(runRequestMoves.moved('giveBack', 'q.status'));

/**
 * Gives a claim back; it rests, longer with each release in a row, so that other ready work goes first and no worker
 * spins. Always answers one row. One statement behind the way in (two), one round trip, one commit.
 */
export function releaseClaim(organizationId: string, runRequestId: string, tokenHash: Buffer): Statement<ReleaseRow> {
  const organization = sql.value(organizationId);
  const request = sql.value(runRequestId);
  const hash = sql.value(tokenHash);
  return sql`
    with held as materialized (
      select q.organization_id, q.id, q.attempt_count, ${releasesInARow('q', 'attempt_count')} as releases,
        clock_timestamp() as now
      from run_request q
      where q.organization_id = ${organization} and q.id = ${request} and ${MAY_GIVE_BACK}
        and q.claim_token_hash = ${hash} and ${isUnlapsed('claim', 'q.claim_expires_at')} for no key update),
    released as (
      update run_request q set status = ${GIVEN_BACK}, ready = false, available_at = h.now + ${restAfter('h.releases')},
        release_count = q.release_count + 1, release_streak = h.releases, released_attempt = h.attempt_count,
        ${UNCLAIMED}, updated_at = h.now
      from held h where q.organization_id = ${organization} and q.id = h.id
      returning q.organization_id),
    -- its place is free
    ${rejoinLines(sql`released`)}
    select exists (select from released) as released,
      exists (select from run_request q where q.organization_id = ${organization} and q.id = ${request}
        and q.status = 'running' and q.claim_token_hash = ${hash}) as started`;
}
