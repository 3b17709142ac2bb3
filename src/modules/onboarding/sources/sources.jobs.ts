import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Job } from '../../../kernel/jobs/index.ts';
import { Uploads } from '../../../kernel/uploads/index.ts';
import { onboardingUploads } from './sources.queries.ts';

@Injectable()
export class SourcesJobs {
  constructor(private readonly uploads: Uploads) {}

  /** Discards uploads whose request died before it could, and bytes of sources that were replaced or deleted. */
  @Job('onboarding-uploads', CronExpression.EVERY_MINUTE)
  discardStale(signal: AbortSignal): Promise<void> {
    return this.uploads.sweep(onboardingUploads, signal);
  }
}
