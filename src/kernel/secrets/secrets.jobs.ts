import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Job } from '../jobs/index.ts';
import { Secrets } from './secrets.ts';

@Injectable()
export class SecretsJobs {
  private readonly logger = new Logger('Secrets');

  constructor(private readonly secrets: Secrets) {}

  /** After a rotation the first key takes over what the others wrap, until they can be removed. */
  @Job('secrets-rewrap', CronExpression.EVERY_HOUR, { atStart: true })
  async rewrap(signal: AbortSignal): Promise<void> {
    const { moved, unreadable } = await this.secrets.rewrapAll(signal);
    if (moved > 0) this.logger.log(`${moved} secrets are encrypted with the first of ENCRYPTION_KEYS now`);
    if (unreadable > 0) this.logger.warn(`${unreadable} secrets cannot be opened and stay as they are`);
  }
}
