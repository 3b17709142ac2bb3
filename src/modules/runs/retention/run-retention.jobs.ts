import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { RunRetentionService } from './run-retention.service.ts';

@Injectable()
export class RunRetentionJobs {
  private readonly months: number;

  constructor(
    private readonly retention: RunRetentionService,
    config: Config,
  ) {
    this.months = config.runRetentionMonths;
  }

  @Job('run-retention', CronExpression.EVERY_HOUR)
  removeOld(signal: AbortSignal): Promise<void> {
    return this.retention.run(this.months, signal);
  }
}
