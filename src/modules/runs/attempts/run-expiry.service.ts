import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { statement, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { isLapsed } from '../../../kernel/leases/index.ts';
import { hasEnded } from '../../tasks/index.ts';
import { lockAttempt, readAttempt } from './attempt.ts';
import { AttemptEndingService } from './attempt-ending.service.ts';
import { type AttemptError, leaseExpired, RUN_CANCELLED } from './attempt-error.ts';
import { RunErrors } from '../run.errors.ts';
import { isLive, isLiveRun } from '../run.state.ts';

/** Runs that one statement finds. */
const RUNS_LIMIT = 100;
/** A run that was asked to stop has this long to say so. */
const CANCEL_GRACE_SECONDS = 60;

const WORK_ENGINE = { kind: 'system', name: 'work engine' } as const;

/** Why the backend itself ends a run. */
type Reason = 'lease' | 'start_deadline' | 'run_time' | 'cancelled' | 'recovered';

const ERRORS: Readonly<Record<Reason, AttemptError>> = {
  lease: leaseExpired('The worker was not heard of until its lease expired.'),
  start_deadline: leaseExpired('The worker did not say in time that the run had begun.'),
  run_time: leaseExpired('The run took longer than runs may.'),
  recovered: leaseExpired('The worker started again and gave the run up.'),
  cancelled: RUN_CANCELLED,
};

/**
 * Ends runs whose worker went away. Each in a transaction of its own, under the same locks as a completion, and by the
 * complementary condition on the lease: of the two that meet, the row lock decides.
 */
@Injectable()
export class RunExpiryService {
  private readonly startDeadlineSeconds: number;
  private readonly maxRunSeconds: number;

  constructor(
    private readonly transactions: Transactions,
    private readonly endings: AttemptEndingService,
    config: Config,
  ) {
    this.startDeadlineSeconds = config.runs.startDeadlineSeconds;
    this.maxRunSeconds = config.runs.maxRunSeconds;
  }

  async expireDue(signal: AbortSignal): Promise<void> {
    let found: readonly { organizationId: string; id: string }[];
    do {
      found = await this.transactions.dispatch((run) =>
        run(
          statement<{ organizationId: string; id: string }>(
            `select r.organization_id as "organizationId", r.id from run r join organization o on o.id = r.organization_id
             where ${isLiveRun('r.status')} and o.status = 'active' and ${this.reason('r')} is not null
             limit ${RUNS_LIMIT}`,
          ),
        ),
      );
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
  expire(organizationId: string, runId: string, recovered?: { readonly bootId: string }): Promise<boolean> {
    return this.transactions.through(activeAccess(organizationId, RunErrors.leaseExpired), async (tx) => {
      const seen = await readAttempt(tx, organizationId, runId);
      if (!seen || !isLive(seen.run.status)) return false;
      const attempt = await lockAttempt(tx, organizationId, seen);
      if (!isLive(attempt.run.status)) return false;
      const [due] = await tx.rows(
        statement<{ reason: Reason | null; ofAnotherBoot: boolean }>(
          `select ${this.reason('r')} as reason, r.boot_id is distinct from $3::uuid as "ofAnotherBoot"
           from run r where r.organization_id = $1 and r.id = $2`,
          organizationId,
          runId,
          recovered?.bootId ?? null,
        ),
      );
      const reason = due!.reason ?? (recovered && due!.ofAnotherBoot ? 'recovered' : null);
      if (!reason) return false;
      const error = ERRORS[reason];
      if (hasEnded(attempt.task.status))
        await this.endings.endBehindTask(tx, organizationId, attempt, { error }, WORK_ENGINE);
      else if (attempt.run.cancelRequested)
        await this.endings.cancel(tx, organizationId, attempt, { error }, RUN_CANCELLED, WORK_ENGINE);
      else {
        const immediately = reason === 'recovered';
        await this.endings.fail(
          tx,
          organizationId,
          attempt,
          { error },
          { expired: true, immediately, actor: WORK_ENGINE },
        );
      }
      return true;
    });
  }

  /** SQL for why a live run's time is over; null while it is not. */
  private reason(run: string): string {
    return `case
      when ${isLapsed('run', `${run}.lease_expires_at`)} then 'lease'
      when ${run}.cancel_requested_at <= clock_timestamp() - interval '${CANCEL_GRACE_SECONDS} seconds' then 'cancelled'
      when ${run}.status = 'starting' and ${run}.started_at <= clock_timestamp() - interval '${this.startDeadlineSeconds} seconds' then 'start_deadline'
      when ${run}.started_at <= clock_timestamp() - interval '${this.maxRunSeconds} seconds' then 'run_time' end`;
  }
}
