import { ISO_NOW, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Child } from './stalled-children.ts';
import { dependencyMoves } from './task-dependency.state.ts';
import { type EndedTaskStatus, taskMoves } from '../task.state.ts';

const MET = sql.raw(dependencyMoves.moved('satisfy', 'd.status'));
const MISSED = sql.raw(dependencyMoves.moved('miss', 'd.status'));
const FAIL = {
  permitted: sql.raw(dependencyMoves.permits('fail', 'status')),
  status: sql.raw(dependencyMoves.moved('fail', 'status')),
};
const UNBLOCK = {
  permitted: sql.raw(taskMoves.permits('unblock', 't.status')),
  status: sql.raw(taskMoves.moved('unblock', 't.status')),
};
const NOW = sql.raw(ISO_NOW);

/** SQL for the kinds of the artifacts that a task `t` completed with. */
export const ARTIFACT_KINDS = sql`array(select distinct a->>'kind' from jsonb_array_elements(
      case when jsonb_typeof(t.result->'artifacts') = 'array' then t.result->'artifacts' else '[]' end) a)`;

/**
 * Condition of an edge `d` that the end of its prerequisite `p` is to settle: a pending one, or one that a failure
 * failed and the retry behind it did not reach before the prerequisite completed.
 */
export const UNSETTLED: Sql = sql`(${sql.raw(dependencyMoves.permits('fail', 'd.status'))}
      or p.status = 'completed' and ${sql.raw(dependencyMoves.permits('reopen', 'd.status'))}
        and d.failure->>'code' = 'prerequisite_failed')`;

export interface SettledEdge {
  readonly taskId: string;
  readonly dependsOnTaskId: string;
  readonly blocks: boolean;
}

/** A prerequisite that ended, and the failure that an unmet edge to it keeps. */
export interface SettlingEnd {
  readonly id: string;
  readonly status: EndedTaskStatus;
  readonly artifactKinds: readonly string[];
  readonly failure: object;
}

/** Settles the edges of these dependents, which are locked, to prerequisites that have ended. */
export function settleEdges(
  organizationId: string,
  ends: readonly SettlingEnd[],
  taskIds: readonly string[],
): Statement<SettledEdge> {
  const organization = sql.value(organizationId);
  return sql`
    -- the edges to settle, and whether each one's condition is met
    with settled as materialized (
      select d.task_id, d.depends_on_task_id, d.required, p.failure, clock_timestamp() as at,
        p.status = 'completed'
          and (d.condition->>'kind' = 'completion' or p.artifact_kinds ? (d.condition->>'artifactKind')) as met
      from (select e.id, e.status, e."artifactKinds" as artifact_kinds, e.failure
            from jsonb_to_recordset(${JSON.stringify(ends)}::jsonb)
              e(id uuid, status text, "artifactKinds" jsonb, failure jsonb)) p
      join task_dependency d on d.organization_id = ${organization} and d.depends_on_task_id = p.id and ${UNSETTLED}
      where d.task_id = any(${taskIds}::uuid[])),
    moved as (
      update task_dependency d set status = case when s.met then ${MET} else ${MISSED} end,
        satisfied_at = case when s.met then s.at end, failed_at = case when not s.met then s.at end,
        failure = case when not s.met then s.failure end
      from settled s
      where d.organization_id = ${organization} and d.task_id = s.task_id
        and d.depends_on_task_id = s.depends_on_task_id)
    -- an edge that is required and was not met goes on blocking
    select s.task_id as "taskId", s.depends_on_task_id as "dependsOnTaskId", s.required and not s.met as blocks
    from settled s`;
}

/**
 * Takes the blockers of settled edges from their tasks; that of a required edge that failed stays, as
 * `dependency_failed`. Answers each task with its status behind the move.
 */
export function unblockTasks(
  organizationId: string,
  edges: readonly SettledEdge[],
): Statement<{ id: string; status: string }> {
  const organization = sql.value(organizationId);
  const taskIds = edges.map(({ taskId }) => taskId);
  const prerequisites = edges.map(({ dependsOnTaskId }) => dependsOnTaskId);
  const blocking = edges.map(({ blocks }) => blocks);
  return sql`
    -- the edges of one task together, since an update applies one match a row
    with settled as (
      select e.task_id, jsonb_object_agg(e.depends_on, e.blocks) as edges
      from unnest(${taskIds}::uuid[], ${prerequisites}::text[], ${blocking}::boolean[]) e(task_id, depends_on, blocks)
      group by e.task_id)
    update task t set blockers = next.blockers,
      status = case when next.blockers = '[]' then ${UNBLOCK.status} else t.status end,
      version = t.version + 1, updated_at = clock_timestamp()
    -- the blockers that are left, in their order
    from settled s cross join lateral (
      select coalesce(jsonb_agg(
        case when s.edges ? (b->>'dependsOnTaskId') and b->>'kind' = 'dependency'
          then jsonb_build_object('kind', 'dependency_failed', 'dependsOnTaskId', b->>'dependsOnTaskId',
            'since', ${NOW})
          else b end order by n)
        filter (where not (coalesce(b->>'kind' in ('dependency', 'dependency_failed'), false)
          and coalesce(not (s.edges->>(b->>'dependsOnTaskId'))::boolean, false))), '[]') as blockers
      from task own cross join lateral jsonb_array_elements(own.blockers) with ordinality e(b, n)
      where own.organization_id = ${organization} and own.id = s.task_id) next
    where t.organization_id = ${organization} and t.id = s.task_id and ${UNBLOCK.permitted}
    returning t.id, t.status`;
}

/** Children of parents that wait for them without requiring them. */
export function unsettledChildren(
  organizationId: string,
  parentIds: readonly string[],
): Statement<Child & { readonly parentId: string }> {
  return sql`
    select c.id, c.status, c.blockers, d.task_id as "parentId"
    from task_dependency d join task c on c.organization_id = d.organization_id and c.id = d.depends_on_task_id
    where d.organization_id = ${organizationId} and d.task_id = any(${parentIds}::uuid[]) and d.status = 'pending'
      and not d.required and c.parent_id = d.task_id`;
}

/** Fails the edges of a parent to children that only a new plan can move. */
export function failChildEdges(
  organizationId: string,
  parentId: string,
  children: readonly string[],
  failure: string,
): Statement<SettledEdge> {
  return sql`
    update task_dependency set status = ${FAIL.status}, failed_at = clock_timestamp(), failure = ${failure}::jsonb
    where organization_id = ${organizationId} and task_id = ${parentId}
      and depends_on_task_id = any(${children}::uuid[]) and ${FAIL.permitted}
    returning task_id as "taskId", depends_on_task_id as "dependsOnTaskId", false as blocks`;
}
