import { type Statement, statement } from '../../kernel/database/index.ts';
import type { RunProfile } from './execution-tokens.ts';

export interface Start {
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly runId: string;
  readonly workerId: string;
  readonly bootId: string | null;
  readonly tokenHash: Buffer;
  readonly leaseSeconds: number;
  readonly capabilitySeconds: number;
}

/** What became of a start. All but the first two moved nothing. */
export type StartVerdict =
  | 'started'
  | 'replayed'
  | 'lease_expired'
  | 'load_missing'
  | 'run_id_in_use'
  | 'task_ended'
  | 'task_not_due'
  | 'task_blocked'
  | 'budget_exhausted'
  | 'work_dispatch_stopped'
  | 'profile_disabled'
  | 'capacity_exceeded';

export interface StartRow extends RunProfile {
  readonly verdict: StartVerdict;
  readonly agentProfileId: string;
  readonly taskId: string;
  readonly mode: 'plan' | 'execute' | 'verify';
  readonly attempt: number;
  readonly leaseExpiresAt: string;
  readonly capabilityExpiresAt: string;
}

const LIVE = `in ('starting', 'running')`;
const REQUEST = 'select q.agent_profile_id from run_request q where q.organization_id = $1 and q.id = $2';
const TASK = 'select q.task_id from run_request q where q.organization_id = $1 and q.id = $2';

/** The locks of a start, in the order of all locks; each in a statement of its own, before the one that decides. */
export function startLocks({ organizationId, runRequestId }: Start): Statement[] {
  return [
    statement(`select from organization_load where organization_id = $1 for no key update`, organizationId),
    statement(
      `select from profile_load where organization_id = $1 and agent_profile_id = (${REQUEST}) for no key update`,
      organizationId,
      runRequestId,
    ),
    statement(
      `select from task where organization_id = $1 and id = (${TASK}) for no key update`,
      organizationId,
      runRequestId,
    ),
    statement(
      `select from run_request where organization_id = $1 and id = $2 for no key update`,
      organizationId,
      runRequestId,
    ),
  ];
}

/**
 * Decides and moves, with a snapshot taken after the locks: fence, stop, profile, readiness by the edges themselves,
 * budget, capacity by counting live runs. Always answers one row; the verdict says what it is.
 *
 * With its locks and the way into the organization seven statements, one round trip, one commit (`hot-calls.test.ts`; so
 * the other hot calls).
 */
export function moveStart(start: Start): Statement<StartRow> {
  return statement(
    `with clock as materialized (select clock_timestamp() as now),
     facts as materialized (
       select q.id as request_id, q.task_id, q.agent_profile_id, q.mode, q.attempt_count, q.boot_id,
         t.version, t.status as task_status, t.blockers, t.scheduled_at, t.consumed_agent_run_count, t.max_agent_runs,
         o.work_dispatch_stopped_at, p.key, p.kind, p.department, p.status as profile_status, p.deleted_at,
         p.catalog_revision, p.config #>> '{runtime,model}' as model,
         load.max_live_runs as organization_limit, profile_load.max_live_runs as profile_limit,
         o.status = 'active' and q.status = 'claimed' and q.claim_token_hash = $5 and q.claim_expires_at > clock.now as fenced,
         own.id is not null as run_exists,
         own.run_request_id = q.id and own.lease_token_hash = $5 and own.worker_id = $4 and own.status ${LIVE}
           and own.lease_expires_at > clock.now as replayed,
         own.attempt as own_attempt, own.lease_expires_at as own_lease_expires_at
       from clock
       left join organization o on o.id = $1
       left join run_request q on q.organization_id = $1 and q.id = $2
       left join task t on t.organization_id = $1 and t.id = q.task_id
       left join agent_profile p on p.organization_id = $1 and p.id = q.agent_profile_id
       left join organization_load load on load.organization_id = $1
       left join profile_load on profile_load.organization_id = $1 and profile_load.agent_profile_id = q.agent_profile_id
       left join run own on own.organization_id = $1 and own.id = $3),
     judged as materialized (
       select f.*, case
         when f.replayed then 'replayed'
         when f.fenced is not true then 'lease_expired'
         when f.organization_limit is null or f.profile_limit is null then 'load_missing'
         when f.run_exists then 'run_id_in_use'
         when f.task_status not in ('pending', 'running', 'blocked') then 'task_ended'
         when f.scheduled_at > clock.now then 'task_not_due'
         when exists (select from jsonb_array_elements(f.blockers) b where b->>'kind' <> 'dependency')
           or exists (select from task_dependency d where d.organization_id = $1 and d.task_id = f.task_id
                        and d.required and d.status not in ('satisfied', 'waived')) then 'task_blocked'
         when f.consumed_agent_run_count >= f.max_agent_runs then 'budget_exhausted'
         when f.work_dispatch_stopped_at is not null then 'work_dispatch_stopped'
         when f.profile_status <> 'enabled' or f.deleted_at is not null then 'profile_disabled'
         when (select count(*) from run r where r.organization_id = $1 and r.status ${LIVE}) >= f.organization_limit
           or (select count(*) from run r where r.organization_id = $1 and r.status ${LIVE}
                 and r.agent_profile_id = f.agent_profile_id) >= f.profile_limit then 'capacity_exceeded'
         else 'started' end as verdict
       from facts f cross join clock),
     started as (
       insert into run (organization_id, id, task_id, run_request_id, agent_profile_id, attempt, mode, status, task_version,
         catalog_revision, model, worker_id, boot_id, lease_token_hash, lease_expires_at, heartbeat_at,
         capability_expires_at, started_at, created_at, updated_at)
       select $1, $3, j.task_id, j.request_id, j.agent_profile_id, j.attempt_count + 1, j.mode, 'starting', j.version + 1,
         j.catalog_revision, j.model, $4, coalesce($6::uuid, j.boot_id), $5, clock.now + make_interval(secs => $7::int), clock.now,
         clock.now + make_interval(secs => $8::int), clock.now, clock.now, clock.now
       from judged j cross join clock where j.verdict = 'started'
       returning attempt, lease_expires_at, capability_expires_at),
     renewed as (
       update run r set capability_expires_at = clock.now + make_interval(secs => $8::int)
       from judged j cross join clock
       where j.verdict = 'replayed' and r.organization_id = $1 and r.id = $3
       returning r.capability_expires_at),
     request as (
       update run_request q set status = 'running', attempt_count = q.attempt_count + 1, last_run_id = $3, lapse_count = 0,
         claim_expires_at = null, updated_at = clock.now
       from judged j cross join clock
       where j.verdict = 'started' and q.organization_id = $1 and q.id = j.request_id),
     moved as (
       update task t set status = 'running', version = t.version + 1, agent_run_count = t.agent_run_count + 1,
         consumed_agent_run_count = t.consumed_agent_run_count + 1, blockers = '[]',
         started_at = coalesce(t.started_at, clock.now), updated_at = clock.now
       from judged j cross join clock
       where j.verdict = 'started' and t.organization_id = $1 and t.id = j.task_id)
     select j.verdict, j.agent_profile_id as "agentProfileId", j.task_id as "taskId", j.mode,
       j.key as "profileKey", j.kind as "profileKind", j.department,
       coalesce(s.attempt, j.own_attempt) as attempt,
       coalesce(s.lease_expires_at, j.own_lease_expires_at) as "leaseExpiresAt",
       coalesce(s.capability_expires_at, n.capability_expires_at) as "capabilityExpiresAt"
     from judged j left join started s on true left join renewed n on true`,
    start.organizationId,
    start.runRequestId,
    start.runId,
    start.workerId,
    start.tokenHash,
    start.bootId,
    start.leaseSeconds,
    start.capabilitySeconds,
  );
}

/** Adds the load rows of an organization and of a request's profile that an older release made without. */
export function addLoadRows({ organizationId, runRequestId }: Start): Statement[] {
  return [
    statement(
      `insert into organization_load (organization_id) select o.id from organization o where o.id = $1 on conflict do nothing`,
      organizationId,
    ),
    statement(
      `insert into profile_load (organization_id, agent_profile_id)
       select q.organization_id, q.agent_profile_id from run_request q where q.organization_id = $1 and q.id = $2
       on conflict do nothing`,
      organizationId,
      runRequestId,
    ),
  ];
}

/** The fence of a claim once more, for a refusal that changes state in a transaction of its own. */
export function claimedTask({ organizationId, runRequestId, tokenHash }: Start): Statement<{ taskId: string }> {
  return statement(
    `select q.task_id as "taskId" from run_request q
     where q.organization_id = $1 and q.id = $2 and q.status = 'claimed' and q.claim_token_hash = $3`,
    organizationId,
    runRequestId,
    tokenHash,
  );
}

/** Ends a claim whose task moved on. */
export function endClaim(
  { organizationId, runRequestId, tokenHash }: Start,
  status: 'superseded' | 'cancelled',
): Statement {
  return statement(
    `update run_request set status = $4, claim_token_hash = null, claim_expires_at = null, updated_at = clock_timestamp()
     where organization_id = $1 and id = $2 and status = 'claimed' and claim_token_hash = $3`,
    organizationId,
    runRequestId,
    tokenHash,
    status,
  );
}
