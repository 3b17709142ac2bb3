import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';

/** The limits of an organization on its trees. */
export interface TreeLimits {
  readonly maxTaskDepth: number;
  readonly maxInitiativeDescendants: number;
}

export function treeLimits(organizationId: string): Statement<TreeLimits> {
  return sql`
    select max_task_depth as "maxTaskDepth", max_initiative_descendants as "maxInitiativeDescendants"
    from organization where id = ${organizationId}`;
}

/** Counts the tasks below a locked root, and keeps the count. */
export function countDescendants(organizationId: string, rootTaskId: string): Statement<{ descendants: number }> {
  const organization = sql.value(organizationId);
  const root = sql.value(rootTaskId);
  return sql`
    with counted as materialized (
      select count(*)::int - 1 as descendants from task
      where organization_id = ${organization} and root_task_id = ${root}),
    kept as (
      update task t set descendant_count = c.descendants
      from counted c where t.organization_id = ${organization} and t.id = ${root})
    select descendants from counted`;
}

/** Inserts tasks with their dependencies as blockers. Each row has the properties that the last list names. */
export function insertTasks(organizationId: string, rows: readonly object[]): Statement {
  return sql`
    insert into task (organization_id, id, identifier_scope, identifier_number, parent_id, root_task_id, depth,
      owner_agent_profile_id, source_chat_id, source_message_id, created_by_run_id, kind, status, phase, title,
      priority, max_agent_runs, max_attempts_per_phase, max_replans, max_actions, verification, spec, blockers, dedupe_key,
      scheduled_at, due_at, descendant_count)
    select ${organizationId}, t.id, t.scope, t.number, t."parentId", t."rootTaskId", t.depth,
      t."ownerAgentProfileId", t."sourceChatId", t."sourceMessageId", t."createdByRunId", t.kind,
      case when t.prerequisites = '[]' then 'pending' else 'blocked' end, t.phase, t.title, t.priority,
      t."maxAgentRuns", t."maxAttemptsPerPhase", t."maxReplans", t."maxActions", t.verification, t.spec,
      (select coalesce(jsonb_agg(
         jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', p, 'since', ${sql.raw(ISO_NOW)})), '[]')
       from jsonb_array_elements(t.prerequisites) p),
      t."dedupeKey", t."scheduledAt", t."dueAt", case when t."parentId" is null then 0 end
    -- the rows, one object each
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) t(id uuid, scope text, number int, "parentId" uuid,
      "rootTaskId" uuid, depth int, "ownerAgentProfileId" uuid, "sourceChatId" uuid, "sourceMessageId" uuid,
      "createdByRunId" uuid, kind text, phase text, title text, priority int, "maxAgentRuns" int,
      "maxAttemptsPerPhase" int, "maxReplans" int, "maxActions" int, verification text, spec jsonb,
      prerequisites jsonb, "dedupeKey" text, "scheduledAt" timestamptz, "dueAt" timestamptz)`;
}
