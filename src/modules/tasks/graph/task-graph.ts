import type { TaskDependencyRow } from './task-dependency.dto.ts';
import type { TaskGraphDto } from './task-graph.dto.ts';
import { EDGE_PROPERTIES, type GraphRow, TASK_PROPERTIES } from './task-graph.queries.ts';
import { type TaskRow, toTask } from '../task-row.ts';

/** Makes the graph of its rows; undefined where there is no such task. */
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
