import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { staleTokens } from './token-refresh.queries.ts';
import { TokenRefreshService } from './token-refresh.service.ts';

const BATCH = 20;

@Injectable()
export class TokenRefreshJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly refreshes: TokenRefreshService,
  ) {}

  /** Refreshes tokens that nobody used for a day, since unused grants lapse. */
  @Job('oauth-refresh', CronExpression.EVERY_MINUTE)
  async refresh(signal: AbortSignal): Promise<void> {
    const [stale] = await this.transactions.dispatchBatch([staleTokens(BATCH)]);
    for (const place of stale) {
      if (signal.aborted) return;
      await this.refreshes.refreshed(place).catch((error: unknown) => {
        // What it found is written down with the credential.
        if (!(error instanceof ApiError)) throw error;
      });
    }
  }
}
