import { type Statement, statement } from '../../../kernel/database/index.ts';

/** A task waits for another one. */
export interface Edge {
  readonly taskId: string;
  readonly dependsOnTaskId: string;
}

/** The tasks of a cycle in the order of their dependencies, or undefined where there is none. */
export function findCycle(edges: readonly Edge[]): readonly string[] | undefined {
  const prerequisites = Map.groupBy(edges, ({ taskId }) => taskId);
  const done = new Set<string>();
  for (const { taskId: start } of edges) {
    // By hand rather than by recursion: chains may be longer than the stack.
    const path = [start];
    const onPath = new Set(path);
    const pending = [[...(prerequisites.get(start) ?? [])]];
    while (path.length > 0) {
      const next = done.has(path.at(-1)!) ? undefined : pending.at(-1)!.pop()?.dependsOnTaskId;
      if (next === undefined) {
        pending.pop();
        const left = path.pop()!;
        onPath.delete(left);
        done.add(left);
      } else if (onPath.has(next)) {
        return path.slice(path.indexOf(next));
      } else if (!done.has(next)) {
        path.push(next);
        onPath.add(next);
        pending.push([...(prerequisites.get(next) ?? [])]);
      }
    }
  }
  return undefined;
}

/**
 * The dependencies that can be reached from these tasks, across trees. Each task is visited once. Satisfied and waived
 * ones never hold anybody up again; failed ones may, once their prerequisite is retried.
 */
export function edgesBehind(organizationId: string, taskIds: readonly string[]): Statement<Edge> {
  return statement(
    `with recursive reachable (id) as (
       select unnest($2::uuid[])
       union
       select d.depends_on_task_id from reachable r join task_dependency d
         on d.organization_id = $1 and d.task_id = r.id and d.status in ('pending', 'failed'))
     select d.task_id as "taskId", d.depends_on_task_id as "dependsOnTaskId"
     from reachable r join task_dependency d
       on d.organization_id = $1 and d.task_id = r.id and d.status in ('pending', 'failed')`,
    organizationId,
    taskIds,
  );
}
