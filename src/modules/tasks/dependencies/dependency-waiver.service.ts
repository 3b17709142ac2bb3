import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import { unblock } from '../graph/dependents.ts';
import type { Edge } from '../graph/task-cycles.ts';
import { TaskEndingService } from '../lifecycle/task-ending.service.ts';
import { TaskErrors } from '../task.errors.ts';
import { lockForEnd, lockTasks } from '../graph/task-locks.ts';
import { dependencyMoves, type DependencyStatus } from '../graph/task-dependency.state.ts';
import { hasEnded } from '../task.state.ts';
import { raiseGraphRevision } from '../graph/task-graph.queries.ts';

/** An owner, or a plan, goes on without a prerequisite: a waived dependency counts as satisfied. */
@Injectable()
export class DependencyWaiverService {
  constructor(
    private readonly ending: TaskEndingService,
    private readonly activity: ActivityLogService,
  ) {}

  /**
   * Waives a pending or failed dependency of a task that has neither ended nor is running, else 409; a waived one stays
   * so.
   */
  async waive(tx: Tx, organizationId: string, edge: Edge, actor: Actor): Promise<void> {
    const { taskId, dependsOnTaskId } = edge;
    const [known] = await tx.rows(
      statement<{ rootTaskId: string }>(
        `select root_task_id as "rootTaskId" from task where organization_id = $1 and id = $2`,
        organizationId,
        taskId,
      ),
    );
    if (!known) throw new ApiError(TaskErrors.dependencyNotFound);
    await lockTasks(tx, organizationId, [known.rootTaskId]);
    const locked = await lockForEnd(tx, organizationId, [taskId]);
    const task = locked.get(taskId)!;
    const status = await statusOf(tx, organizationId, edge);
    if (status === undefined) throw new ApiError(TaskErrors.dependencyNotFound);
    if (status === 'waived') return;
    if (dependencyMoves.after('waive', status) === undefined || task.status === 'running' || hasEnded(task.status))
      throw new ApiError(TaskErrors.notWaivable);
    await tx.rows(markWaived(organizationId, edge));
    await tx.rows(raiseGraphRevision(organizationId, known.rootTaskId));
    const moved = await unblock(tx, organizationId, [{ ...edge, blocks: false }]);
    await this.ending.proceed(tx, organizationId, locked, moved);
    await this.activity.record(tx, {
      organizationId,
      actor,
      verb: 'task_dependency.waived',
      subject: { kind: 'task', id: taskId, label: `${task.identifier} ${task.title}` },
      details: { dependsOnTaskId },
    });
  }
}

async function statusOf(tx: Tx, organizationId: string, edge: Edge): Promise<DependencyStatus | undefined> {
  const [row] = await tx.rows(
    statement<{ status: DependencyStatus }>(
      `select status from task_dependency where organization_id = $1 and task_id = $2 and depends_on_task_id = $3`,
      organizationId,
      edge.taskId,
      edge.dependsOnTaskId,
    ),
  );
  return row?.status;
}

/** The row's own move; its task's lock is the caller's. */
export function markWaived(organizationId: string, { taskId, dependsOnTaskId }: Edge) {
  return statement(
    `update task_dependency set status = ${dependencyMoves.moved('waive', 'status')}, failure = null, failed_at = null
     where organization_id = $1 and task_id = $2 and depends_on_task_id = $3 and ${dependencyMoves.permits('waive', 'status')}`,
    organizationId,
    taskId,
    dependsOnTaskId,
  );
}
