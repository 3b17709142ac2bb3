import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { MonthlyPartitions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';

@Injectable()
export class RunLogsJobs {
  private readonly retentionMonths: number;

  constructor(
    private readonly partitions: MonthlyPartitions,
    config: Config,
  ) {
    this.retentionMonths = config.logRetentionMonths;
  }

  @Job('run-log-partitions', CronExpression.EVERY_HOUR, { atStart: true })
  keepPartitions(signal: AbortSignal): Promise<void> {
    const { retentionMonths } = this;
    return this.partitions.keep({ table: 'run_log', column: 'run_month', retentionMonths }, signal);
  }
}
