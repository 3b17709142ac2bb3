import { type Sql, sql } from '../sql/index.ts';

/** The longest rest, in seconds. */
const LONGEST = sql`60`;
/** The highest exponent: 2^6 seconds are more than the longest rest. */
const DOUBLED = sql`6`;

/** SQL for how long work rests after its n-th release in a row: a second, doubled each time, at most a minute. */
export function restAfter(releases: string): Sql {
  return sql`least(${LONGEST}, power(2, least(${sql.raw(releases)} - 1, ${DOUBLED}))) * interval '1 second'`;
}

/**
 * SQL for the number of releases in a row, the current one included, of the row `alias`. Releases before the last
 * attempt that began do not count.
 */
export function releasesInARow(alias: string, attempts: string): Sql {
  const of = sql.raw(alias);
  return sql`case when ${of}.released_attempt = ${of}.${sql.raw(attempts)} then ${of}.release_streak + 1 else 1 end`;
}
