import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { MonthlyPartitions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';

@Injectable()
export class CallLogJobs {
  constructor(
    private readonly partitions: MonthlyPartitions,
    private readonly config: Config,
  ) {}

  @Job('integration-call-partitions', CronExpression.EVERY_HOUR, { atStart: true })
  keepPartitions(signal: AbortSignal): Promise<void> {
    const { logRetentionMonths: retentionMonths } = this.config;
    return this.partitions.keep({ table: 'integration_call', column: 'at', retentionMonths }, signal);
  }
}
