/** What was given back rests: a second, doubled with each time in a row, at most a minute. */
const LONGEST_SECONDS = 60;
/** 2^6 seconds are more than the longest rest. */
const DOUBLED = 6;

/** SQL for the rest after so many releases in a row. */
export function restAfter(releases: string): string {
  return `least(${LONGEST_SECONDS}, power(2, least(${releases} - 1, ${DOUBLED}))) * interval '1 second'`;
}

/**
 * SQL for the releases in a row of a row `alias` with the one that is being made: those before the last attempt that began
 * are no longer in the row.
 */
export function releasesInARow(alias: string, attempts: string): string {
  return `case when ${alias}.released_attempt = ${alias}.${attempts} then ${alias}.release_streak + 1 else 1 end`;
}
