import type { ActionKind } from '../action.state.ts';

/** What executions propose by the route of actions; pushes come through Git. */
export const PROPOSED_KINDS = ['tool_call', 'webhook_call'] as const satisfies readonly ActionKind[];
export type ProposedKind = (typeof PROPOSED_KINDS)[number];

/** How far ahead a proposal may expire, as intervals of PostgreSQL. */
export const EXPIRY = { min: '5 minutes', max: '30 days', standard: '7 days' } as const;

/** Of a push the key alone says whether it is the same: packs of the same commits differ. */
export function isSameProposal(
  known: { readonly kind: ActionKind; readonly argumentsDigest: string },
  proposed: { readonly kind: ActionKind; readonly argumentsDigest: string },
): boolean {
  return (
    known.kind === proposed.kind && (known.kind === 'git_push' || known.argumentsDigest === proposed.argumentsDigest)
  );
}
