import { CronTime } from 'cron';

/**
 * A cron time that is due even when it passed between two reads of the clock, as happens under load. The library would
 * skip it when it is late by more than 0.25 s, and write a warning to standard error instead of the log.
 */
export class LateTime extends CronTime {
  override getTimeout(): number {
    return Math.max(0, super.getTimeout());
  }
}
