import { sql, type Statement, statement } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { actorColumns, type Actor, insertActivity } from '../../organizations/index.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import { isOpenTask, taskMoves } from '../task.state.ts';
import { MAX_DEPENDENTS, type DependentTask } from '../graph/task-locks.queries.ts';

/** Parts of a cancellation, each one statement for all of its tasks. The second parameter is their ids. */

/**
 * Plans with the values at hand: a plan made for whatever number of ids compares each edge with each of them (10,000
 * tasks with 10,000 edges among them: more than a minute).
 */
export const PLAN_FOR_SIZE = statement(`select set_config('plan_cache_mode', 'force_custom_plan', true)`);

/** Tasks and their descendants that have not ended, by id. The ended ones between are walked through. */
export function openTreesOf(organizationId: string, taskIds: readonly string[]): Statement<DependentTask> {
  return statement(
    `with recursive tree (id, parent_id, status) as (
       select t.id, t.parent_id, t.status from task t where t.organization_id = $1 and t.id = any($2::uuid[])
       union
       select c.id, c.parent_id, c.status from tree p join task c on c.organization_id = $1 and c.parent_id = p.id)
     select id, parent_id as "parentId" from tree where ${isOpenTask('status')} order by id`,
    organizationId,
    taskIds,
  );
}

/** How many tasks trees have, ended ones too; counted up to `limit`. */
export function sizeOfTrees(
  organizationId: string,
  taskIds: readonly string[],
  limit: number,
): Statement<{ tasks: number }> {
  return statement(
    `with recursive tree (id) as (
       select t.id from task t where t.organization_id = $1 and t.id = any($2::uuid[])
       union
       select c.id from tree p join task c on c.organization_id = $1 and c.parent_id = p.id)
     select count(*)::int as tasks from (select from tree limit $3) counted`,
    organizationId,
    taskIds,
    limit,
  );
}

/** Whether a task is another one or an ancestor of it. */
export function isSelfOrAncestor(organizationId: string, taskId: string, otherId: string): Statement {
  return statement(
    `with recursive line (id, parent_id) as (
       select t.id, t.parent_id from task t where t.organization_id = $1 and t.id = $3
       union all
       select p.id, p.parent_id from line l join task p on p.organization_id = $1 and p.id = l.parent_id)
     select from line where id = $2`,
    organizationId,
    taskId,
    otherId,
  );
}

/** Tasks that wait for these and are none of them, as many as one transaction settles. */
export function dependentsOutside(organizationId: string, taskIds: readonly string[]): Statement<DependentTask> {
  return statement(
    `select distinct t.id, t.parent_id as "parentId"
     from unnest($2::uuid[]) ended(id)
     join task_dependency d on d.organization_id = $1 and d.depends_on_task_id = ended.id and d.status = 'pending'
     join task t on t.organization_id = $1 and t.id = d.task_id
     where not exists (select from unnest($2::uuid[]) inside(id) where inside.id = d.task_id)
     order by t.id limit ${MAX_DEPENDENTS}`,
    organizationId,
    taskIds,
  );
}

/** Moves tasks that are locked and have not ended. */
export function closeTasks(
  organizationId: string,
  taskIds: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): Statement {
  return statement(
    `with held as materialized (
       select t.id, t.version + 1 as version, clock_timestamp() as at
       from unnest($2::uuid[]) wanted(id) join task t on t.organization_id = $1 and t.id = wanted.id),
     moved as (
       update task t set status = ${taskMoves.moved('cancel', 't.status')}, result = $3::jsonb, unverified_result = null, blockers = '[]',
         version = h.version, completed_at = h.at, updated_at = h.at
       from held h where t.organization_id = $1 and t.id = h.id)
     select count(*) from held`,
    organizationId,
    taskIds,
    JSON.stringify({ kind: 'cancelled', code, message, runId: null }),
  );
}

/** Ends their open requests. A live run is asked to stop: its request stays `running` until the run ends. */
export function cancelRequests(organizationId: string, taskIds: readonly string[]): Statement {
  return statement(
    `with held as materialized (
       select q.id, ${runRequestMoves.moved('endWithTask', 'q.status')} as status, clock_timestamp() as at,
         case when q.status = 'running' then coalesce(q.cancel_requested_at, clock_timestamp()) else q.cancel_requested_at end as asked_at
       from unnest($2::uuid[]) wanted(id)
       join run_request q on q.organization_id = $1 and q.task_id = wanted.id and ${runRequestMoves.permits('endWithTask', 'q.status')}
       order by q.id for no key update of q),
     moved as (
       update run_request q set status = h.status, cancel_requested_at = h.asked_at, claim_token_hash = null, updated_at = h.at
       from held h where q.organization_id = $1 and q.id = h.id)
     select count(*) from held`,
    organizationId,
    taskIds,
  );
}

/**
 * Fails the edges to these tasks: those from each other, and those of `outside`, which is locked too. Answers the latter;
 * others are left to the sweep.
 */
export function failEdges(
  organizationId: string,
  taskIds: readonly string[],
  outside: readonly string[],
  failure: string,
): Statement<{ taskId: string; dependsOnTaskId: string; blocks: boolean }> {
  return statement(
    `with ended as materialized (select e.id from unnest($2::uuid[]) e(id)),
     settled as materialized (
       select d.task_id, d.depends_on_task_id, d.required, inside.id is not null as inside, clock_timestamp() as at
       from ended e
       join task_dependency d on d.organization_id = $1 and d.depends_on_task_id = e.id and ${dependencyMoves.permits('fail', 'd.status')}
       left join ended inside on inside.id = d.task_id
       where inside.id is not null or d.task_id = any($3::uuid[])),
     moved as (
       update task_dependency d set status = ${dependencyMoves.moved('fail', 'd.status')}, failed_at = s.at, failure = $4::jsonb
       from settled s
       where d.organization_id = $1 and d.task_id = s.task_id and d.depends_on_task_id = s.depends_on_task_id)
     select s.task_id as "taskId", s.depends_on_task_id as "dependsOnTaskId", s.required as blocks
     from settled s where not s.inside`,
    organizationId,
    taskIds,
    outside,
    failure,
  );
}

/** Leaves pending dependents of tasks that have ended to the sweep. */
export function flagUnsettled(organizationId: string, taskIds: readonly string[]): Statement {
  return statement(
    `with held as materialized (
       select distinct d.depends_on_task_id as id
       from unnest($2::uuid[]) ended(id)
       join task_dependency d on d.organization_id = $1 and d.depends_on_task_id = ended.id and d.status = 'pending'),
     moved as (
       update task t set dependents_unsettled = true from held h where t.organization_id = $1 and t.id = h.id)
     select count(*) from held`,
    organizationId,
    taskIds,
  );
}

/** The activity of each end. */
export function recordCancelled(
  organizationId: string,
  taskIds: readonly string[],
  actor: Actor,
  code: string,
): Statement {
  const organization = sql.value(organizationId);
  return insertActivity(
    {
      organizationId: organization,
      id: sql`ended.entry_id`,
      actor: actorColumns(actor),
      verb: sql`'task.cancelled'`,
      subject: {
        kind: sql`'task'`,
        id: sql`t.id`,
        label: sql`t.identifier_scope || '-' || t.identifier_number || ' ' || t.title`,
      },
      details: sql`${JSON.stringify({ code })}::jsonb`,
    },
    sql`unnest(${taskIds}::uuid[], ${taskIds.map(newId)}::uuid[]) ended(id, entry_id)
      join task t on t.organization_id = ${organization} and t.id = ended.id`,
  );
}
