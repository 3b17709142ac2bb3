import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { DEPENDENCY_COLUMNS } from './task-dependencies.queries.ts';
import { GRAPH_LIMITS } from './task-graph-limits.ts';
import { EVERYBODY, isTask, seenBy, TASK_COLUMNS, type TaskAudience } from '../tasks.queries.ts';

/** A row of the graph: a task of the tree, a related one, or a dependency; the columns of the other kind are null. */
export type GraphRow = Readonly<Record<string, unknown>> & {
  readonly part: 'tree' | 'related' | 'dependency';
  readonly isFocus: boolean;
  readonly totalTasks: number;
  readonly truncated: boolean;
};

export const TASK_PROPERTIES = Object.keys(TASK_COLUMNS);
export const EDGE_PROPERTIES = Object.keys(DEPENDENCY_COLUMNS);
const selected = (expressions: readonly string[], prefix: string, names: readonly string[]) =>
  sql.raw(names.map((name, index) => `${expressions[index]} as "${prefix}.${name}"`).join(', '));
const nulls = (prefix: string, names: readonly string[]) =>
  selected(
    names.map(() => 'null'),
    prefix,
    names,
  );

const number = (value: number) => sql.raw(String(value));

/** The limits; `more…` is one more, which shows that there are more. */
const GRAPH = {
  treeTasks: number(GRAPH_LIMITS.treeTasks),
  taskBytes: number(GRAPH_LIMITS.taskBytes),
  dependencies: number(GRAPH_LIMITS.dependencies),
  moreDependencies: number(GRAPH_LIMITS.dependencies + 1),
  relatedTasks: number(GRAPH_LIMITS.relatedTasks),
  moreRelated: number(GRAPH_LIMITS.relatedTasks + 1),
};

/** Estimates the bytes that a task takes in the answer. */
const BYTES = sql`octet_length(t.spec::text) + coalesce(octet_length(t.result::text), 0)
          + octet_length(t.blockers::text) + 1200`;

/**
 * CTEs that take tasks of a list in its order, as long as there is room behind `bytes`. Takes them one by one, so that
 * no task behind the last one is read (a tree of 2,000 large tasks is 2 GB).
 */
function taking(name: Sql, list: Sql, bytes: Sql, organization: Sql): Sql {
  return sql`${name}_ids as materialized (select array_agg(l.id order by l.place) as ids from ${list} l),
    ${name} (place, id, bytes) as (
      select 0, null::uuid, ${bytes}
      union all
      select k.place + 1, t.id, k.bytes + ${BYTES}
      from ${name} k cross join ${name}_ids l
      join task t on t.organization_id = ${organization} and t.id = l.ids[k.place + 1]
      where k.place = 0 and k.bytes = 0 or k.bytes + ${BYTES} <= ${GRAPH.taskBytes})`;
}

/**
 * The tree of a task with everything that depends on it or that it depends on. Cuts what does not fit in one order: the
 * focus stays, then the tasks above it, its children, its siblings, and of the others the highest. One statement, since
 * at this isolation each statement has a snapshot of its own: no answer shows a dependency on a task that it lacks.
 */
export function graphOf(organizationId: string, ref: string, audience: TaskAudience = EVERYBODY): Statement<GraphRow> {
  const organization = sql.value(organizationId);
  const seen = sql.shared(sql.join([sql`true`, ...seenBy(audience)], ' and '));
  const shownTies = sql`(select * from tied where place <= ${GRAPH.relatedTasks})`;
  return sql`
    -- the task, and the tasks above it
    with recursive focus as (select t.id, t.root_task_id, t.parent_id from task t
      where t.organization_id = ${organization} and ${isTask(ref)} and ${seen}),
    above (id, parent_id) as (
      select t.id, t.parent_id from focus f join task t on t.organization_id = ${organization} and t.id = f.parent_id
      union all
      select t.id, t.parent_id from above a join task t on t.organization_id = ${organization} and t.id = a.parent_id),
    -- its tree, nearest first, as far as there is room
    whole as materialized (
      select t.id, t.depth, case when t.id = f.id then 0 when t.id in (select id from above) then 1
        when t.parent_id = f.id then 2 when t.parent_id = f.parent_id then 3 else 4 end as distance
      from focus f join task t on t.organization_id = ${organization} and t.root_task_id = f.root_task_id
      where ${seen}),
    nearest as materialized (
      select w.id, row_number() over (order by w.distance, w.depth, w.id) as place from whole w
      order by place limit ${GRAPH.treeTasks}),
    ${taking(sql`tree`, sql`nearest`, sql`0::bigint`, organization)},
    -- the dependencies of that, in both directions
    touching as materialized (
      select e.task_id, e.depends_on_task_id from (
        select d.task_id, d.depends_on_task_id from task_dependency d
        where d.organization_id = ${organization} and d.task_id in (select id from tree)
        union
        select d.task_id, d.depends_on_task_id from task_dependency d
        where d.organization_id = ${organization} and d.depends_on_task_id in (select id from tree)) e
      order by e.task_id, e.depends_on_task_id limit ${GRAPH.moreDependencies}),
    -- the tasks at their other ends
    tied as materialized (
      select t.id, row_number() over (order by t.id) as place
      from (select task_id as id from touching union select depends_on_task_id from touching) other
      join task t on t.organization_id = ${organization} and t.id = other.id
      where other.id not in (select id from tree where id is not null) and ${seen}
      order by t.id limit ${GRAPH.moreRelated}),
    ${taking(sql`related`, shownTies, sql`(select max(bytes) from tree)`, organization)},
    -- the answer, and whether anything was cut
    shown as (
      select id, 'tree' as part from tree where id is not null
      union all
      select id, 'related' from related where id is not null),
    cut as (
      select (select count(*)::int from whole) as "totalTasks",
        (select count(*) from whole) > (select count(id) from tree)
          or (select count(*) from tied) > (select count(id) from related)
          or (select count(*) from touching) > ${GRAPH.dependencies} as truncated)
    select s.part, t.id in (select id from focus) as "isFocus", cut."totalTasks", cut.truncated,
      ${selected(Object.values(TASK_COLUMNS), 'task', TASK_PROPERTIES)}, ${nulls('edge', EDGE_PROPERTIES)}
    from shown s cross join cut join task t on t.organization_id = ${organization} and t.id = s.id
    union all
    select 'dependency', false, null, null,
      ${nulls('task', TASK_PROPERTIES)}, ${selected(Object.values(DEPENDENCY_COLUMNS), 'edge', EDGE_PROPERTIES)}
    from (select * from touching limit ${GRAPH.dependencies}) e
    join task_dependency d on d.organization_id = ${organization} and d.task_id = e.task_id
      and d.depends_on_task_id = e.depends_on_task_id
    where d.task_id in (select id from shown) and d.depends_on_task_id in (select id from shown)`;
}

/** Raises the revision of a locked root whose tree has changed in structure, perhaps by `added` tasks. */
export function raiseGraphRevision(organizationId: string, rootTaskId: string, added = 0): Statement {
  return sql`
    update task set graph_revision = graph_revision + 1, descendant_count = descendant_count + ${added}::int,
      updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${rootTaskId}`;
}
