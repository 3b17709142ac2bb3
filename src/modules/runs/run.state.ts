import type { TaskPhase } from '../tasks/index.ts';

/** `starting` until the worker says that it runs; the last four are ends. */
export const RUN_STATUSES = ['starting', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const LIVE_RUN_STATUSES = ['starting', 'running'] as const satisfies readonly RunStatus[];

export function isLive(status: RunStatus): boolean {
  return (LIVE_RUN_STATUSES as readonly RunStatus[]).includes(status);
}

export const LOG_CATEGORIES = ['lifecycle', 'execution', 'tool', 'integration', 'workspace', 'git', 'model'] as const;
export const LOG_STATUSES = ['started', 'completed', 'failed', 'info'] as const;

/** How much of a run's log arrived. */
export const LOG_STATES = ['complete', 'partial', 'none'] as const;

/** What a completion may carry, and the modes in which it may. */
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

/** What a run ended in, as it is stored: `kind`, `summary` and the fields of its kind. */
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

/** What an agent stages before its worker completes; the worker's result need only repeat kind and summary. */
export const STAGED_OUTCOME_KINDS = [
  'planned',
  'handoff',
  'verification',
  'learning',
] as const satisfies readonly OutcomeKind[];
export type StagedOutcomeKind = (typeof STAGED_OUTCOME_KINDS)[number];
