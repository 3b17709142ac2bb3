import { sql, type Statement } from '../../kernel/database/index.ts';
import { isOpenTask } from '../tasks/index.ts';

export interface CycleRow {
  readonly taskId: string;
  readonly identifier: string;
  readonly status: string;
}

/** A learning task of a profile. */
export function cycleOf(organizationId: string, taskId: string, agentProfileId: string): Statement<CycleRow> {
  return sql`
    select t.id as "taskId", t.identifier_scope || '-' || t.identifier_number as identifier, t.status from task t
    where t.organization_id = ${organizationId} and t.id = ${taskId} and t.kind = 'learning'
      and t.owner_agent_profile_id = ${agentProfileId}`;
}

/** The profile that a learning task is of, and now. */
export function profileOfCycle(organizationId: string, taskId: string): Statement<{ id: string; now: string }> {
  return sql`
    select t.owner_agent_profile_id as id, clock_timestamp() as now from task t
    where t.organization_id = ${organizationId} and t.id = ${taskId}`;
}

/** Notes that a profile has something to learn. */
export function requestCycle(organizationId: string, agentProfileId: string, at: string): Statement {
  return sql`
    insert into learning_refresh (organization_id, agent_profile_id, requested_at)
    values (${organizationId}, ${agentProfileId}, ${at})
    on conflict (organization_id, agent_profile_id) do update set requested_at = excluded.requested_at`;
}

/** Takes a profile's request, so that its answers so far are left to the cycle that begins; no row where another took it. */
export function takeRequest(organizationId: string, agentProfileId: string): Statement<{ requestedAt: string }> {
  return sql`
    delete from learning_refresh l where l.organization_id = ${organizationId} and l.agent_profile_id = ${agentProfileId}
    returning l.requested_at as "requestedAt"`;
}

export interface RequestedCycle {
  readonly organizationId: string;
  readonly agentProfileId: string;
}

const IS_OPEN = sql.raw(isOpenTask('t.status'));

/** Profiles that have something to learn and may begin now: enabled, work dispatched, without a cycle that lives. */
export function requestedCycles(after: RequestedCycle, limit: number): Statement<RequestedCycle> {
  return sql`
    select l.organization_id as "organizationId", l.agent_profile_id as "agentProfileId" from learning_refresh l
    join organization o on o.id = l.organization_id
    join agent_profile p on p.organization_id = l.organization_id and p.id = l.agent_profile_id
    where (l.organization_id, l.agent_profile_id) > (${after.organizationId}::uuid, ${after.agentProfileId}::uuid)
      and o.status = 'active' and o.work_dispatch_stopped_at is null
      and p.status = 'enabled' and p.deleted_at is null
      and not exists (select from task t where t.organization_id = l.organization_id
        and t.dedupe_key = 'learning:' || l.agent_profile_id and ${IS_OPEN})
    order by l.organization_id, l.agent_profile_id limit ${limit}`;
}
