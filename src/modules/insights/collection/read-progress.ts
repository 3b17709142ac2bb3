/** Which days of a read were read when. */
export interface ReadProgress {
  /** The first day that was read, of this version and timezone; null before the first collection. */
  readonly from: string | null;
  /** The day after the last one that was read. */
  readonly to: string | null;
  /** Whether history was read as far back as it goes. */
  readonly backfilled: boolean;
  /** The last time that older days were read once more, as an instant. */
  readonly rereadAt: string | null;
  /** Days before this one are final and were read behind their lag. */
  readonly finalTo: string | null;
}

export const NO_PROGRESS: ReadProgress = { from: null, to: null, backfilled: false, rereadAt: null, finalTo: null };
