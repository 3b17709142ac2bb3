import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import { unblock } from '../graph/dependents.ts';
import type { Edge } from '../graph/task-cycles.ts';
import { TaskEndingService } from '../lifecycle/task-ending.service.ts';
import { TaskErrors } from '../task.errors.ts';
import { lockForEnd, lockTasks } from '../graph/task-locks.ts';
import { rootOf } from '../graph/task-locks.queries.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { dependencyStatus, waiveDependency } from './dependency-waiver.queries.ts';
import { hasEnded } from '../task.state.ts';
import { raiseGraphRevision } from '../graph/task-graph.queries.ts';

/** Waives dependencies for owners: a waived one counts as satisfied, so the task goes on without its prerequisite. */
@Injectable()
export class DependencyWaiverService {
  constructor(
    private readonly ending: TaskEndingService,
    private readonly activity: ActivityLogService,
  ) {}

  /** Waives a pending or failed dependency of a task that has neither ended nor is running, else 409. Repeatable. */
  async waive(tx: Tx, edge: Edge, actor: Actor): Promise<void> {
    const { organizationId } = tx;
    const { taskId, dependsOnTaskId } = edge;
    const [known] = await tx.rows(rootOf(organizationId, taskId));
    if (!known) throw new ApiError(TaskErrors.dependencyNotFound);
    await lockTasks(tx, [known.rootTaskId]);
    const locked = await lockForEnd(tx, [taskId]);
    const task = locked.get(taskId)!;
    const [now] = await tx.rows(dependencyStatus(organizationId, edge));
    if (!now) throw new ApiError(TaskErrors.dependencyNotFound);
    const { status } = now;
    if (status === 'waived') return;
    if (dependencyMoves.after('waive', status) === undefined || task.status === 'running' || hasEnded(task.status))
      throw new ApiError(TaskErrors.notWaivable);
    await tx.rows(waiveDependency(organizationId, edge));
    await tx.rows(raiseGraphRevision(organizationId, known.rootTaskId));
    const moved = await unblock(tx, [{ ...edge, blocks: false }]);
    await this.ending.proceed(tx, locked, moved);
    await this.activity.record(tx, {
      actor,
      verb: 'task_dependency.waived',
      subject: { kind: 'task', id: taskId, label: `${task.identifier} ${task.title}` },
      details: { dependsOnTaskId },
    });
  }
}
