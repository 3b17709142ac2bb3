import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { removeOccurrences, RETENTION_LIMIT, schedulesBehind } from './occurrence-retention.queries.ts';
import { DUE_LIMIT, type DueSchedule, dueSchedules, type FoundSchedule } from './schedule-firing.queries.ts';
import { ScheduleFiringService } from './schedule-firing.service.ts';
import { ScheduleErrors } from '../schedule.errors.ts';

/** Fires under way at once: one connection fewer than jobs have, so that none of them keeps lease sweeps waiting. */
const AT_ONCE = 2;

/** The tick of schedules. */
@Injectable()
export class SchedulesJobs {
  private readonly logger = new Logger('Schedules');
  private readonly retentionMonths: number;

  constructor(
    private readonly transactions: Transactions,
    private readonly firing: ScheduleFiringService,
    config: Config,
  ) {
    this.retentionMonths = config.runRetentionMonths;
  }

  /** Fires what is due, oldest first. The finder only proposes; every fire looks again behind its fence. */
  @Job('schedules-fire', '* * * * * *')
  async fireDue(signal: AbortSignal): Promise<void> {
    let found: FoundSchedule[] = [];
    do {
      found = await this.transactions.dispatch((run) => run(dueSchedules(found.at(-1))));
      // Replicas that look at the same rows begin at different places.
      const due = found.filter(({ permitted }) => permitted);
      const start = Math.floor(Math.random() * due.length);
      const queue = [...due.slice(start), ...due.slice(0, start)].values();
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.fireAll(queue, signal)));
    } while (found.length === DUE_LIMIT && !signal.aborted);
  }

  /** Occurrences go with the runs that they led to. */
  @Job('schedule-occurrence-retention', CronExpression.EVERY_6_HOURS)
  async removeOldOccurrences(signal: AbortSignal): Promise<void> {
    const months = this.retentionMonths;
    let after = { organizationId: FIRST_UUID, id: FIRST_UUID };
    let found: { organizationId: string; id: string; hasOld: boolean }[];
    do {
      found = await this.transactions.owner((run) => run(schedulesBehind(after, months)));
      for (const { organizationId, id, hasOld } of found) {
        let removed: unknown[] = Array.from({ length: hasOld ? RETENTION_LIMIT : 0 });
        while (removed.length === RETENTION_LIMIT && !signal.aborted)
          removed = await this.transactions.owner((run) => run(removeOccurrences(organizationId, id, months)));
      }
      after = found.at(-1) ?? after;
    } while (found.length === RETENTION_LIMIT && !signal.aborted);
  }

  private async fireAll(queue: Iterable<DueSchedule>, signal: AbortSignal): Promise<void> {
    for (const due of queue) {
      if (signal.aborted) return;
      try {
        await this.firing.fire(due);
      } catch (error) {
        // The organization went meanwhile. Anything else must not hold up the others, and is tried again at the next tick.
        if (!(error instanceof ApiError && error.row === ScheduleErrors.notFound))
          this.logger.error(`schedule ${due.id} did not fire`, (error as Error).stack);
      }
    }
  }
}
