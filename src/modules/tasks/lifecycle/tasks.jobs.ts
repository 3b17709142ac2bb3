import { Injectable } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { actorColumns, logEvent } from '../../organizations/index.ts';
import { DependentsSweepService } from './dependents-sweep.service.ts';
import { withUnsettledDependents } from './dependents-sweep.queries.ts';
import { repairTask, scanEnd, type ScanPosition, SCAN_START, stuckTask, stuckTasks } from './liveness.queries.ts';
import { OperatorQuestions } from './operator-questions.port.ts';
import { OrphanedTasksService } from './orphaned-tasks.service.ts';
import { TaskBlockersService } from './task-blockers.service.ts';
import { BACKEND, TaskEndingService } from './task-ending.service.ts';
import { type LockedTasks, lockForEnd } from '../graph/task-locks.ts';
import type { LockedTask } from '../graph/task-locks.queries.ts';
import { reportSweep, sweepTasks } from './task-sweep.ts';

/** Finishes what transactions of tasks leave to later, and repairs tasks that are stuck. */
@Injectable()
export class TasksJobs {
  private scannedTo: ScanPosition = SCAN_START;

  constructor(
    private readonly transactions: Transactions,
    private readonly ending: TaskEndingService,
    private readonly dependents: DependentsSweepService,
    private readonly orphans: OrphanedTasksService,
    private readonly questions: OperatorQuestions,
    private readonly blockers: TaskBlockersService,
  ) {}

  /** Settles the dependents that ends and retries left, in each transaction as many as one may lock. */
  @Job('task-dependents', '*/2 * * * * *')
  async settleDependents(signal: AbortSignal): Promise<void> {
    let more = true;
    while (more && !signal.aborted) {
      more = false;
      await sweepTasks(this.transactions, signal, {
        find: withUnsettledDependents(),
        perTransaction: 50,
        move: async (tx, ids) => {
          if (await this.dependents.settle(tx, ids)) more = true;
        },
      });
    }
  }

  /** Repairs tasks that no request would ever move: with a new request, and the second time by asking a person. */
  @Job('task-liveness', '*/15 * * * * *')
  async repair(signal: AbortSignal): Promise<void> {
    const from = this.scannedTo;
    const [to] = await this.transactions.dispatch((run) => run(scanEnd(from)));
    await sweepTasks(this.transactions, signal, {
      find: stuckTasks(from, to),
      move: (tx, [id]) => this.repairOne(tx, id!),
    });
    this.scannedTo = to ?? SCAN_START;
  }

  @Job('tasks-of-deleted-profiles', '*/2 * * * * *')
  async cancelOrphans(signal: AbortSignal): Promise<void> {
    for (const profile of await this.orphans.find()) {
      if (signal.aborted) return;
      await this.orphans.cancel(profile, signal).catch(reportSweep(profile.id));
    }
  }

  private async repairOne(tx: Tx, id: string): Promise<void> {
    const locked = await lockForEnd(tx, [id]);
    const [task] = await tx.rows(stuckTask(tx.organizationId, id));
    if (!task) return;
    tx.afterCommit(() => logRepaired(tx.organizationId, id, task.repaired));
    if (task.repaired) return this.escalate(tx, locked, locked.get(id)!);
    await tx.rows(repairTask(tx.organizationId, id));
    await this.ending.proceed(tx, locked, [id]);
  }

  private async escalate(tx: Tx, locked: LockedTasks, task: LockedTask): Promise<void> {
    const { id } = task;
    const reason = 'The task has lost its run request for the second time.';
    const inboxItemId = await this.questions.ask(tx, id, reason);
    if (inboxItemId === null)
      return this.ending.end(tx, locked, task, {
        status: 'failed',
        code: 'liveness_violation',
        message: reason,
        runId: null,
      });
    await this.blockers.add(tx, id, { kind: 'operator', inboxItemId });
  }
}

/** Tells of a task that had no next mover: a defect of the service, which an operator should know of. */
function logRepaired(organizationId: string, id: string, again: boolean): void {
  const facts = { reason: 'no_next_mover', again };
  logEvent({
    organizationId,
    verb: 'task.repaired',
    actor: actorColumns(BACKEND),
    subject: { kind: 'task', id },
    facts,
  });
}
