import { Injectable } from '@nestjs/common';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { LeaseMetrics } from '../../../kernel/leases/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { cutText } from '../../../kernel/validation/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { OperatorQuestions, rejoinLinesOfOne, WorkSignals } from '../../tasks/index.ts';
import { DispatchUpkeepService } from './dispatch-upkeep.service.ts';
import {
  type Deferred,
  deferLapsed,
  REQUESTS_LIMIT,
  oftenLapsed,
  markDueReady,
  type ReadyCount,
  requeueLapsed,
} from './run-requests.queries.ts';
import { RunErrors } from '../run.errors.ts';

const DEFER_SECONDS = 5 * 60;

/** Keeps the queue: makes due requests ready, requeues lapsed claims, and keeps the lines along which claims look. */
@Injectable()
export class RunRequestsJobs {
  private readonly lapsed: Addend;

  constructor(
    private readonly transactions: Transactions,
    private readonly signals: WorkSignals,
    private readonly activity: ActivityLogService,
    private readonly questions: OperatorQuestions,
    private readonly lines: DispatchUpkeepService,
    metrics: Metrics,
  ) {
    this.lapsed = metrics.counter(LeaseMetrics.expired, { kind: 'claim' });
  }

  @Job('run-requests-due', '* * * * * *')
  async makeDueReady(signal: AbortSignal): Promise<void> {
    await this.moveAll(markDueReady(), signal);
    await this.lines.keep(signal);
  }

  @Job('run-claims-lapsed', '*/5 * * * * *')
  async queueLapsedClaims(signal: AbortSignal): Promise<void> {
    this.lapsed.inc(await this.moveAll(requeueLapsed(), signal));
    const [often] = await this.transactions.dispatchBatch([oftenLapsed()]);
    for (const { organizationId, id } of often) {
      if (signal.aborted) return;
      await this.defer(organizationId, id);
    }
  }

  /** Runs the statement until it finds less than it may; returns how many requests it moved. */
  private async moveAll(query: Statement<ReadyCount>, signal: AbortSignal): Promise<number> {
    let [moved, all] = [0, 0];
    do {
      const [rows] = await this.transactions.dispatchBatch([query]);
      this.signalReady(rows);
      moved = rows.reduce((sum, { count }) => sum + count, 0);
      all += moved;
    } while (moved === REQUESTS_LIMIT && !signal.aborted);
    return all;
  }

  private signalReady(rows: readonly ReadyCount[]): void {
    for (const { organizationId, count } of rows) this.signals.ready(organizationId, count);
  }

  private async defer(organizationId: string, id: string): Promise<void> {
    try {
      const isDeferred = await this.transactions.through(
        activeAccess(organizationId, RunErrors.leaseExpired),
        async (tx) => {
          const [deferred] = await tx.rows(deferLapsed(organizationId, id, DEFER_SECONDS));
          if (!deferred) return false;
          await tx.rows(rejoinLinesOfOne(organizationId));
          tx.afterCommit(() => this.signals.ready(organizationId, 1));
          await this.activity.record(tx, {
            actor: { kind: 'system', name: 'work engine' },
            verb: 'run_request.deferred',
            subject: { kind: 'run_request', id, label: deferred.label },
            details: { taskId: deferred.taskId, availableAt: deferred.availableAt, reason: 'claims_lapsed' },
          });
          await this.questions.tell(tx, notStarted(deferred));
          return true;
        },
      );
      if (isDeferred) this.lapsed.inc();
    } catch (error) {
      // The organization went meanwhile.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

function notStarted({ taskId, label }: Deferred) {
  return {
    taskId,
    title: cutText(`Not started: ${label}`, 200),
    body: 'Workers claimed this task ten times in a row without starting a run. It waits for five minutes now; see whether your agent runtime is well.',
    dedupeKey: `claims_lapsed:${taskId}`,
  };
}
