import { ISO_NOW, statement, type Tx } from '../../../kernel/database/index.ts';
import { type Child, stalledChildren } from './stalled-children.ts';
import type { LockedTasks } from './task-locks.ts';
import { dependencyMoves, type DependencyFailureCode } from './task-dependency.state.ts';
import { type EndedTaskStatus, taskMoves } from '../task.state.ts';

export interface EndedPrerequisite {
  readonly id: string;
  readonly parentId: string | null;
  readonly status: EndedTaskStatus;
  /** Kinds of the artifacts that it completed with. */
  readonly artifactKinds: readonly string[];
}

/** SQL for the kinds of the artifacts that a task `t` completed with. */
export const ARTIFACT_KINDS = `array(select distinct a->>'kind' from jsonb_array_elements(
  case jsonb_typeof(t.result->'artifacts') when 'array' then t.result->'artifacts' else '[]' end) a)`;

export interface SettledEdge {
  readonly taskId: string;
  readonly dependsOnTaskId: string;
  readonly blocks: boolean;
}

const FAILURES: Readonly<Record<DependencyFailureCode, string>> = {
  prerequisite_failed: 'The prerequisite failed.',
  prerequisite_cancelled: 'The prerequisite was cancelled.',
  condition_unmet: 'The prerequisite completed without the artifact that was asked for.',
  prerequisite_blocked: 'The prerequisite waits for a task that failed; only a new plan can go on.',
};

/**
 * Settles the pending edges of tasks that have ended, for those dependents that the caller has locked. Answers which of
 * them thereby lost their last blocker and are `pending` now. Others are left to the sweep.
 */
export async function settleDependents(
  tx: Tx,
  organizationId: string,
  prerequisites: readonly EndedPrerequisite[],
  locked: LockedTasks,
): Promise<string[]> {
  const edges = await settleEdges(tx, organizationId, prerequisites, [...locked.keys()]);
  return releaseDependents(tx, organizationId, {
    edges,
    parentIds: prerequisites.map(({ parentId }) => parentId),
    locked,
  });
}

/**
 * Releases what waited for edges that were just settled. `parentIds` are those of the prerequisites. Answers the tasks
 * that are `pending` now.
 */
export async function releaseDependents(
  tx: Tx,
  organizationId: string,
  {
    edges,
    parentIds,
    locked,
  }: { edges: readonly SettledEdge[]; parentIds: readonly (string | null)[]; locked: LockedTasks },
): Promise<string[]> {
  const moved = await unblock(tx, organizationId, edges);
  const parents = new Set([
    ...parentIds,
    ...edges.filter(({ blocks }) => blocks).map(({ taskId }) => locked.get(taskId)?.parentId),
  ]);
  const lockedParents = [...parents].filter((id): id is string => id != null && locked.has(id));
  return [...moved, ...(await releaseStalledParents(tx, organizationId, lockedParents))];
}

/**
 * An edge `d` that is to be settled behind the end of its prerequisite `p`: a pending one, or one that a failure failed
 * and the retry behind it did not reach before the prerequisite completed.
 */
export const UNSETTLED = `(${dependencyMoves.permits('fail', 'd.status')}
  or p.status = 'completed' and ${dependencyMoves.permits('reopen', 'd.status')} and d.failure->>'code' = 'prerequisite_failed')`;

function settleEdges(
  tx: Tx,
  organizationId: string,
  prerequisites: readonly EndedPrerequisite[],
  taskIds: readonly string[],
): Promise<SettledEdge[]> {
  const ended = prerequisites.map(({ id, status, artifactKinds }) => ({
    id,
    status,
    artifactKinds,
    failure: failureOf(FAILURE_BY_END[status]),
  }));
  return tx.rows(
    statement<SettledEdge>(
      `with settled as materialized (
         select d.task_id, d.depends_on_task_id, d.required, p.failure, clock_timestamp() as at,
           p.status = 'completed' and (d.condition->>'kind' = 'completion' or p.artifact_kinds ? (d.condition->>'artifactKind')) as met
         from (select e.id, e.status, e."artifactKinds" as artifact_kinds, e.failure
               from jsonb_to_recordset($2::jsonb) e(id uuid, status text, "artifactKinds" jsonb, failure jsonb)) p
         join task_dependency d on d.organization_id = $1 and d.depends_on_task_id = p.id and ${UNSETTLED}
         where d.task_id = any($3::uuid[])),
       moved as (
         update task_dependency d set
           status = case when s.met then ${dependencyMoves.moved('satisfy', 'd.status')} else ${dependencyMoves.moved('miss', 'd.status')} end,
           satisfied_at = case when s.met then s.at end, failed_at = case when not s.met then s.at end,
           failure = case when not s.met then s.failure end
         from settled s
         where d.organization_id = $1 and d.task_id = s.task_id and d.depends_on_task_id = s.depends_on_task_id)
       select s.task_id as "taskId", s.depends_on_task_id as "dependsOnTaskId", s.required and not s.met as blocks from settled s`,
      organizationId,
      JSON.stringify(ended),
      taskIds,
    ),
  );
}

const FAILURE_BY_END: Readonly<Record<EndedTaskStatus, DependencyFailureCode>> = {
  completed: 'condition_unmet',
  failed: 'prerequisite_failed',
  cancelled: 'prerequisite_cancelled',
};

function failureOf(code: DependencyFailureCode) {
  return { code, message: FAILURES[code] };
}

/** What a failed edge tells, as JSON. */
export function edgeFailure(code: DependencyFailureCode): string {
  return JSON.stringify(failureOf(code));
}

/**
 * Takes the blockers of settled edges from their tasks; that of a required edge that failed stays, as
 * `dependency_failed`. Answers the tasks whose last blocker went: read from the UPDATE of the task's own row, never from
 * a query over edges, since two prerequisites that end at once would each still see the other's.
 */
export async function unblock(tx: Tx, organizationId: string, edges: readonly SettledEdge[]): Promise<string[]> {
  if (edges.length === 0) return [];
  const rows = await tx.rows(
    statement<{ id: string; status: string }>(
      // An update applies one match a row, so the edges of one task are gathered first.
      `with settled as (
         select e.task_id, jsonb_object_agg(e.depends_on, e.blocks) as edges
         from unnest($2::uuid[], $3::text[], $4::boolean[]) e(task_id, depends_on, blocks) group by e.task_id)
       update task t set blockers = next.blockers,
         status = case when next.blockers = '[]' then ${taskMoves.moved('unblock', 't.status')} else t.status end,
         version = t.version + 1, updated_at = clock_timestamp()
       from settled s cross join lateral (
         select coalesce(jsonb_agg(
           case when s.edges ? (b->>'dependsOnTaskId') and b->>'kind' = 'dependency'
             then jsonb_build_object('kind', 'dependency_failed', 'dependsOnTaskId', b->>'dependsOnTaskId', 'since', ${ISO_NOW})
             else b end order by n)
           filter (where not (coalesce(b->>'kind' in ('dependency', 'dependency_failed'), false)
             and coalesce(not (s.edges->>(b->>'dependsOnTaskId'))::boolean, false))), '[]') as blockers
         from task own cross join lateral jsonb_array_elements(own.blockers) with ordinality e(b, n)
         where own.organization_id = $1 and own.id = s.task_id) next
       where t.organization_id = $1 and t.id = s.task_id and ${taskMoves.permits('unblock', 't.status')}
       returning t.id, t.status`,
      organizationId,
      edges.map(({ taskId }) => taskId),
      edges.map(({ dependsOnTaskId }) => dependsOnTaskId),
      edges.map(({ blocks }) => blocks),
    ),
  );
  return rows.filter(({ status }) => status === 'pending').map(({ id }) => id);
}

/**
 * A parent waits for its children without requiring them. When those that are left wait for a failed one, nothing would
 * ever move: their edges fail, and the parent gets a run in which it can plan anew.
 */
async function releaseStalledParents(tx: Tx, organizationId: string, parentIds: readonly string[]): Promise<string[]> {
  if (parentIds.length === 0) return [];
  const rows = await tx.rows(
    statement<Child & { parentId: string }>(
      `select c.id, c.status, c.blockers, d.task_id as "parentId"
       from task_dependency d join task c on c.organization_id = d.organization_id and c.id = d.depends_on_task_id
       where d.organization_id = $1 and d.task_id = any($2::uuid[]) and d.status = 'pending' and not d.required
         and c.parent_id = d.task_id`,
      organizationId,
      parentIds,
    ),
  );
  const released: string[] = [];
  for (const [parentId, children] of Map.groupBy(rows, (row) => row.parentId)) {
    const stalled = stalledChildren(children);
    if (stalled.size < children.length) continue;
    const failed = await tx.rows(
      statement<SettledEdge>(
        `update task_dependency set status = ${dependencyMoves.moved('fail', 'status')}, failed_at = clock_timestamp(), failure = $4::jsonb
         where organization_id = $1 and task_id = $2 and depends_on_task_id = any($3::uuid[]) and ${dependencyMoves.permits('fail', 'status')}
         returning task_id as "taskId", depends_on_task_id as "dependsOnTaskId", false as blocks`,
        organizationId,
        parentId,
        [...stalled],
        edgeFailure('prerequisite_blocked'),
      ),
    );
    released.push(...(await unblock(tx, organizationId, failed)));
  }
  return released;
}
