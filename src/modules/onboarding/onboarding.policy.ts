const MIB = 1024 * 1024;

export const SOURCES = { most: 50, mostBytes: 500 * MIB, mostBytesOfOne: 50 * MIB } as const;

export const REVIEW = {
  /** For one source; renewed while it is read. */
  leaseSeconds: 60,
  renewEveryMs: 20_000,
  /** Processes that died over a source before it is taken for too complex. */
  deathsOfSource: 2,
  /** Leases that lapsed, one behind the other, without a source being read. */
  lapsesWithoutProgress: 3,
} as const;

/** Code points of a source's text that its record shows at first glance. */
export const FINDING_LENGTH = 1_000;
