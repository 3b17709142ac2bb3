const FIRST_MS = 60_000;
const MOST_MS = 6 * 3_600_000;
/** The furthest that a provider may put a source off. */
const MOST_NAMED_MS = 24 * 3_600_000;

/**
 * How long a source rests behind its n-th failure in a row, counted from 0: a random part of twice as long each time, so that
 * those that failed together do not come back together. A later time that the provider names wins.
 */
export function backOffMs(failures: number, namedSeconds: number | null, random: () => number = Math.random): number {
  const most = Math.min(FIRST_MS * 2 ** failures, MOST_MS);
  const named = Math.min((namedSeconds ?? 0) * 1_000, MOST_NAMED_MS);
  return Math.round(Math.max(random() * most, named));
}
