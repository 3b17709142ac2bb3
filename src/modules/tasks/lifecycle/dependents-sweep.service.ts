import { Injectable } from '@nestjs/common';
import { type Statement, statement, type Tx } from '../../../kernel/database/index.ts';
import { type EndedPrerequisite, settleDependents } from '../graph/dependents.ts';
import { ARTIFACT_KINDS, UNSETTLED } from '../graph/dependents.queries.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { TaskEndingService } from './task-ending.service.ts';
import { lockTasks, affectedByEnd } from '../graph/task-locks.ts';
import { MAX_DEPENDENTS, type DependentTask } from '../graph/task-locks.queries.ts';
import { reopenDependents } from './task-retry.queries.ts';
import { hasEnded, isEndedTask, isOpenTask } from '../task.state.ts';

/** What ends and retries left of dependents, as many in a transaction as one may lock. */
@Injectable()
export class DependentsSweepService {
  constructor(private readonly ending: TaskEndingService) {}

  /** Settles or reopens dependents of these tasks; answers whether some are left. */
  async settle(tx: Tx, organizationId: string, taskIds: readonly string[]): Promise<boolean> {
    const waiting = await tx.rows(unsettledOf(organizationId, taskIds));
    const locked = await lockTasks(tx, organizationId, affectedByEnd(taskIds, waiting));
    const kinds = new Map(
      (await tx.rows(artifactKindsOf(organizationId, taskIds))).map(({ id, artifactKinds }) => [id, artifactKinds]),
    );
    const ended: EndedPrerequisite[] = [];
    for (const id of taskIds) {
      const { parentId, status } = locked.get(id)!;
      if (hasEnded(status)) ended.push({ id, parentId, status, artifactKinds: kinds.get(id) ?? [] });
      else await tx.rows(reopenDependents(organizationId, id, [...locked.keys()]));
    }
    if (ended.length > 0)
      await this.ending.proceed(tx, organizationId, locked, await settleDependents(tx, organizationId, ended, locked));
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

/** Edges of open dependents that an end, or a retry, has not moved yet; of ended dependents those behind an end. */
function unsettledOf(
  organizationId: string,
  taskIds: readonly string[],
): Statement<DependentTask & { readonly prerequisiteId: string }> {
  return statement(
    `select t.id, t.parent_id as "parentId", p.id as "prerequisiteId"
     from task p
     join task_dependency d on d.organization_id = $1 and d.depends_on_task_id = p.id
     join task t on t.organization_id = $1 and t.id = d.task_id
     where p.organization_id = $1 and p.id = any($2::uuid[])
       and case when ${isEndedTask('p.status')} then ${UNSETTLED}
           else ${dependencyMoves.permits('reopen', 'd.status')} and ${isOpenTask('t.status')} end
     order by t.id limit ${MAX_DEPENDENTS}`,
    organizationId,
    taskIds,
  );
}

function artifactKindsOf(
  organizationId: string,
  taskIds: readonly string[],
): Statement<{ id: string; artifactKinds: string[] }> {
  return statement(
    `select t.id, ${ARTIFACT_KINDS} as "artifactKinds" from task t where t.organization_id = $1 and t.id = any($2::uuid[])`,
    organizationId,
    taskIds,
  );
}

function markSettled(organizationId: string, taskIds: readonly string[]): Statement {
  return statement(
    `update task set dependents_unsettled = false
     where organization_id = $1 and id = any($2::uuid[]) and dependents_unsettled`,
    organizationId,
    taskIds,
  );
}
