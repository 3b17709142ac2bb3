import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { MonthlyPartitions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { OrganizationObjectsService } from './organization-objects.service.ts';
import { OrganizationPurgeService } from './organization-purge.service.ts';

@Injectable()
export class OrganizationPurgeJobs {
  private readonly retentionMonths: number;

  constructor(
    private readonly purge: OrganizationPurgeService,
    private readonly objects: OrganizationObjectsService,
    private readonly partitions: MonthlyPartitions,
    config: Config,
  ) {
    this.retentionMonths = config.activityRetentionMonths;
  }

  @Job('organization-purge', CronExpression.EVERY_5_SECONDS)
  purgeDeleted(signal: AbortSignal): Promise<void> {
    return this.purge.run(signal);
  }

  @Job('organization-objects', CronExpression.EVERY_10_MINUTES)
  removeLateObjects(signal: AbortSignal): Promise<void> {
    return this.objects.removeLate(signal);
  }

  @Job('activity-partitions', CronExpression.EVERY_HOUR, { atStart: true })
  keepPartitions(signal: AbortSignal): Promise<void> {
    return this.partitions.keep({ table: 'activity', column: 'at', retentionMonths: this.retentionMonths }, signal);
  }
}
