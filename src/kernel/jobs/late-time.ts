import { CronTime } from 'cron';

/**
 * A moment that passes between two looks at the clock, as happens under load, has come. The library would warn on standard
 * error, past the log, and leave it out when it is late by more than a quarter of a second.
 */
export class LateTime extends CronTime {
  override getTimeout(): number {
    return Math.max(0, super.getTimeout());
  }
}
