import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { LeaseMetrics } from '../../../kernel/leases/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { hasEnded } from '../../tasks/index.ts';
import { lockAttempt, readAttempt } from './attempt.ts';
import { AttemptEndingService } from './attempt-ending.service.ts';
import { type AttemptError, leaseExpired, RUN_CANCELLED } from './attempt-error.ts';
import { RunErrors } from '../run.errors.ts';
import { RunSignalsService } from '../run-signals.service.ts';
import { isLive } from '../run.state.ts';
import { type ExpiryLimits, expiryOf, type ExpiryReason, RUNS_LIMIT, runsDue } from './run-expiry.queries.ts';

/** Time that a run has to end itself once it was asked to stop. */
const CANCEL_GRACE_SECONDS = 60;

const WORK_ENGINE = { kind: 'system', name: 'work engine' } as const;

const ERRORS: Readonly<Record<ExpiryReason | 'recovered', AttemptError>> = {
  lease: leaseExpired('The worker was not heard of until its lease expired.'),
  start_deadline: leaseExpired('The worker did not say in time that the run had begun.'),
  run_time: leaseExpired('The run took longer than runs may.'),
  recovered: leaseExpired('The worker started again and gave the run up.'),
  cancelled: RUN_CANCELLED,
};

/**
 * Ends runs whose worker went away, each in a transaction of its own, under the same locks as a completion and by the
 * complementary condition on the lease: where both arrive at once, the row lock decides.
 */
@Injectable()
export class RunExpiryService {
  private readonly limits: ExpiryLimits;
  private readonly lapsed: Addend;

  constructor(
    private readonly transactions: Transactions,
    private readonly endings: AttemptEndingService,
    private readonly signals: RunSignalsService,
    { runs: { startDeadlineSeconds, maxRunSeconds } }: Config,
    metrics: Metrics,
  ) {
    this.lapsed = metrics.counter(LeaseMetrics.expired, { kind: 'run' });
    this.limits = { startDeadlineSeconds, maxRunSeconds, cancelGraceSeconds: CANCEL_GRACE_SECONDS };
  }

  async expireDue(signal: AbortSignal): Promise<void> {
    let found: readonly { organizationId: string; id: string }[];
    do {
      found = await this.transactions.dispatch((run) => run(runsDue(this.limits)));
      for (const { organizationId, id } of found) {
        if (signal.aborted) return;
        await this.expire(organizationId, id);
      }
    } while (found.length === RUNS_LIMIT);
  }

  /**
   * Ends the run if its time is over; `recovered` ends one that its worker gave up, which is tried again at once.
   * Answers whether it did.
   */
  async expire(organizationId: string, runId: string, recovered?: { readonly bootId: string }): Promise<boolean> {
    const reason = await this.end(organizationId, runId, recovered);
    if (reason === 'lease') this.lapsed.inc();
    if (reason !== undefined) this.signals.news(organizationId, [runId]);
    return reason !== undefined;
  }

  /** Ends the run and says why; undefined where its time is not over. */
  private end(
    organizationId: string,
    runId: string,
    recovered: { readonly bootId: string } | undefined,
  ): Promise<ExpiryReason | 'recovered' | undefined> {
    return this.transactions.through(activeAccess(organizationId, RunErrors.leaseExpired), async (tx) => {
      const seen = await readAttempt(tx, runId);
      if (!seen || !isLive(seen.run.status)) return undefined;
      const attempt = await lockAttempt(tx, seen);
      if (!isLive(attempt.run.status)) return undefined;
      const [due] = await tx.rows(expiryOf(organizationId, runId, this.limits, recovered?.bootId ?? null));
      const reason = due!.reason ?? (recovered && due!.ofAnotherBoot ? 'recovered' : null);
      if (!reason) return undefined;
      const error = ERRORS[reason];
      if (hasEnded(attempt.task.status)) await this.endings.endBehindTask(tx, attempt, { error }, WORK_ENGINE);
      else if (attempt.run.cancelRequested)
        await this.endings.cancel(tx, attempt, { error }, RUN_CANCELLED, WORK_ENGINE);
      else {
        const immediately = reason === 'recovered';
        await this.endings.fail(tx, attempt, { error }, { expired: reason, immediately, actor: WORK_ENGINE });
      }
      return reason;
    });
  }
}
