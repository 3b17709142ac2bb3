import { type Statement, Values } from '../../kernel/database/index.ts';
import type { TaskDependencyRow } from './task-dependency.dto.ts';
import { DEPENDENCY_COLUMNS } from './task-dependencies.queries.ts';
import { type TaskRow, toTask } from './task-row.ts';
import type { TaskGraphDto } from './task-graph.dto.ts';
import { isTask } from './task-ref.ts';
import { EVERYBODY, seenBy, TASK_COLUMNS, type TaskAudience } from './tasks.queries.ts';

/** What one answer holds at most: the focus comes first, then whatever stands highest in the tree. */
const MAX_TREE_TASKS = 2_000;
const MAX_RELATED_TASKS = 500;
const MAX_DEPENDENCIES = 10_000;

/** A row of the graph: a task of the tree, a related one, or a dependency; the columns of the other kind are null. */
type GraphRow = Readonly<Record<string, unknown>> & {
  readonly part: 'tree' | 'related' | 'dependency';
  readonly isFocus: boolean;
};

const TASK_PROPERTIES = Object.keys(TASK_COLUMNS);
const EDGE_PROPERTIES = Object.keys(DEPENDENCY_COLUMNS);
const selected = (expressions: readonly string[], prefix: string, names: readonly string[]) =>
  names.map((name, index) => `${expressions[index]} as "${prefix}.${name}"`).join(', ');
const nulls = (prefix: string, names: readonly string[]) =>
  selected(
    names.map(() => 'null'),
    prefix,
    names,
  );

/**
 * The tree of a task with everything that depends on it or that it depends on. One statement, since at this isolation
 * each statement has a snapshot of its own: no answer shows a dependency on a task that it lacks.
 */
export function graphOf(organizationId: string, ref: string, audience: TaskAudience = EVERYBODY): Statement<GraphRow> {
  const values = new Values();
  const organization = values.add(organizationId);
  const focus = [`t.organization_id = ${organization}`, isTask('t', ref, values), ...seenBy('t', audience, values)];
  const seen = ['true', ...seenBy('t', audience, values)].join(' and ');
  return {
    text: `
      with focus as (select t.id, t.root_task_id from task t where ${focus.join(' and ')}),
      tree as materialized (
        select t.id from focus f join task t on t.organization_id = ${organization} and t.root_task_id = f.root_task_id
        where ${seen} order by (t.id = f.id) desc, t.depth, t.id limit ${MAX_TREE_TASKS}),
      touching as materialized (
        select d.task_id, d.depends_on_task_id from task_dependency d
        where d.organization_id = ${organization} and d.task_id in (select id from tree)
        union
        select d.task_id, d.depends_on_task_id from task_dependency d
        where d.organization_id = ${organization} and d.depends_on_task_id in (select id from tree)
        limit ${MAX_DEPENDENCIES}),
      related as materialized (
        select t.id from (select task_id as id from touching union select depends_on_task_id from touching) other
        join task t on t.organization_id = ${organization} and t.id = other.id
        where other.id not in (select id from tree) and ${seen} order by t.id limit ${MAX_RELATED_TASKS}),
      shown as (select id, 'tree' as part from tree union all select id, 'related' from related)
      select s.part, t.id in (select id from focus) as "isFocus",
        ${selected(Object.values(TASK_COLUMNS), 'task', TASK_PROPERTIES)}, ${nulls('edge', EDGE_PROPERTIES)}
      from shown s join task t on t.organization_id = ${organization} and t.id = s.id
      union all
      select 'dependency', false,
        ${nulls('task', TASK_PROPERTIES)}, ${selected(Object.values(DEPENDENCY_COLUMNS), 'edge', EDGE_PROPERTIES)}
      from touching e join task_dependency d on d.organization_id = ${organization} and d.task_id = e.task_id and d.depends_on_task_id = e.depends_on_task_id
      where d.task_id in (select id from shown) and d.depends_on_task_id in (select id from shown)`,
    values: values.list,
  };
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
