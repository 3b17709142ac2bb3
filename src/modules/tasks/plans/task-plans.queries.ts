import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';

/** What a plan takes from the task that plans, and from the profile that owns it. */
export interface Planner {
  readonly sourceChatId: string | null;
  readonly sourceMessageId: string | null;
  readonly department: string | null;
  readonly ownerAgentProfileId: string;
}

export function plannerOf(organizationId: string, taskId: string): Statement<Planner> {
  return sql`
    select t.source_chat_id as "sourceChatId", t.source_message_id as "sourceMessageId", p.department,
      p.id as "ownerAgentProfileId"
    from task t join agent_profile p on p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
    where t.organization_id = ${organizationId} and t.id = ${taskId}`;
}

export const BEGIN_TRIAL: Statement = sql`savepoint plan`;
export const UNDO_TRIAL: Statement = sql`rollback to savepoint plan`;

export function planLimits(organizationId: string): Statement<{ maxPlanOperations: number }> {
  return sql`select max_plan_operations as "maxPlanOperations" from organization where id = ${organizationId}`;
}

/** Blocks a planning task on its children that are not settled, and counts the plan. */
export function blockOnChildren(organizationId: string, plannerId: string): Statement<{ open: boolean }> {
  const organization = sql.value(organizationId);
  const planner = sql.value(plannerId);
  return sql`
    -- a blocker for each child that is not settled
    with open as (
      select coalesce(jsonb_agg(
        jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', d.depends_on_task_id, 'since', ${sql.raw(ISO_NOW)})
        order by d.depends_on_task_id), '[]') as blockers
      from task_dependency d join task c on c.organization_id = d.organization_id and c.id = d.depends_on_task_id
      where d.organization_id = ${organization} and d.task_id = ${planner} and d.status = 'pending'
        and c.parent_id = d.task_id)
    update task t
    set plan_count = t.plan_count + 1, blockers = t.blockers || o.blockers, updated_at = clock_timestamp()
    from open o where t.organization_id = ${organization} and t.id = ${planner}
    returning o.blockers <> '[]' as open`;
}
