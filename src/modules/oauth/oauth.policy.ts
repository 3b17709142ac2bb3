/** Bounds of authorizations. */
export const OAUTH = {
  /** How long a start waits for its callback, and a result for its confirmation. */
  stateMinutes: 10,
  /** Starts of one connector that wait at once. */
  mostLive: 5,
  /** How long what is over can be looked into. */
  keptHours: 24,
  /** Starts with a registered client that never came back, after which another one is registered. */
  mostUnanswered: 2,
  maxQueryBytes: 8_192,
  documentBytes: 262_144,
  requestMs: 10_000,
  /** How long after its claim a refresh may still be asked for: the claim, of 20 s, is nobody else's so long. */
  claimMs: 15_000,
  enabledTools: 500,
} as const;
