/** `pending` is runnable or waits for `scheduledAt`; `blocked` has blockers; the last three are ends. */
export const TASK_STATUSES = ['pending', 'running', 'blocked', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const ENDED_TASK_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly TaskStatus[];
export type EndedTaskStatus = (typeof ENDED_TASK_STATUSES)[number];

export function hasEnded(status: TaskStatus): status is EndedTaskStatus {
  return (ENDED_TASK_STATUSES as readonly TaskStatus[]).includes(status);
}

/** What the next run of a task does; the mode of its request. */
export const TASK_PHASES = ['plan', 'execute', 'verify'] as const;
export type TaskPhase = (typeof TASK_PHASES)[number];

/** `task` is what owners and agents create; the others are the backend's own. */
export const TASK_KINDS = ['task', 'discovery', 'learning'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const VERIFICATIONS = ['none', 'required'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** Prefix of a task's identifier, by the department of the profile that owns it; `OPS` without one. */
export const IDENTIFIER_SCOPES = { growth: 'GRO', engineering: 'ENG', support: 'SUP' } as const;

export function identifierScope(department: string | null): string {
  return IDENTIFIER_SCOPES[department as keyof typeof IDENTIFIER_SCOPES] ?? 'OPS';
}

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

/** Why a task is blocked; `since` is when it became so. */
export type Blocker = { readonly since: string } & (
  | { readonly kind: 'dependency' | 'dependency_failed'; readonly dependsOnTaskId: string }
  | { readonly kind: 'handoff'; readonly inboxItemId: string }
  | { readonly kind: 'action'; readonly actionId: string }
  | { readonly kind: 'integration'; readonly connectorKey: string; readonly requirement: object }
  | { readonly kind: 'operator'; readonly inboxItemId: string }
);
export const BLOCKER_KINDS = [
  'dependency',
  'dependency_failed',
  'handoff',
  'action',
  'integration',
  'operator',
] as const satisfies readonly Blocker['kind'][];

/** Codes of a task that failed or was cancelled. */
export const TASK_END_CODES = [
  'budget_exhausted',
  'attempts_exhausted',
  'run_failed',
  'run_cancelled',
  'liveness_violation',
  'cancelled',
  'profile_deleted',
] as const;
export type TaskEndCode = (typeof TASK_END_CODES)[number];

export const PRIORITY = { min: -1_000, max: 1_000, default: 0 } as const;
