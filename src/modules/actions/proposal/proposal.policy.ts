import type { ActionKind, ActionStatus } from '../action.state.ts';

/** What executions propose by the route of actions; pushes come through Git. */
export const PROPOSED_KINDS = ['tool_call', 'webhook_call'] as const satisfies readonly ActionKind[];
export type ProposedKind = (typeof PROPOSED_KINDS)[number];

/** How far ahead a proposal may expire, as intervals of PostgreSQL. */
export const EXPIRY = { min: '5 minutes', max: '30 days', standard: '7 days' } as const;

/** Of a proposal by the route: another one must name another key. */
export function isSameProposal(
  known: { readonly kind: ActionKind; readonly argumentsDigest: string },
  proposed: { readonly kind: ActionKind; readonly argumentsDigest: string },
): boolean {
  return known.kind === proposed.kind && known.argumentsDigest === proposed.argumentsDigest;
}

/** What became of an earlier proposal that a repeat still meets; all else that ended came to nothing, so it may be tried anew. */
export function isMetAgain(status: ActionStatus): boolean {
  return !isTriedAnew.has(status);
}

const isTriedAnew: ReadonlySet<ActionStatus> = new Set(['failed', 'not_executed', 'expired', 'cancelled']);

/** The key of the next try: the first is the bare one. */
export function nextKey(dedupeKey: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const key = count === 1 ? dedupeKey : `${dedupeKey}:${count}`;
    if (!taken.has(key)) return key;
  }
}
