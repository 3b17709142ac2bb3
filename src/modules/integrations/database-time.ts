/** A time of the database's clock, moved. */
export function later(time: string, milliseconds: number): string {
  return new Date(Date.parse(time) + milliseconds).toISOString();
}
