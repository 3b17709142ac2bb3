import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../database/index.ts';
import { Job } from '../jobs/index.ts';
import { analyzeGrownTables } from './statistics.queries.ts';

@Injectable()
export class StatisticsJobs {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Analyzes small tables that have grown by a fifth. A connection keeps the plan that it made while tables were empty,
   * when every index seemed as good as the key, until the table is analyzed; autovacuum looks once a minute (measured on
   * a new database: after 2,000 runs of four organizations 5 lifecycles a second, with this 50).
   */
  @Job('tables-analyze', CronExpression.EVERY_5_SECONDS)
  async analyze(): Promise<void> {
    await this.transactions.dispatch((run) => run(analyzeGrownTables()));
  }
}
