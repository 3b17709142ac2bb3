/** Limits of one answer with a graph. */
export const GRAPH_LIMITS = {
  treeTasks: 2_000,
  relatedTasks: 500,
  dependencies: 10_000,
  /** Of tasks, as their JSON is kept; a task may be 1 MB. The focus is there however large it is. */
  taskBytes: 4_000_000,
} as const;
