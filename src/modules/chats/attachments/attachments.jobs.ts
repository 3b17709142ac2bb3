import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { staleUploads, type StaleUpload, STALE_UPLOADS_LIMIT } from './attachment-uploads.queries.ts';
import { AttachmentUploadsService } from './attachment-uploads.service.ts';

/** Discards uploads whose request died before it could. */
@Injectable()
export class AttachmentsJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly uploads: AttachmentUploadsService,
  ) {}

  @Job('attachment-uploads', CronExpression.EVERY_MINUTE)
  async discardStale(signal: AbortSignal): Promise<void> {
    let found: StaleUpload[] = [];
    do {
      found = await this.transactions.dispatch((run) => run(staleUploads(found.at(-1))));
      for (const upload of found) {
        if (signal.aborted) return;
        await this.uploads.discard(upload);
      }
    } while (found.length === STALE_UPLOADS_LIMIT);
  }
}
