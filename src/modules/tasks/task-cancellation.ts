import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Actor } from '../organizations/index.ts';
import { TaskEnding } from './task-ending.ts';
import { TaskErrors } from './task.errors.ts';
import { type LockedTasks, lockForEnd } from './task-locks.ts';
import { hasEnded, type TaskEndCode, type TaskStatus } from './task.state.ts';

interface Cancel {
  readonly actor?: Actor;
  readonly code?: TaskEndCode;
  readonly message?: string;
}

/** Cancelling tasks, each with its unfinished descendants in one transaction. */
@Injectable()
export class TaskCancellation {
  constructor(private readonly ending: TaskEnding) {}

  /** Nothing happens to a task that is cancelled already; 409 for one that has ended otherwise. */
  async cancel(
    tx: Tx,
    organizationId: string,
    taskId: string,
    { actor, code = 'cancelled', message = 'The task was cancelled.' }: Cancel = {},
  ): Promise<void> {
    const { tree, locked } = await lockTree(tx, organizationId, taskId);
    const status = locked.get(taskId)?.status;
    if (status === undefined) throw new ApiError(TaskErrors.notFound);
    if (status === 'cancelled') return;
    if (hasEnded(status)) throw new ApiError(TaskErrors.ended);
    // Parents first: one that has ended does not start again when its children are cancelled.
    for (const id of tree) {
      // Read anew: an end before may have failed this one, whose run budget was used up.
      if (hasEnded(await statusOf(tx, organizationId, id))) continue;
      await this.ending.end(
        tx,
        organizationId,
        locked,
        locked.get(id)!,
        { status: 'cancelled', code, message, runId: null },
        actor,
      );
    }
  }
}

/** A task with its descendants from the top, and whatever their ends may move. */
async function lockTree(
  tx: Tx,
  organizationId: string,
  taskId: string,
): Promise<{ tree: readonly string[]; locked: LockedTasks }> {
  for (let tree = await treeOf(tx, organizationId, taskId); ;) {
    const locked = await lockForEnd(tx, organizationId, tree);
    // A child that was on its way has come in before its parent was locked, or finds it cancelled.
    const now = await treeOf(tx, organizationId, taskId);
    if (now.every((id) => locked.has(id))) return { tree: now, locked };
    tree = now;
  }
}

/** A task and its descendants, ended ones too, from the top. */
export async function treeOf(tx: Tx, organizationId: string, taskId: string): Promise<string[]> {
  const rows = await tx.rows(
    statement<{ id: string }>(
      `with recursive tree (id, depth) as (
         select t.id, t.depth from task t where t.organization_id = $1 and t.id = $2
         union all
         select c.id, c.depth from tree p join task c on c.organization_id = $1 and c.parent_id = p.id)
       select id from tree order by depth, id`,
      organizationId,
      taskId,
    ),
  );
  return rows.map(({ id }) => id);
}

async function statusOf(tx: Tx, organizationId: string, id: string): Promise<TaskStatus> {
  const [row] = await tx.rows(
    statement<{ status: TaskStatus }>(
      `select status from task where organization_id = $1 and id = $2`,
      organizationId,
      id,
    ),
  );
  return row!.status;
}
