import { type Placed, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import { runRequestMoves, taskMoves, TOKEN_TAKEN } from '../../tasks/index.ts';
import { FIRST_RUN_STATUS, isLiveRun } from '../run.state.ts';
import { ORGANIZATION_ACTIVE, unmetCases, type UnmetCondition } from '../run-start.policy.ts';
import type { RunProfile } from './execution-tokens.service.ts';

export interface Start {
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly runId: string;
  readonly workerId: string;
  readonly bootId: string | null;
  readonly tokenHash: Buffer;
}

/** What became of a start. All but the first two moved nothing; the conditions of `run-start.policy.ts` come last. */
export type StartVerdict =
  | 'started'
  | 'replayed'
  | 'lease_expired'
  | 'capacity_missing'
  | 'run_id_in_use'
  | Exclude<UnmetCondition, 'organization_full' | 'profile_full'>
  | 'capacity_exceeded';

export interface StartRow extends Placed, RunProfile {
  readonly verdict: StartVerdict;
  readonly agentProfileId: string;
  readonly taskId: string;
  readonly mode: 'plan' | 'execute' | 'verify';
  readonly attempt: number;
  readonly leaseExpiresAt: string;
  readonly capabilityExpiresAt: string;
}

/** The requests that starts name, as `run_request q`. */
function requestsOf(starts: readonly Start[]): Sql {
  return sql`unnest(${starts.map(({ organizationId }) => organizationId)}::uuid[],
      ${starts.map(({ runRequestId }) => runRequestId)}::uuid[]) c(organization_id, request_id)
    join run_request q on q.organization_id = c.organization_id and q.id = c.request_id`;
}

/** The locks of starts, in the order of all locks; a statement for each level, before the one that decides. */
export function startLocks(starts: readonly Start[]): Statement[] {
  const organizations = starts.map(({ organizationId }) => organizationId);
  const requests = requestsOf(starts);
  return [
    sql`
    select from organization_capacity c where c.organization_id = any(${organizations}::uuid[])
    order by c.organization_id for no key update`,
    sql`
    select from profile_capacity c
    join (select distinct q.organization_id, q.agent_profile_id from ${requests}) p
      on c.organization_id = p.organization_id and c.agent_profile_id = p.agent_profile_id
    order by c.organization_id, c.agent_profile_id for no key update of c`,
    sql`
    select from ${requests} join task t on t.organization_id = q.organization_id and t.id = q.task_id
    order by t.organization_id, t.id for no key update of t`,
    sql`select from ${requests} order by q.organization_id, q.id for no key update of q`,
  ];
}

const LIVE = sql.raw(isLiveRun('r.status'));
const ORGANIZATION_IS_ACTIVE = sql.raw(ORGANIZATION_ACTIVE);

/** The verdict of a start, of `c` and all that it names: a repeat, the fence, each condition that does not hold. */
const VERDICT = sql`
        case
        when ${ORGANIZATION_IS_ACTIVE} and own.run_request_id = q.id and own.lease_token_hash = c.token_hash
          and own.worker_id = c.worker_id and ${sql.raw(isLiveRun('own.status'))}
          and ${isUnlapsed('run', 'own.lease_expires_at')} then 'replayed'
        when (${ORGANIZATION_IS_ACTIVE} and ${sql.raw(runRequestMoves.permits('start', 'q.status'))}
          and q.claim_token_hash = c.token_hash
          and ${isUnlapsed('claim', 'q.claim_expires_at')}) is not true then 'lease_expired'
        when oc.max_live_runs is null or pc.max_live_runs is null then 'capacity_missing'
        when own.id is not null then 'run_id_in_use'
        ${sql.raw(unmetCases())}
        else 'started' end`;

const REQUEST_STARTED = sql.raw(runRequestMoves.moved('start', 'q.status'));
const TASK_STARTED = sql.raw(taskMoves.moved('start', 't.status'));

/**
 * Decides about starts and carries them out, with a snapshot taken after the locks: fence, stop, profile, readiness by
 * the edges themselves, budget, capacity by counting live runs, behind which the starts of one transaction are ranked.
 * Answers one row a start, with its verdict.
 *
 * With its locks and the way in six statements, one round trip, one commit, for all starts that arrive together
 * (`hot-calls.test.ts`; so the other hot calls).
 */
export function startRuns(
  starts: readonly Start[],
  { leaseSeconds, capabilitySeconds }: { leaseSeconds: number; capabilitySeconds: number },
): Statement<StartRow> {
  const organizations = sql.value(starts.map(({ organizationId }) => organizationId));
  return sql`
    with clock as materialized (
      select clock_timestamp() as now, clock_timestamp() + make_interval(secs => ${leaseSeconds}::int) as lease_until,
        clock_timestamp() + make_interval(secs => ${capabilitySeconds}::int) as capability_until),
    -- each start for itself
    judged as materialized (
      select c.place, c.organization_id, c.run_id, c.worker_id, c.token_hash, coalesce(c.boot_id, q.boot_id) as boot_id,
        q.id as request_id, q.task_id, q.agent_profile_id, q.mode, q.attempt_count, t.version,
        p.key, p.kind, p.department, p.catalog_revision, p.config #>> '{runtime,model}' as model,
        oc.max_live_runs as organization_limit, pc.max_live_runs as profile_limit,
        own.attempt as own_attempt, own.lease_expires_at as own_lease_expires_at, ${VERDICT} as verdict
      from clock cross join unnest(${organizations}::uuid[],
          ${starts.map(({ runRequestId }) => runRequestId)}::uuid[], ${starts.map(({ runId }) => runId)}::uuid[],
          ${starts.map(({ workerId }) => workerId)}::text[], ${starts.map(({ tokenHash }) => tokenHash)}::bytea[],
          ${starts.map(({ bootId }) => bootId)}::uuid[])
        with ordinality c(organization_id, request_id, run_id, worker_id, token_hash, boot_id, place)
      left join organization o on o.id = c.organization_id
      left join run_request q on q.organization_id = c.organization_id and q.id = c.request_id
      left join task t on t.organization_id = q.organization_id and t.id = q.task_id
      left join agent_profile p on p.organization_id = q.organization_id and p.id = q.agent_profile_id
      left join organization_capacity oc on oc.organization_id = c.organization_id
      left join profile_capacity pc on pc.organization_id = q.organization_id
        and pc.agent_profile_id = q.agent_profile_id
      left join run own on own.organization_id = c.organization_id and own.id = c.run_id),
    -- capacity: ranked behind the live runs, of a profile and then of the organization
    live as materialized (
      select r.organization_id, r.agent_profile_id, count(*) as runs from run r
      where r.organization_id = any(${organizations}::uuid[]) and ${LIVE}
      group by r.organization_id, r.agent_profile_id),
    within_profile as (
      select j.place, j.organization_id, j.organization_limit, j.profile_limit, coalesce(l.runs, 0) + row_number() over (
        partition by j.organization_id, j.agent_profile_id order by j.place) as nth
      from judged j
      left join live l on l.organization_id = j.organization_id and l.agent_profile_id = j.agent_profile_id
      where j.verdict = 'started'),
    within_organization as (
      select w.place, w.organization_limit,
        coalesce((select sum(l.runs) from live l where l.organization_id = w.organization_id), 0)
          + row_number() over (partition by w.organization_id order by w.place) as nth
      from within_profile w where w.nth <= w.profile_limit),
    decided as materialized (
      select j.*,
        case when j.verdict = 'started' and w.place is null then 'capacity_exceeded' else j.verdict end as decision
      from judged j left join within_organization w on w.place = j.place and w.nth <= w.organization_limit),
    -- what starts: run, request and task
    started as (
      insert into run (organization_id, id, task_id, run_request_id, agent_profile_id, attempt, mode, status,
        task_version, catalog_revision, model, worker_id, boot_id, lease_token_hash, lease_expires_at, heartbeat_at,
        capability_expires_at, started_at, created_at, updated_at)
      select d.organization_id, d.run_id, d.task_id, d.request_id, d.agent_profile_id, d.attempt_count + 1, d.mode,
        '${sql.raw(FIRST_RUN_STATUS)}', d.version + 1, d.catalog_revision, d.model, d.worker_id, d.boot_id,
        d.token_hash, clock.lease_until, clock.now, clock.capability_until, clock.now, clock.now, clock.now
      from decided d cross join clock where d.decision = 'started'),
    renewed as (
      update run r set capability_expires_at = clock.capability_until
      from decided d cross join clock
      where d.decision = 'replayed' and r.organization_id = d.organization_id and r.id = d.run_id),
    request as (
      update run_request q set status = ${REQUEST_STARTED}, attempt_count = q.attempt_count + 1,
        last_run_id = d.run_id, lapse_count = 0, claim_expires_at = null, updated_at = clock.now
      from decided d cross join clock
      where d.decision = 'started' and q.organization_id = d.organization_id and q.id = d.request_id),
    moved as (
      update task t set status = ${TASK_STARTED}, version = t.version + 1, agent_run_count = t.agent_run_count + 1,
        consumed_agent_run_count = t.consumed_agent_run_count + 1, blockers = '[]',
        started_at = coalesce(t.started_at, clock.now), updated_at = clock.now
      from decided d cross join clock
      where d.decision = 'started' and t.organization_id = d.organization_id and t.id = d.task_id)
    -- the answers
    select d.place, d.decision as verdict, d.agent_profile_id as "agentProfileId", d.task_id as "taskId", d.mode,
      d.key as "profileKey", d.kind as "profileKind", d.department,
      case when d.decision = 'started' then d.attempt_count + 1 else d.own_attempt end as attempt,
      case when d.decision = 'started' then clock.lease_until else d.own_lease_expires_at end as "leaseExpiresAt",
      clock.capability_until as "capabilityExpiresAt"
    from decided d cross join clock`;
}

/** Adds the capacity rows of an organization and of a request's profile that an older release made without. */
export function addCapacityRows({ organizationId, runRequestId }: Start): Statement[] {
  return [
    sql`
    insert into organization_capacity (organization_id) select o.id from organization o where o.id = ${organizationId}
    on conflict do nothing`,
    sql`
    insert into profile_capacity (organization_id, agent_profile_id)
    select q.organization_id, q.agent_profile_id from run_request q
    where q.organization_id = ${organizationId} and q.id = ${runRequestId}
    on conflict do nothing`,
  ];
}

/** The task of a claim, behind its fence: for a refusal that changes state in a transaction of its own. */
export function claimedTask({ organizationId, runRequestId, tokenHash }: Start): Statement<{ taskId: string }> {
  return sql`
    select q.task_id as "taskId" from run_request q
    where q.organization_id = ${organizationId} and q.id = ${runRequestId} and q.status = 'claimed'
      and q.claim_token_hash = ${tokenHash}`;
}

/** Ends a claim whose task moved on. */
export function endClaim(
  { organizationId, runRequestId, tokenHash }: Start,
  move: 'supersede' | 'endWithTask',
): Statement {
  return sql`
    update run_request set status = ${runRequestMoves.next(move, 'claimed')}, ${TOKEN_TAKEN},
      claim_expires_at = null, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${runRequestId} and status = 'claimed'
      and claim_token_hash = ${tokenHash}`;
}
