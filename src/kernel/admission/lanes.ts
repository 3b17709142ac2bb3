import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The queues for connections. `urgent` serves calls on which a lease or a health check depends (claims, starts,
 * heartbeats, appends, final calls, the look-up of a token's owner): they are short and never wait behind other reads
 * and writes. `ordinary` serves all else that a caller waits for, `background` the statements of jobs.
 */
export const LANES = ['urgent', 'ordinary', 'background'] as const;
export type Lane = (typeof LANES)[number];

export interface LaneSize {
  readonly size: number;
  /** Most of them for one organization, or for one subject outside any. */
  readonly share: number;
}

/** The lane in which a call waits for its connection, and the key it counts for. */
export interface Line {
  readonly lane: Lane;
  /**
   * The organization, or the subject outside any, whose share the call counts against; undefined for calls that work
   * for all.
   */
  readonly key?: string;
}

/** For work across organizations that a caller waits for. */
export const FOR_ALL: Line = { lane: 'urgent' };

export const JOBS: Line = { lane: 'background', key: 'jobs' };

const SMALLEST_WITH_BACKGROUND = 6;
const MOST_IN_BACKGROUND = 4;

/**
 * Splits a process's connections: of 20, 3 are for jobs, 7 for urgent and 10 for ordinary calls. With fewer than six,
 * jobs share the ordinary lane.
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

/** Runs a job, so that all its statements take the background lane. */
export function inBackground<T>(work: () => T): T {
  return jobs.run(true, work);
}

/** Runs work that a job only started and callers wait for, so that it does not take the background lane. */
export function outsideJobs<T>(work: () => T): T {
  return jobs.exit(work);
}

export function isJob(): boolean {
  return jobs.getStore() === true;
}
