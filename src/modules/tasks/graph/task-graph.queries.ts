import { type Sql, sql, type Statement, statement } from '../../../kernel/database/index.ts';
import type { TaskDependencyRow } from './task-dependency.dto.ts';
import { DEPENDENCY_COLUMNS } from './task-dependencies.queries.ts';
import { type TaskRow, toTask } from '../task-row.ts';
import type { TaskGraphDto } from './task-graph.dto.ts';
import { GRAPH_LIMITS } from './task-graph.policy.ts';
import { isTask } from '../task-ref.ts';
import { EVERYBODY, seenBy, TASK_COLUMNS, type TaskAudience } from '../tasks.queries.ts';

/** A row of the graph: a task of the tree, a related one, or a dependency; the columns of the other kind are null. */
type GraphRow = Readonly<Record<string, unknown>> & {
  readonly part: 'tree' | 'related' | 'dependency';
  readonly isFocus: boolean;
  readonly totalTasks: number;
  readonly truncated: boolean;
};

const TASK_PROPERTIES = Object.keys(TASK_COLUMNS);
const EDGE_PROPERTIES = Object.keys(DEPENDENCY_COLUMNS);
const selected = (expressions: readonly string[], prefix: string, names: readonly string[]) =>
  sql.raw(names.map((name, index) => `${expressions[index]} as "${prefix}.${name}"`).join(', '));
const nulls = (prefix: string, names: readonly string[]) =>
  selected(
    names.map(() => 'null'),
    prefix,
    names,
  );

const number = (value: number) => sql.raw(String(value));

/** The limits, and one more where it shows that there is more. */
const GRAPH = {
  treeTasks: number(GRAPH_LIMITS.treeTasks),
  taskBytes: number(GRAPH_LIMITS.taskBytes),
  dependencies: number(GRAPH_LIMITS.dependencies),
  moreDependencies: number(GRAPH_LIMITS.dependencies + 1),
  relatedTasks: number(GRAPH_LIMITS.relatedTasks),
  moreRelated: number(GRAPH_LIMITS.relatedTasks + 1),
};

/** About what a task takes in the answer. */
const BYTES = sql`octet_length(t.spec::text) + coalesce(octet_length(t.result::text), 0) + octet_length(t.blockers::text) + 1200`;

/**
 * CTEs that take tasks of a list in its order, as long as there is room behind `bytes`: one by one, so that no task behind
 * the last one is read (a tree of 2,000 large tasks is 2 GB).
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
 * The tree of a task with everything that depends on it or that it depends on. What does not fit is cut in one order: the
 * focus stays, then what it stands below, its children, its siblings, and whatever stands highest. One statement, since at
 * this isolation each statement has a snapshot of its own: no answer shows a dependency on a task that it lacks.
 */
export function graphOf(organizationId: string, ref: string, audience: TaskAudience = EVERYBODY): Statement<GraphRow> {
  const organization = sql.value(organizationId);
  const seen = sql.shared(sql.join([sql`true`, ...seenBy(audience)], ' and '));
  return sql`
      with recursive focus as (select t.id, t.root_task_id, t.parent_id from task t
        where t.organization_id = ${organization} and ${isTask(ref)} and ${seen}),
      above (id, parent_id) as (
        select t.id, t.parent_id from focus f join task t on t.organization_id = ${organization} and t.id = f.parent_id
        union all
        select t.id, t.parent_id from above a join task t on t.organization_id = ${organization} and t.id = a.parent_id),
      whole as materialized (
        select t.id, t.depth, case when t.id = f.id then 0 when t.id in (select id from above) then 1
          when t.parent_id = f.id then 2 when t.parent_id = f.parent_id then 3 else 4 end as distance
        from focus f join task t on t.organization_id = ${organization} and t.root_task_id = f.root_task_id
        where ${seen}),
      nearest as materialized (
        select w.id, row_number() over (order by w.distance, w.depth, w.id) as place from whole w
        order by place limit ${GRAPH.treeTasks}),
      ${taking(sql`tree`, sql`nearest`, sql`0::bigint`, organization)},
      touching as materialized (
        select e.task_id, e.depends_on_task_id from (
          select d.task_id, d.depends_on_task_id from task_dependency d
          where d.organization_id = ${organization} and d.task_id in (select id from tree)
          union
          select d.task_id, d.depends_on_task_id from task_dependency d
          where d.organization_id = ${organization} and d.depends_on_task_id in (select id from tree)) e
        order by e.task_id, e.depends_on_task_id limit ${GRAPH.moreDependencies}),
      tied as materialized (
        select t.id, row_number() over (order by t.id) as place
        from (select task_id as id from touching union select depends_on_task_id from touching) other
        join task t on t.organization_id = ${organization} and t.id = other.id
        where other.id not in (select id from tree where id is not null) and ${seen} order by t.id limit ${GRAPH.moreRelated}),
      ${taking(sql`related`, sql`(select * from tied where place <= ${GRAPH.relatedTasks})`, sql`(select max(bytes) from tree)`, organization)},
      shown as (
        select id, 'tree' as part from tree where id is not null
        union all
        select id, 'related' from related where id is not null),
      cut as (
        select (select count(*)::int from whole) as "totalTasks",
          (select count(*) from whole) > (select count(id) from tree) or (select count(*) from tied) > (select count(id) from related)
            or (select count(*) from touching) > ${GRAPH.dependencies} as truncated)
      select s.part, t.id in (select id from focus) as "isFocus", cut."totalTasks", cut.truncated,
        ${selected(Object.values(TASK_COLUMNS), 'task', TASK_PROPERTIES)}, ${nulls('edge', EDGE_PROPERTIES)}
      from shown s cross join cut join task t on t.organization_id = ${organization} and t.id = s.id
      union all
      select 'dependency', false, null, null,
        ${nulls('task', TASK_PROPERTIES)}, ${selected(Object.values(DEPENDENCY_COLUMNS), 'edge', EDGE_PROPERTIES)}
      from (select * from touching limit ${GRAPH.dependencies}) e
      join task_dependency d on d.organization_id = ${organization} and d.task_id = e.task_id and d.depends_on_task_id = e.depends_on_task_id
      where d.task_id in (select id from shown) and d.depends_on_task_id in (select id from shown)`;
}

/** The graph of those rows; undefined when there is no such task. */
export function toTaskGraph(rows: readonly GraphRow[]): TaskGraphDto | undefined {
  const tasksOf = (part: GraphRow['part']) =>
    rows
      .filter((row) => row.part === part)
      .map((row) => toTask(pick<TaskRow>(row, 'task', TASK_PROPERTIES)))
      .toSorted((a, b) => a.depth - b.depth || (a.id < b.id ? -1 : 1));
  const focus = rows.find(({ isFocus }) => isFocus);
  if (!focus) return undefined;
  return {
    focusTaskId: focus['task.id'] as string,
    rootTaskId: focus['task.rootTaskId'] as string,
    totalTasks: focus.totalTasks,
    truncated: focus.truncated,
    tasks: tasksOf('tree'),
    relatedTasks: tasksOf('related'),
    dependencies: rows
      .filter(({ part }) => part === 'dependency')
      .map((row) => pick<TaskDependencyRow>(row, 'edge', EDGE_PROPERTIES)),
  };
}

function pick<Row>(row: GraphRow, prefix: string, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[`${prefix}.${name}`]])) as Row;
}

/** The tree of a locked root has changed in structure, perhaps by `added` tasks. */
export function raiseGraphRevision(organizationId: string, rootTaskId: string, added = 0) {
  return statement(
    `update task set graph_revision = graph_revision + 1, descendant_count = descendant_count + $3::int,
       updated_at = clock_timestamp()
     where organization_id = $1 and id = $2`,
    organizationId,
    rootTaskId,
    added,
  );
}
