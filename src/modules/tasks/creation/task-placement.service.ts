import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import {
  ApiError,
  EdgeIssues,
  type ErrorRow,
  type Issue,
  issueAt,
  type IssueRow,
} from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import type { NewTask } from './new-task.ts';
import type { TakenNumbers } from './task-identifiers.ts';
import { countDescendants, insertTasks, treeLimits } from './task-placement.queries.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import { type LockedTasks, lockTasks } from '../graph/task-locks.ts';
import { hasEnded } from '../task.state.ts';

/** The position of a new task in its tree. */
interface TreePosition {
  readonly rootTaskId: string;
  readonly depth: number;
}

interface PlacementContext {
  readonly numbers: TakenNumbers;
  readonly locked: LockedTasks;
  readonly actor: Actor;
}

/** Puts new tasks into their trees: limits, rows, activity. The caller adds their dependencies and requests. */
@Injectable()
export class TaskPlacementService {
  constructor(private readonly activity: ActivityLogService) {}

  /**
   * Inserts tasks of which the existing parents with their roots are among `locked`; they may be each other's parents.
   * 409 over a limit of the organization, or under a parent that has ended. Answers `locked` with the new ones.
   */
  async place(tx: Tx, tasks: readonly NewTask[], { numbers, locked, actor }: PlacementContext): Promise<LockedTasks> {
    if (tasks.length === 0) return locked;
    const positions = positionsOf(tasks, locked);
    await this.refuseOverLimits(tx, tasks, { positions, locked });
    await tx.rows(insertTasks(tx.organizationId, rowsOf(tasks, positions, numbers)));
    const created = await lockTasks(
      tx,
      tasks.map(({ id }) => id),
    );
    for (const { id } of tasks) {
      const { identifier, title } = created.get(id)!;
      const subject = { kind: 'task', id, label: `${identifier} ${title}` };
      await this.activity.record(tx, { actor, verb: 'task.created', subject });
    }
    return new Map([...locked, ...created]);
  }

  private async refuseOverLimits(
    tx: Tx,
    tasks: readonly NewTask[],
    { positions, locked }: Pick<PlacementContext, 'locked'> & { readonly positions: ReadonlyMap<string, TreePosition> },
  ): Promise<void> {
    const roots = Map.groupBy(
      tasks.filter(({ parentId }) => parentId !== null),
      ({ id }) => positions.get(id)!.rootTaskId,
    );
    if (roots.size === 0) return;
    const [limits] = await tx.rows(treeLimits(tx.organizationId));
    const { maxTaskDepth, maxInitiativeDescendants } = limits!;
    const issues: Issue[] = [];
    const deep = tasks.find(({ id }) => positions.get(id)!.depth > maxTaskDepth);
    if (deep) issues.push(issueAt(deep.parentPath, EdgeIssues.tooDeep, `tasks nest at most ${maxTaskDepth} deep`));
    for (const [root, added] of roots) {
      // Counted once a tree: later creations below the root would each read all that are there (10,000 take 6 ms).
      const descendants = locked.get(root)!.descendantCount ?? (await this.descendantsOf(tx, root));
      if (descendants + added.length > maxInitiativeDescendants)
        issues.push(
          issueAt(
            // The first that there is no room for.
            added[Math.max(maxInitiativeDescendants - descendants, 0)]!.parentPath,
            TaskIssues.tooManyDescendants,
            `a root has at most ${maxInitiativeDescendants} descendants`,
          ),
        );
    }
    if (issues.length > 0) throw new ApiError(TaskErrors.limitExceeded, { issues });
  }

  /** Counts behind the lock of the root, which every creation below it takes first. */
  private async descendantsOf(tx: Tx, rootTaskId: string): Promise<number> {
    const [root] = await tx.rows(countDescendants(tx.organizationId, rootTaskId));
    return root!.descendants;
  }
}

/** Finds the position of each new task. Parents may be new themselves, in any order. */
function positionsOf(tasks: readonly NewTask[], locked: LockedTasks): ReadonlyMap<string, TreePosition> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const positions = new Map<string, TreePosition>();
  const positionOf = ({ id, parentId, parentPath }: NewTask, above: readonly string[]): TreePosition => {
    const known = positions.get(id);
    if (known) return known;
    if (above.includes(id))
      throw misplaced(TaskErrors.cycle, parentPath, TaskIssues.cycle, 'Tasks cannot be each other’s parents.');
    const place = parentId === null ? { rootTaskId: id, depth: 0 } : below(parentId, parentPath, [...above, id]);
    positions.set(id, place);
    return place;
  };
  const below = (parentId: string, parentPath: string, above: readonly string[]): TreePosition => {
    const sibling = byId.get(parentId);
    const existing = locked.get(parentId);
    const parent = sibling ? positionOf(sibling, above) : existing!;
    if (existing && hasEnded(existing.status))
      throw misplaced(TaskErrors.parentEnded, parentPath, TaskIssues.parentEnded, TaskErrors.parentEnded.message);
    return { rootTaskId: parent.rootTaskId, depth: parent.depth + 1 };
  };
  for (const task of tasks) positionOf(task, []);
  return positions;
}

function misplaced(row: ErrorRow, path: string, issue: IssueRow, message: string): ApiError {
  return new ApiError(row, { message, issues: [issueAt(path, issue, message)] });
}

function rowsOf(
  tasks: readonly NewTask[],
  positions: ReadonlyMap<string, TreePosition>,
  numbers: TakenNumbers,
): object[] {
  return tasks.map(({ budget, edges, parentPath: _parentPath, ...task }) => ({
    ...task,
    ...positions.get(task.id)!,
    ...budget,
    number: numbers.take(task.scope),
    prerequisites: edges.map(({ dependsOnTaskId }) => dependsOnTaskId),
  }));
}
