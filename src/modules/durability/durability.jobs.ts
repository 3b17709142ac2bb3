import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../config/index.ts';
import { type Statement, Transactions } from '../../kernel/database/index.ts';
import { Job } from '../../kernel/jobs/index.ts';
import { emptyExpired, forgetVersions } from './durability.queries.ts';

const ROWS_LIMIT = 1_000;

@Injectable()
export class DurabilityJobs {
  private readonly retention: { readonly days: number; readonly versionDays: number };

  constructor(
    private readonly transactions: Transactions,
    config: Config,
  ) {
    this.retention = config.durabilityRetention;
  }

  @Job('durability-purge', CronExpression.EVERY_HOUR)
  async purgeExpired(signal: AbortSignal): Promise<void> {
    const { days, versionDays } = this.retention;
    await this.untilDone(emptyExpired(days, ROWS_LIMIT), signal);
    await this.untilDone(forgetVersions(versionDays, ROWS_LIMIT), signal);
  }

  private async untilDone(statements: readonly Statement[], signal: AbortSignal): Promise<void> {
    let removed: unknown[] = [];
    do {
      removed = await this.transactions.owner(async (run) => {
        let rows: unknown[] = [];
        for (const each of statements) rows = await run(each);
        return rows;
      });
    } while (removed.length === ROWS_LIMIT && !signal.aborted);
  }
}
