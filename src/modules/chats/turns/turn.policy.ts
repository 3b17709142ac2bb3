/** Limits of a turn's leases, attempts and lifetime. */
export const TURN = {
  leaseSeconds: 60,
  maxAttempts: 3,
  /** Turns leased at once in one organization. */
  maxLive: 20,
  /** How long a worker may take to end a turn that was cancelled. */
  cancelGraceSeconds: 30,
  /** Since its posting, for a turn that no worker ever claimed. */
  unclaimedHours: 24,
  /** Since its first claim. */
  maxMinutes: 30,
  /**
   * How long chunks are kept after the end, for readers that reconnect. No setting: from the end on the message has all
   * of their text, so that keeping them longer only costs space.
   */
  chunksKeptMinutes: 5,
} as const;

/** The errors of turns that the backend ends. */
export const TURN_END_ERRORS = {
  lease: {
    code: 'turn_lease_expired',
    message: 'The worker that wrote the answer went silent. Post the message again.',
  },
  unclaimed: {
    code: 'turn_unclaimed',
    message: 'No worker took the answer in time. Post the message again once one is running.',
  },
  timeout: { code: 'turn_timeout', message: 'The answer took too long. Post the message again.' },
} as const;
