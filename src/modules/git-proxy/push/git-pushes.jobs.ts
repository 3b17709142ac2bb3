import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { Uploads } from '../../../kernel/uploads/index.ts';
import {
  ENDED_PUSHES_LIMIT,
  type EndedPush,
  longEndedPushes,
  pushUploads,
  removeGitPush,
} from './git-pushes.queries.ts';

/** Removes the bytes of pushes that nothing needs: of requests that died, and of actions that ended long ago. */
@Injectable()
export class GitPushesJobs {
  private readonly logger = new Logger('GitPushes');

  constructor(
    private readonly transactions: Transactions,
    private readonly uploads: Uploads,
  ) {}

  @Job('git-push-uploads', CronExpression.EVERY_MINUTE)
  discardStale(signal: AbortSignal): Promise<void> {
    return this.uploads.sweep(pushUploads, signal);
  }

  @Job('git-push-retention', CronExpression.EVERY_10_MINUTES)
  async removeEnded(signal: AbortSignal): Promise<void> {
    let found: EndedPush[] = [];
    do {
      found = await this.transactions.dispatch((run) => run(longEndedPushes(found.at(-1))));
      for (const push of found) {
        if (signal.aborted) return;
        await this.remove(push);
      }
    } while (found.length === ENDED_PUSHES_LIMIT);
  }

  /** Gives the bytes back to the notes first, so that they are found again where a process dies over them. */
  private async remove(push: EndedPush): Promise<void> {
    const { organizationId, actionId: id } = push;
    const upload = { organizationId, id };
    try {
      const isGivenUp = await this.transactions.through(
        activeAccess(organizationId, EdgeErrors.stateConflict, 'ordinary'),
        async (tx) => {
          const removed = await tx.rows(removeGitPush(push));
          if (removed.length > 0) await tx.batch(pushUploads.release(upload));
          return removed.length > 0;
        },
      );
      if (isGivenUp) await this.uploads.discard(pushUploads, upload);
    } catch (error) {
      // Its organization is being deleted, with all that it has.
      if (error instanceof ApiError) return;
      this.logger.error(`the bytes of the push ${id} were not removed`, (error as Error).stack);
    }
  }
}
