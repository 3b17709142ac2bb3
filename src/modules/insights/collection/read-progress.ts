import type { Day } from '../definitions/index.ts';

/** Which days of a read were read when, under its version and timezone. */
export interface ReadProgress {
  /** The first day that was read; null before the first collection. */
  readonly from: Day | null;
  /** The day after the last one that was read. */
  readonly to: Day | null;
  /** Whether history was read as far back as it goes. */
  readonly backfilled: boolean;
  /** When older days were last read once more; null before the first time. */
  readonly rereadAt: string | null;
  /** With which history goes on where a list of pages was left. */
  readonly resume: Readonly<Record<string, unknown>> | null;
}

export const NO_PROGRESS: ReadProgress = { from: null, to: null, backfilled: false, rereadAt: null, resume: null };
