import { Injectable, Logger } from '@nestjs/common';
import { ISO_NOW, statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { DependentsSweepService } from './dependents-sweep.service.ts';
import { scanEnd, type ScanPosition, SCAN_START, IS_STUCK, stuckTasks } from './liveness.queries.ts';
import { OperatorQuestions } from './operator-questions.port.ts';
import { OrphanedTasksService } from './orphaned-tasks.service.ts';
import { TaskEndingService } from './task-ending.service.ts';
import { type LockedTasks, lockForEnd } from '../graph/task-locks.ts';
import type { LockedTask } from '../graph/task-locks.queries.ts';
import { taskMoves } from '../task.state.ts';
import { type FoundTask, reportSweep, SWEEP_LIMIT, sweepTasks } from './task-sweep.ts';

/** What transactions of tasks leave undone, and what must not be. */
@Injectable()
export class TasksJobs {
  private readonly logger = new Logger('Tasks');
  private scannedTo: ScanPosition = SCAN_START;

  constructor(
    private readonly transactions: Transactions,
    private readonly ending: TaskEndingService,
    private readonly dependents: DependentsSweepService,
    private readonly orphans: OrphanedTasksService,
    private readonly questions: OperatorQuestions,
  ) {}

  /** Settles what wide ends, and retries behind them, left: each transaction as many dependents as one may lock. */
  @Job('task-dependents', '*/2 * * * * *')
  async settleDependents(signal: AbortSignal): Promise<void> {
    let more = true;
    while (more && !signal.aborted) {
      more = false;
      await sweepTasks(this.transactions, signal, {
        find: statement<FoundTask>(
          `select t.organization_id as "organizationId", t.id from task t join organization o on o.id = t.organization_id
           where t.dependents_unsettled and o.status = 'active' limit ${SWEEP_LIMIT}`,
        ),
        perTransaction: 50,
        move: async (tx, organizationId, ids) => {
          if (await this.dependents.settle(tx, organizationId, ids)) more = true;
        },
      });
    }
  }

  /** Repairs tasks that nobody would ever move: with a new request, and for a second time by asking a person. */
  @Job('task-liveness', '*/15 * * * * *')
  async repair(signal: AbortSignal): Promise<void> {
    const from = this.scannedTo;
    const [to] = await this.transactions.dispatch((run) => run(scanEnd(from)));
    await sweepTasks(this.transactions, signal, {
      find: stuckTasks(from, to),
      move: (tx, organizationId, [id]) => this.repairOne(tx, organizationId, id!),
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

  private async repairOne(tx: Tx, organizationId: string, id: string): Promise<void> {
    const locked = await lockForEnd(tx, organizationId, [id]);
    const [task] = await tx.rows(
      statement<{ repaired: boolean }>(
        `select t.repaired_at is not null as repaired from task t where t.organization_id = $1 and t.id = $2 and ${IS_STUCK}`,
        organizationId,
        id,
      ),
    );
    if (!task) return;
    this.logger.warn(`task ${id} had no next mover`);
    if (task.repaired) return this.escalate(tx, organizationId, locked, locked.get(id)!);
    await tx.rows(
      statement(
        `update task set status = ${taskMoves.moved('repair', 'status')}, repaired_at = clock_timestamp(), version = version + 1,
           updated_at = clock_timestamp()
         where organization_id = $1 and id = $2`,
        organizationId,
        id,
      ),
    );
    await this.ending.proceed(tx, organizationId, locked, [id]);
  }

  private async escalate(tx: Tx, organizationId: string, locked: LockedTasks, task: LockedTask): Promise<void> {
    const { id } = task;
    const reason = 'The task stands still for the second time.';
    const inboxItemId = await this.questions.ask(tx, organizationId, id, reason);
    if (inboxItemId === null)
      return this.ending.end(tx, organizationId, locked, task, {
        status: 'failed',
        code: 'liveness_violation',
        message: reason,
        runId: null,
      });
    await tx.rows(
      statement(
        `update task set status = ${taskMoves.moved('ask', 'status')}, version = version + 1, updated_at = clock_timestamp(),
           blockers = jsonb_build_array(jsonb_build_object('kind', 'operator', 'inboxItemId', $3::text, 'since', ${ISO_NOW}))
         where organization_id = $1 and id = $2`,
        organizationId,
        id,
        inboxItemId,
      ),
    );
  }
}
