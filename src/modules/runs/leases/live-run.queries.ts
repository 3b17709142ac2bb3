import type { BoundTo, ExecutionPrincipal, ExecutionState, HeldTaskRun } from '../../../kernel/auth/index.ts';
import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import { isLiveRun } from '../run.state.ts';

/** Condition of a run `r` whose worker may still act for it. */
const LIVES = sql`${sql.raw(isLiveRun('r.status'))} and ${isUnlapsed('run', 'r.lease_expires_at')}`;

/** Locks a live run, shared; answers the profile that it runs for. */
export function lockRun(organizationId: string, runId: string): Statement<{ readonly agentProfileId: string }> {
  return sql`
    select r.agent_profile_id as "agentProfileId" from run r
    where r.organization_id = ${organizationId} and r.id = ${runId} and ${LIVES}
    for share`;
}

/** The task that a run works on. */
export function taskOfRun({ organizationId, executionId }: ExecutionPrincipal): Statement<BoundTo> {
  return sql`
    select r.task_id as "taskId" from run r where r.organization_id = ${organizationId} and r.id = ${executionId}`;
}

/** Locks the live run of an execution, shared. */
export function lockCallingRun(execution: ExecutionPrincipal): Statement<HeldTaskRun> {
  return sql`
    select 'task_run' as execution, r.task_id as "taskId", t.version as "taskVersion", r.mode
    from run r join task t on t.organization_id = r.organization_id and t.id = r.task_id
    where r.organization_id = ${execution.organizationId} and r.id = ${execution.executionId}
      and r.attempt = ${execution.generation} and ${LIVES}
    for share of r`;
}

/**
 * The state of an execution, read without a lock, which would turn each read of an agent into a write. Calls that must
 * not land behind the end of their run hold it.
 */
export function executionState(execution: ExecutionPrincipal): Sql<ExecutionState> {
  return sql`
    select p.deleted_at is null as alive, p.status = 'enabled' as enabled, true as permitted
    from run r join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
    where r.organization_id = ${execution.organizationId} and r.id = ${execution.executionId}
      and r.attempt = ${execution.generation} and ${LIVES}`;
}

const LIVE = sql.raw(isLiveRun('status'));

export function liveRunCount(organizationId: string): Statement<{ runningRuns: number }> {
  return sql`
    select count(*)::int as "runningRuns" from run where organization_id = ${organizationId} and ${LIVE}`;
}

/** Ends the leases of a profile's runs: at a time that precedes every outage, so that none gives them back. */
export function endLeasesOf(organizationId: string, agentProfileId: string): Statement {
  return sql`
    update run set lease_expires_at = 'epoch'
    where organization_id = ${organizationId} and agent_profile_id = ${agentProfileId} and ${LIVE}`;
}
