import { type Day, plusDays } from './calendar.ts';

/**
 * When the days of a timezone begin. Days that it left out, as Samoa did one to change the side of the date line, have no
 * length; one whose midnight the clocks skip begins later.
 */
export class DayGrid {
  private readonly starts = new Map<Day, string>();

  constructor(readonly timezone: string) {}

  /** The instant at which a day begins, in UTC; of a day that was left out, that of the next one. */
  startOf(day: Day): string {
    const known = this.starts.get(day);
    if (known !== undefined) return known;
    const zoned = Temporal.PlainDate.from(day).toZonedDateTime(this.timezone);
    const start = zoned.toInstant().toString({ smallestUnit: 'second' });
    this.starts.set(day, start);
    return start;
  }

  /** Whether a day has any length. */
  exists(day: Day): boolean {
    return this.startOf(day) !== this.startOf(plusDays(day, 1));
  }

  /** The days of a window that have a length. */
  daysOf({ from, to }: { readonly from: Day; readonly to: Day }): readonly Day[] {
    const days: Day[] = [];
    for (let day = from; day < to; day = plusDays(day, 1)) if (this.exists(day)) days.push(day);
    return days;
  }

  /** The day that it is there at an instant. */
  dayAt(instant: string): Day {
    return Temporal.Instant.from(instant).toZonedDateTimeISO(this.timezone).toPlainDate().toString();
  }
}
