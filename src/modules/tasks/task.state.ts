import { isOneOf, type StatusMove, StatusMoves } from '../../kernel/sql/index.ts';

/** `pending` is runnable or waits for `scheduledAt`; `blocked` has blockers; the last three are ends. */
export const TASK_STATUSES = ['pending', 'running', 'blocked', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const ENDED_TASK_STATUSES = ['completed', 'failed', 'cancelled'] as const satisfies readonly TaskStatus[];
export type EndedTaskStatus = (typeof ENDED_TASK_STATUSES)[number];

export function hasEnded(status: TaskStatus): status is EndedTaskStatus {
  return (ENDED_TASK_STATUSES as readonly TaskStatus[]).includes(status);
}

export const OPEN_TASK_STATUSES = ['pending', 'running', 'blocked'] as const satisfies readonly TaskStatus[];

/** Condition of tasks that have not ended, of a column; partial indexes have the same. */
export function isOpenTask(column: string): string {
  return isOneOf(column, OPEN_TASK_STATUSES);
}

/** Condition of tasks that have ended, of a column. */
export function isEndedTask(column: string): string {
  return isOneOf(column, ENDED_TASK_STATUSES);
}

/** Every move of a task. */
export const TASK_MOVES = {
  /** A run starts; on a blocked task only where its remaining blockers do not count. */
  start: { pending: 'running', blocked: 'running' },
  /** Prerequisites are added. */
  block: { pending: 'blocked', blocked: 'blocked' },
  /** The last blocker goes. */
  unblock: { blocked: 'pending' },
  /** The attempt ends, and another run is to follow: a further attempt, verification, or the work behind a plan. */
  requeue: { running: 'pending' },
  /** A plan is accepted, and children are open. */
  wait: { running: 'blocked' },
  complete: { running: 'completed' },
  fail: { pending: 'failed', running: 'failed', blocked: 'failed' },
  cancel: { pending: 'cancelled', running: 'cancelled', blocked: 'cancelled' },
  /** An owner lets a failed task try again. */
  retry: { failed: 'pending' },
  /** The same, where its own dependencies still say that it waits. */
  retryBlocked: { failed: 'blocked' },
  /** No request would ever have moved it: it gets a new one. */
  repair: { pending: 'pending', running: 'pending', blocked: 'pending' },
  /** It waits for an answer of a person, or for the end of an action. */
  suspend: { pending: 'blocked', running: 'blocked', blocked: 'blocked' },
} as const satisfies Record<string, StatusMove<TaskStatus>>;
export type TaskMove = keyof typeof TASK_MOVES;

export const taskMoves = new StatusMoves<TaskStatus, TaskMove>(TASK_MOVES);

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

/** Why a task is blocked; `since` is when it became so. */
export type Blocker = { readonly since: string } & (
  | { readonly kind: 'dependency' | 'dependency_failed'; readonly dependsOnTaskId: string }
  | { readonly kind: 'handoff'; readonly inboxItemId: string }
  | { readonly kind: 'action'; readonly actionId: string }
  | IntegrationBlocker
  | { readonly kind: 'operator'; readonly inboxItemId: string }
);
/** Waits for a connector, or for any of the purpose that the requirement names. */
export interface IntegrationBlocker {
  readonly kind: 'integration';
  readonly connectorKey: string | null;
  readonly requirement: object;
}

/** What tells a blocker that other modules hang on a task from its others. */
export type BlockerKey =
  | { readonly kind: 'handoff' | 'operator'; readonly inboxItemId: string }
  | { readonly kind: 'action'; readonly actionId: string }
  | IntegrationBlocker;
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
