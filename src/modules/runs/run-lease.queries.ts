import { type Statement, statement } from '../../kernel/database/index.ts';
import { hintReady, UNCLAIMED } from '../tasks/index.ts';
import type { RunProfile } from './execution-tokens.ts';

/** The fence of every call on a run, of `run r`; parameters 1 to 3 are organization, run and token hash. */
export const RUN_FENCE = `r.organization_id = $1 and r.id = $2 and r.lease_token_hash = $3
  and r.lease_expires_at > clock_timestamp() and r.status in ('starting', 'running')`;

export interface RunFence {
  readonly organizationId: string;
  readonly runId: string;
  readonly tokenHash: Buffer;
}

export interface Workplace {
  readonly harness: string;
  readonly model: string;
  readonly workspaceUri: string;
}

/**
 * Notes that a run is running, and where. Answers whether it moved (a repeat of the same moves nothing new) and whether
 * the fence held; no row is a lapsed lease.
 *
 * One statement behind the way in (two), one round trip, one commit.
 */
export function markRunning(
  fence: RunFence,
  { harness, model, workspaceUri }: Workplace,
): Statement<{ moved: boolean }> {
  return statement(
    `with held as materialized (
       select r.status = 'starting' or (r.harness, r.model, r.workspace_uri) = ($4::text, $5::text, $6::text) as moved
       from run r where ${RUN_FENCE} for no key update),
     moved as (
       update run r set status = 'running', harness = $4, model = $5, workspace_uri = $6,
         updated_at = case when r.status = 'running' then r.updated_at else clock_timestamp() end
       from held where held.moved and r.organization_id = $1 and r.id = $2)
     select held.moved from held`,
    fence.organizationId,
    fence.runId,
    fence.tokenHash,
    harness,
    model,
    workspaceUri,
  );
}

export interface HeartbeatRow extends RunProfile {
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
 * Renews a lease; writes the run's row alone, in place (none of the columns is in an index). The facts beside it are read
 * as they stand. No row is a lapsed lease.
 *
 * One statement behind the way in (two), one round trip, one commit.
 */
export function beat(
  fence: RunFence,
  { leaseSeconds, capabilitySeconds }: { leaseSeconds: number; capabilitySeconds: number },
): Statement<HeartbeatRow> {
  return statement(
    `update run r set heartbeat_at = clock_timestamp(),
       lease_expires_at = clock_timestamp() + make_interval(secs => $4::int),
       capability_expires_at = case when before.due then clock_timestamp() + make_interval(secs => $5::int)
                                    else r.capability_expires_at end
     from (select b.capability_expires_at < clock_timestamp() + make_interval(secs => $5::int) / 2 as due
           from run b where b.organization_id = $1 and b.id = $2) before,
       organization o, task t, agent_profile p
     where ${RUN_FENCE} and o.id = $1 and t.organization_id = $1 and t.id = r.task_id
       and p.organization_id = $1 and p.id = r.agent_profile_id
     returning r.agent_profile_id as "agentProfileId", r.mode, r.attempt, r.lease_expires_at as "leaseExpiresAt",
       before.due as renewed, r.capability_expires_at as "capabilityExpiresAt",
       p.key as "profileKey", p.kind as "profileKind", p.department,
       r.cancel_requested_at is not null as "cancelRequested",
       o.work_dispatch_stopped_at is not null as "workDispatchStopped", o.authorization_epoch as "authorizationEpoch",
       greatest(t.max_agent_runs - t.consumed_agent_run_count, 0) as "agentRuns",
       greatest(t.max_attempts_per_phase - case t.phase when 'plan' then t.plan_failures
         when 'verify' then t.verify_failures else t.execute_failures end, 0) as "attemptsInPhase",
       greatest(t.max_replans - greatest(t.plan_count - 1, 0), 0) as replans, t.max_actions as actions`,
    fence.organizationId,
    fence.runId,
    fence.tokenHash,
    leaseSeconds,
    capabilitySeconds,
  );
}

export interface ReleaseRow {
  readonly released: boolean;
  readonly started: boolean;
}

/**
 * Gives a claim back and hints at it. Always answers one row. One statement behind the way in (two), one round trip,
 * one commit.
 */
export function releaseClaim(organizationId: string, runRequestId: string, tokenHash: Buffer): Statement<ReleaseRow> {
  return statement(
    `with released as (
       update run_request q set status = 'queued', release_count = q.release_count + 1, lapse_count = 0, ${UNCLAIMED},
         updated_at = clock_timestamp()
       where q.organization_id = $1 and q.id = $2 and q.status = 'claimed' and q.claim_token_hash = $3
         and q.claim_expires_at > clock_timestamp()
       returning q.organization_id),
     hinted as (${hintReady('released')})
     select exists (select from released) as released,
       exists (select from run_request q where q.organization_id = $1 and q.id = $2 and q.status = 'running'
         and q.claim_token_hash = $3) as started`,
    organizationId,
    runRequestId,
    tokenHash,
  );
}
