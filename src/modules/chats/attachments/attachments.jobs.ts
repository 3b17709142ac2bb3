import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Job } from '../../../kernel/jobs/index.ts';
import { Uploads } from '../../../kernel/uploads/index.ts';
import { attachmentUploads } from './attachment-uploads.queries.ts';

@Injectable()
export class AttachmentsJobs {
  constructor(private readonly uploads: Uploads) {}

  /** Discards uploads whose request died before it could. */
  @Job('attachment-uploads', CronExpression.EVERY_MINUTE)
  discardStale(signal: AbortSignal): Promise<void> {
    return this.uploads.sweep(attachmentUploads, signal);
  }
}
