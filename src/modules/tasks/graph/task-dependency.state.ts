import { type StatusMove, StatusMoves } from '../../../kernel/sql/index.ts';

/** `satisfied` and `waived` let the dependent go on; so does a `failed` one that is not required. */
export const DEPENDENCY_STATUSES = ['pending', 'satisfied', 'failed', 'waived'] as const;
export type DependencyStatus = (typeof DEPENDENCY_STATUSES)[number];

/** When an edge is satisfied: when the prerequisite completes, or completes with an artifact of a kind. */
export type DependencyCondition =
  { readonly kind: 'completion' } | { readonly kind: 'artifact'; readonly artifactKind: string };

/**
 * Why an edge failed. `prerequisite_blocked` is for a parent whose remaining children can only be unblocked by
 * replanning: each waits for a failed one.
 */
export const DEPENDENCY_FAILURES = [
  'prerequisite_failed',
  'prerequisite_cancelled',
  'condition_unmet',
  'prerequisite_blocked',
] as const;
export type DependencyFailureCode = (typeof DEPENDENCY_FAILURES)[number];

/** Every move of a dependency: what is satisfied or waived stays so. */
export const DEPENDENCY_MOVES = {
  /** The prerequisite met the condition. An edge that failed before a retry may not have been reopened yet. */
  satisfy: { pending: 'satisfied', failed: 'satisfied' },
  /** The prerequisite ended without meeting it. */
  miss: { pending: 'failed', failed: 'failed' },
  /** The prerequisite was cancelled with its tree, or only a new plan can move it. */
  fail: { pending: 'failed' },
  /** An owner or a plan goes on without it. */
  waive: { pending: 'waived', failed: 'waived' },
  /** The failed prerequisite is tried again. */
  reopen: { failed: 'pending' },
} as const satisfies Record<string, StatusMove<DependencyStatus>>;
export type DependencyMove = keyof typeof DEPENDENCY_MOVES;

export const dependencyMoves = new StatusMoves<DependencyStatus, DependencyMove>(DEPENDENCY_MOVES);
