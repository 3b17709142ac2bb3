/** Between two listings of a connector that answers. */
const HOURS = 6;
/** Behind the first failure; doubled by each further one, up to the time of one that answers. */
const FAILED_MINUTES = 10;
const MINUTE_MS = 60_000;

/** When a connector's tools are listed again, after so many failures in a row. */
export function inventoryDueAt(now: string, failures: number): string {
  const minutes = failures === 0 ? HOURS * 60 : Math.min(FAILED_MINUTES * 2 ** Math.min(failures - 1, 10), HOURS * 60);
  return later(now, minutes * MINUTE_MS);
}

/** A time of the database's clock, moved. */
export function later(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}
