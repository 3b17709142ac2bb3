import { isOneOf, type StatusMove, StatusMoves } from '../../kernel/sql/index.ts';
import type { TaskKind, TaskPhase } from '../tasks/index.ts';

/** `starting` until the worker says that it runs; the last four are ends. */
export const RUN_STATUSES = ['starting', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const LIVE_RUN_STATUSES = ['starting', 'running'] as const satisfies readonly RunStatus[];

export const ENDED_RUN_STATUSES = [
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly RunStatus[];

export type EndedRunStatus = (typeof ENDED_RUN_STATUSES)[number];

export function isLive(status: string): boolean {
  return (LIVE_RUN_STATUSES as readonly string[]).includes(status);
}

/** Condition of runs that have not ended, of a column. */
export function isLiveRun(column: string): string {
  return isOneOf(column, LIVE_RUN_STATUSES);
}

/** The status that a start gives a run. */
export const FIRST_RUN_STATUS = 'starting' satisfies RunStatus;

/** Every move of a run. A worker that never said that it runs may end its run all the same. */
export const RUN_MOVES = {
  begin: { starting: 'running', running: 'running' },
  succeed: { starting: 'succeeded', running: 'succeeded' },
  fail: { starting: 'failed', running: 'failed' },
  cancel: { starting: 'cancelled', running: 'cancelled' },
  /** Without a report: the lease lapsed, or the run took too long, or its worker started anew without it. */
  expire: { starting: 'expired', running: 'expired' },
} as const satisfies Record<string, StatusMove<RunStatus>>;
export type RunMove = keyof typeof RUN_MOVES;

export const runMoves = new StatusMoves<RunStatus, RunMove>(RUN_MOVES);

export const LOG_CATEGORIES = ['lifecycle', 'execution', 'tool', 'integration', 'workspace', 'git', 'model'] as const;
export const LOG_STATUSES = ['started', 'completed', 'failed', 'info'] as const;

/** How much of a run's log arrived. */
export const LOG_STATES = ['complete', 'partial', 'none'] as const;

/** The kinds of outcomes of a completion; `OUTCOME_MODES` says in which modes each may be. */
export const OUTCOME_KINDS = [
  'completed',
  'action_wait',
  'handoff',
  'integration_wait',
  'planned',
  'verification',
  'learning',
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** The outcome of a run as it is stored: `kind`, `summary` and the fields of its kind. */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly summary: string;
}

export const OUTCOME_MODES: Readonly<Record<OutcomeKind, readonly TaskPhase[]>> = {
  completed: ['execute'],
  action_wait: ['plan', 'execute', 'verify'],
  handoff: ['plan', 'execute', 'verify'],
  integration_wait: ['plan', 'execute', 'verify'],
  planned: ['plan', 'execute'],
  verification: ['verify'],
  learning: ['execute'],
};

/** Kinds in which the task waits: they need no staged outcome. */
export const WAITS: ReadonlySet<OutcomeKind> = new Set(['action_wait', 'handoff', 'integration_wait']);

/** Whether runs of tasks of a kind may end in an outcome: those of learning tasks wait, or say what was learned. */
export function mayEndIn(taskKind: TaskKind, outcome: OutcomeKind): boolean {
  return WAITS.has(outcome) || (outcome === 'learning') === (taskKind === 'learning');
}

/** Kinds that an agent stages before its worker completes; the worker's result need only repeat kind and summary. */
export const STAGED_OUTCOME_KINDS = [
  'planned',
  'handoff',
  'verification',
  'learning',
] as const satisfies readonly OutcomeKind[];
export type StagedOutcomeKind = (typeof STAGED_OUTCOME_KINDS)[number];
