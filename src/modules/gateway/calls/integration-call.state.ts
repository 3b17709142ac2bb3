/** What became of a call, as owners read it. `refused` never reached the provider; `ambiguous` may have. */
export const CALL_OUTCOMES = ['succeeded', 'failed', 'refused', 'not_executed', 'ambiguous'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];
