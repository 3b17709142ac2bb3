/** A time of the database, so many milliseconds later. */
export function later(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString();
}
