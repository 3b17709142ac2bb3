import type { Blocker, TaskStatus } from '../task.state.ts';

export interface Child {
  readonly id: string;
  readonly status: TaskStatus;
  readonly blockers: readonly Blocker[];
}

/**
 * Finds those of a parent's unsettled children that only a new plan can move: blocked by a failed prerequisite, or by
 * another such child. Any other blocker can still be resolved without the parent.
 */
export function stalledChildren(children: readonly Child[]): Set<string> {
  const stalled = new Set<string>();
  let before: number;
  do {
    before = stalled.size;
    for (const { id, status, blockers } of children)
      if (status === 'blocked' && blockers.some((blocker) => waitsInVain(blocker, stalled))) stalled.add(id);
  } while (stalled.size > before);
  return stalled;
}

function waitsInVain(blocker: Blocker, stalled: ReadonlySet<string>): boolean {
  if (blocker.kind === 'dependency_failed') return true;
  return blocker.kind === 'dependency' && stalled.has(blocker.dependsOnTaskId);
}
