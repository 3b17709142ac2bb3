import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { artifactKindsOf, markSettled, unsettledOf } from './dependents-sweep.queries.ts';
import { type EndedPrerequisite, settleDependents } from '../graph/dependents.ts';
import { affectedByEnd, lockTasks } from '../graph/task-locks.ts';
import { TaskEndingService } from './task-ending.service.ts';
import { reopenDependents } from './task-retry.queries.ts';
import { hasEnded } from '../task.state.ts';

/** Moves the dependents that ends and retries left, as many in a transaction as one may lock. */
@Injectable()
export class DependentsSweepService {
  constructor(private readonly ending: TaskEndingService) {}

  /** Settles or reopens dependents of these tasks; answers whether some are left. */
  async settle(tx: Tx, taskIds: readonly string[]): Promise<boolean> {
    const { organizationId } = tx;
    const waiting = await tx.rows(unsettledOf(organizationId, taskIds));
    const locked = await lockTasks(tx, affectedByEnd(taskIds, waiting));
    const kinds = new Map(
      (await tx.rows(artifactKindsOf(organizationId, taskIds))).map(({ id, artifactKinds }) => [id, artifactKinds]),
    );
    const ended: EndedPrerequisite[] = [];
    for (const id of taskIds) {
      const { parentId, status } = locked.get(id)!;
      if (hasEnded(status)) ended.push({ id, parentId, status, artifactKinds: kinds.get(id) ?? [] });
      else await tx.rows(reopenDependents(organizationId, id, [...locked.keys()]));
    }
    if (ended.length > 0) await this.ending.proceed(tx, locked, await settleDependents(tx, ended, locked));
    const left = new Set(
      (await tx.rows(unsettledOf(organizationId, taskIds))).map(({ prerequisiteId }) => prerequisiteId),
    );
    await tx.rows(
      markSettled(
        organizationId,
        taskIds.filter((id) => !left.has(id)),
      ),
    );
    return left.size > 0;
  }
}
