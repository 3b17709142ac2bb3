import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, type Issue } from '../../../kernel/errors/index.ts';
import type { Actor } from '../../organizations/index.ts';
import { attachmentsIn, draftOf, ownerRefOf, taskRefsOf, type TaskOrigin, toNewTask, unknown } from './new-task.ts';
import type { CreateTaskDto } from './task-creation.dto.ts';
import { insertEdges, refuseCycles, settleEnded } from '../graph/task-edges.ts';
import { TaskEndingService } from '../lifecycle/task-ending.service.ts';
import { takeNumbers } from './task-identifiers.ts';
import { lockDedupeKey, type LockedTasks, lockGraph, lockTasks } from '../graph/task-locks.ts';
import { liveTaskOf, rootOf } from '../graph/task-locks.queries.ts';
import { TaskPlacementService } from './task-placement.service.ts';
import { readAttachments, readOwners, readTaskIds } from './task-references.ts';
import { raiseGraphRevision } from '../graph/task-graph.queries.ts';

export interface CreatedTask {
  readonly id: string;
  /** Whether an open task of the same `dedupeKey` existed already. */
  readonly existing: boolean;
}

/** Creates one task, for owners, agents and the backend itself. Plans create theirs through `TaskPlansService`. */
@Injectable()
export class TaskCreationService {
  constructor(
    private readonly placement: TaskPlacementService,
    private readonly ending: TaskEndingService,
  ) {}

  /**
   * Creates a task in a transaction of the caller's that has taken no lock of tasks yet. 400 `unknown_reference` where
   * the body names something that does not exist, 409 over a limit, under an ended parent or for a cycle.
   */
  async create(
    tx: Tx,
    body: CreateTaskDto,
    { actor, ...origin }: TaskOrigin & { readonly actor: Actor },
  ): Promise<CreatedTask> {
    if (body.dedupeKey !== undefined) {
      await lockDedupeKey(tx, body.dedupeKey);
      const [existing] = await tx.rows(liveTaskOf(tx.organizationId, body.dedupeKey));
      if (existing) return { id: existing.id, existing: true };
    }
    const { parentRef } = body;
    const owners = await readOwners(tx, [ownerRefOf(body)]);
    const tasks = await readTaskIds(tx, [...taskRefsOf(body), ...(parentRef === undefined ? [] : [parentRef])]);
    const missing = await readAttachments(tx, attachmentsIn(body));
    const issues: Issue[] = [];
    const parentId = parentRef === undefined ? null : (tasks.get(parentRef) ?? null);
    if (parentRef !== undefined && parentId === null) issues.push(unknown('parentRef', 'task'));
    const task = toNewTask(
      draftOf({ details: body, parentId, origin, path: '', parentProperty: 'parentRef' }),
      { owner: (idOrKey) => owners.get(idOrKey), task: (ref) => tasks.get(ref), missing },
      issues,
    );
    if (!task || issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });

    const numbers = await takeNumbers(tx, new Map([[task.scope, 1]]));
    const around = await this.lockAround(
      tx,
      parentId,
      task.edges.map(({ dependsOnTaskId }) => dependsOnTaskId),
    );
    const locked = await this.placement.place(tx, [task], {
      numbers,
      locked: around,
      actor,
    });
    if (parentId !== null) await tx.rows(raiseGraphRevision(tx.organizationId, locked.get(parentId)!.rootTaskId, 1));
    await insertEdges(tx, task.edges);
    await refuseCycles(tx, task.edges);
    const moved = await settleEnded(tx, task.edges, locked);
    await this.ending.proceed(tx, locked, [...new Set([task.id, ...moved])]);
    return { id: task.id, existing: false };
  }

  /**
   * Locks the parent with its root, and prerequisites. Only edges need the graph's lock, since no cycle leads through a
   * task that no other depends on: a root without dependencies waits for no lock, a child without them only for its
   * own tree's.
   */
  private async lockAround(tx: Tx, parentId: string | null, prerequisites: readonly string[]): Promise<LockedTasks> {
    if (parentId === null && prerequisites.length === 0) return new Map();
    if (prerequisites.length > 0) await lockGraph(tx);
    const roots = parentId === null ? [] : await tx.rows(rootOf(tx.organizationId, parentId));
    const ids = [
      ...roots.map(({ rootTaskId }) => rootTaskId),
      ...(parentId === null ? [] : [parentId]),
      ...prerequisites,
    ];
    return lockTasks(tx, [...new Set(ids)]);
  }
}
