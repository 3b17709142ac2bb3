import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What a statement waits behind. `urgent` calls are those that a lease or a probe of health hangs on (claims, starts,
 * heartbeats, appends, final calls, who a token belongs to): short, and never behind anybody's reads and writes.
 * `ordinary` ones are all else that a caller waits for; `background` ones are those of jobs.
 */
export const LANES = ['urgent', 'ordinary', 'background'] as const;
export type Lane = (typeof LANES)[number];

export interface LaneSize {
  readonly size: number;
  /** How many of them one organization, or one subject outside any, may hold. */
  readonly share: number;
}

/** Where a call waits for its connection. */
export interface Line {
  readonly lane: Lane;
  /** The organization, or the subject outside any, whose share it counts against; undefined for calls that work for all. */
  readonly key?: string;
}

/** What works across organizations and somebody waits for. */
export const FOR_ALL: Line = { lane: 'urgent' };

export const JOBS: Line = { lane: 'background', key: 'jobs' };

const SMALLEST_WITH_BACKGROUND = 6;
const MOST_IN_BACKGROUND = 4;

/**
 * Splits a process's connections: of 20 are 3 for jobs, 7 for urgent and 10 for ordinary calls. With fewer than six,
 * jobs go with ordinary calls.
 */
export function laneSizes(poolSize: number): Readonly<Record<Lane, LaneSize>> {
  const background = poolSize < SMALLEST_WITH_BACKGROUND ? 0 : Math.min(MOST_IN_BACKGROUND, Math.floor(poolSize / 6));
  const urgent = Math.max(1, Math.round((poolSize - background) * 0.4));
  const ordinary = poolSize - background - urgent;
  return {
    urgent: { size: urgent, share: Math.max(1, Math.floor(urgent / 2)) },
    ordinary: { size: ordinary, share: Math.max(1, Math.floor(ordinary / 3)) },
    background: { size: background, share: background },
  };
}

const jobs = new AsyncLocalStorage<true>();

/** Runs a job: whatever it asks the database goes by the lane of jobs. */
export function inBackground<T>(work: () => T): T {
  return jobs.run(true, work);
}

/** Runs what a job only set off and others wait for. */
export function outsideJobs<T>(work: () => T): T {
  return jobs.exit(work);
}

export function isJob(): boolean {
  return jobs.getStore() === true;
}
