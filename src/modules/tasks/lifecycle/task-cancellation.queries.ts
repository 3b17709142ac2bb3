import { sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { actorColumns, type Actor, insertActivity, insertHeard, logEvents } from '../../organizations/index.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { type DependentTask, MAX_DEPENDENTS } from '../graph/task-locks.queries.ts';
import { TOKEN_TAKEN } from '../run-requests/run-request-moves.queries.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import { isOpenTask, taskMoves, type TaskStatus } from '../task.state.ts';

/** Parts of a cancellation, each one statement for all of its tasks. */

const IS_OPEN = sql.raw(isOpenTask('status'));
const CANCELLED = sql.raw(taskMoves.moved('cancel', 't.status'));
const END_REQUEST = {
  permitted: sql.raw(runRequestMoves.permits('endWithTask', 'q.status')),
  status: sql.raw(runRequestMoves.moved('endWithTask', 'q.status')),
};
const FAIL_EDGE = {
  permitted: sql.raw(dependencyMoves.permits('fail', 'd.status')),
  status: sql.raw(dependencyMoves.moved('fail', 'd.status')),
};

/**
 * Plans with the values at hand: a plan made for any number of ids compares each edge with each of them (10,000 tasks
 * with 10,000 edges among them: more than a minute).
 */
export const PLAN_FOR_SIZE: Statement = sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`;

/** Tasks and their descendants that have not ended, by id. Walks through the ended ones between. */
export function openTreesOf(organizationId: string, taskIds: readonly string[]): Statement<DependentTask> {
  const organization = sql.value(organizationId);
  return sql`
    with recursive tree (id, parent_id, status) as (
      select t.id, t.parent_id, t.status from task t
      where t.organization_id = ${organization} and t.id = any(${taskIds}::uuid[])
      union
      select c.id, c.parent_id, c.status
      from tree p join task c on c.organization_id = ${organization} and c.parent_id = p.id)
    select id, parent_id as "parentId" from tree where ${IS_OPEN} order by id`;
}

/** How many tasks trees have, ended ones too; counted up to `limit`. */
export function sizeOfTrees(
  organizationId: string,
  taskIds: readonly string[],
  limit: number,
): Statement<{ tasks: number }> {
  const organization = sql.value(organizationId);
  return sql`
    with recursive tree (id) as (
      select t.id from task t where t.organization_id = ${organization} and t.id = any(${taskIds}::uuid[])
      union
      select c.id from tree p join task c on c.organization_id = ${organization} and c.parent_id = p.id)
    select count(*)::int as tasks from (select from tree limit ${limit}) counted`;
}

export function taskStatus(organizationId: string, id: string): Statement<{ status: TaskStatus }> {
  return sql`select status from task where organization_id = ${organizationId} and id = ${id}`;
}

/** A row where a task is another one or an ancestor of it. */
export function isSelfOrAncestor(organizationId: string, taskId: string, otherId: string): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with recursive line (id, parent_id) as (
      select t.id, t.parent_id from task t where t.organization_id = ${organization} and t.id = ${otherId}
      union all
      select p.id, p.parent_id from line l join task p on p.organization_id = ${organization} and p.id = l.parent_id)
    select from line where id = ${taskId}`;
}

/** Tasks that wait for these and are none of them, as many as one transaction settles. */
export function dependentsOutside(organizationId: string, taskIds: readonly string[]): Statement<DependentTask> {
  const organization = sql.value(organizationId);
  const ids = sql.value(taskIds);
  return sql`
    select distinct t.id, t.parent_id as "parentId"
    from unnest(${ids}::uuid[]) ended(id)
    join task_dependency d
      on d.organization_id = ${organization} and d.depends_on_task_id = ended.id and d.status = 'pending'
    join task t on t.organization_id = ${organization} and t.id = d.task_id
    where not exists (select from unnest(${ids}::uuid[]) inside(id) where inside.id = d.task_id)
    order by t.id limit ${MAX_DEPENDENTS}`;
}

/** Moves tasks that are locked and have not ended. */
export function closeTasks(
  organizationId: string,
  taskIds: readonly string[],
  { code, message }: { readonly code: string; readonly message: string },
): Statement {
  const organization = sql.value(organizationId);
  const result = JSON.stringify({ kind: 'cancelled', code, message, runId: null });
  return sql`
    with held as materialized (
      select t.id, t.version + 1 as version, clock_timestamp() as at
      from unnest(${taskIds}::uuid[]) wanted(id)
      join task t on t.organization_id = ${organization} and t.id = wanted.id),
    moved as (
      update task t set status = ${CANCELLED}, result = ${result}::jsonb, unverified_result = null, blockers = '[]',
        version = h.version, completed_at = h.at, updated_at = h.at
      from held h where t.organization_id = ${organization} and t.id = h.id)
    select count(*) from held`;
}

/** Ends their open requests. Asks a live run to stop: its request stays `running` until the run ends. */
export function cancelRequests(organizationId: string, taskIds: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  return sql`
    -- the requests, locked in the order of their ids, and what becomes of each
    with held as materialized (
      select q.id, ${END_REQUEST.status} as status, clock_timestamp() as at,
        case when q.status = 'running' then coalesce(q.cancel_requested_at, clock_timestamp())
          else q.cancel_requested_at end as asked_at
      from unnest(${taskIds}::uuid[]) wanted(id)
      join run_request q
        on q.organization_id = ${organization} and q.task_id = wanted.id and ${END_REQUEST.permitted}
      order by q.id for no key update of q),
    moved as (
      update run_request q
      set status = h.status, cancel_requested_at = h.asked_at, ${TOKEN_TAKEN}, updated_at = h.at
      from held h where q.organization_id = ${organization} and q.id = h.id)
    select count(*) from held`;
}

/**
 * Fails the edges to these tasks: those from each other, and those of `outside`, which is locked too. Answers the
 * latter. Leaves others to the sweep.
 */
export function failEdges(
  organizationId: string,
  taskIds: readonly string[],
  outside: readonly string[],
  failure: string,
): Statement<{ taskId: string; dependsOnTaskId: string; blocks: boolean }> {
  const organization = sql.value(organizationId);
  return sql`
    -- the edges to these tasks
    with ended as materialized (select e.id from unnest(${taskIds}::uuid[]) e(id)),
    settled as materialized (
      select d.task_id, d.depends_on_task_id, d.required, inside.id is not null as inside, clock_timestamp() as at
      from ended e
      join task_dependency d
        on d.organization_id = ${organization} and d.depends_on_task_id = e.id and ${FAIL_EDGE.permitted}
      left join ended inside on inside.id = d.task_id
      where inside.id is not null or d.task_id = any(${outside}::uuid[])),
    moved as (
      update task_dependency d set status = ${FAIL_EDGE.status}, failed_at = s.at, failure = ${failure}::jsonb
      from settled s
      where d.organization_id = ${organization} and d.task_id = s.task_id
        and d.depends_on_task_id = s.depends_on_task_id)
    -- those of dependents that live on
    select s.task_id as "taskId", s.depends_on_task_id as "dependsOnTaskId", s.required as blocks
    from settled s where not s.inside`;
}

/** Leaves pending dependents of tasks that have ended to the sweep. */
export function flagUnsettled(organizationId: string, taskIds: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select distinct d.depends_on_task_id as id
      from unnest(${taskIds}::uuid[]) ended(id)
      join task_dependency d
        on d.organization_id = ${organization} and d.depends_on_task_id = ended.id and d.status = 'pending'),
    moved as (
      update task t set dependents_unsettled = true
      from held h where t.organization_id = ${organization} and t.id = h.id)
    select count(*) from held`;
}

/** Records the end of each in the activity log, and hands it to those who subscribed to it. */
export function recordCancelled(
  organizationId: string,
  taskIds: readonly string[],
  actor: Actor,
  code: string,
): { readonly written: Statement; readonly heard: Statement } {
  const organization = sql.value(organizationId);
  const by = actorColumns(actor);
  const verb = 'task.cancelled';
  const entry = {
    organizationId: organization,
    id: sql`ended.entry_id`,
    actor: by,
    verb: sql.raw(`'${verb}'`),
    subject: {
      kind: sql`'task'`,
      id: sql`t.id`,
      label: sql`t.identifier_scope || '-' || t.identifier_number || ' ' || t.title`,
    },
    details: sql`${JSON.stringify({ code })}::jsonb`,
  };
  const rows = sql`unnest(${taskIds}::uuid[], ${taskIds.map(newId)}::uuid[]) ended(id, entry_id)
      join task t on t.organization_id = ${organization} and t.id = ended.id`;
  const event = { organizationId, verb, actor: by, facts: { code } };
  const written = withAfterCommit(
    insertActivity(entry, rows),
    () => void logEvents(taskIds.map((id) => ({ ...event, subject: { kind: 'task', id } }))),
  );
  return { written, heard: insertHeard({ entry, rows }) };
}
