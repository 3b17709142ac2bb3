/** How long a turn may be held, tried and kept. */
export const TURN = {
  leaseSeconds: 60,
  maxAttempts: 3,
  /** Leased at once in one organization. */
  maxLive: 20,
  /** How long a worker may take to end a turn that was cancelled. */
  cancelGraceSeconds: 30,
  /** Since its posting, where nobody ever claimed it. */
  unclaimedHours: 24,
  /** Since its first claim. */
  maxMinutes: 30,
  /**
   * Chunks stay this long after the end, for readers that come back. No setting: the message holds all of their text from
   * the end on, so that keeping them longer only costs space.
   */
  chunksKeptMinutes: 5,
} as const;

/** What is told of turns that the backend ends. */
export const TURN_END_ERRORS = {
  lease: { code: 'turn_lease_expired', message: 'Whoever wrote the answer was not heard of any more.' },
  unclaimed: { code: 'turn_unclaimed', message: 'Nobody came to write the answer.' },
  timeout: { code: 'turn_timeout', message: 'The answer took too long.' },
} as const;
