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
