import { type StatusMove, StatusMoves } from '../../kernel/sql/index.ts';
import { DEPARTMENTS } from '../organizations/index.ts';

/** What the operator finds out of every organization; departments wait for it. */
export const RESEARCH_KEYS = ['company_profile', 'market', 'customers'] as const;
export const INTENTION_KEYS = [...RESEARCH_KEYS, ...DEPARTMENTS] as const;
export type IntentionKey = (typeof INTENTION_KEYS)[number];

export const INTENTION_KINDS = ['research', 'department'] as const;
export type IntentionKind = (typeof INTENTION_KINDS)[number];

/** `waiting` for its release, `pending` for its task; the last two are ends once they are settled. */
export const INTENTION_STATUSES = ['waiting', 'pending', 'task_created', 'evidence_retained', 'failed'] as const;
export type IntentionStatus = (typeof INTENTION_STATUSES)[number];

/** Every move of an intention, each behind the lock of its organization's discovery. */
export const INTENTION_MOVES = {
  /** The research is done, and the integrations are set up. */
  release: { waiting: 'pending' },
  /** It gets a task; behind a failure another one, unless its last task lives again. */
  begin: { pending: 'task_created', failed: 'task_created' },
  /** Its task has completed, and left knowledge. */
  retain: { task_created: 'evidence_retained' },
  /** Its task has completed without, failed, or was cancelled. */
  fail: { task_created: 'failed' },
} as const satisfies Record<string, StatusMove<IntentionStatus>>;
export type IntentionMove = keyof typeof INTENTION_MOVES;

export const intentionMoves = new StatusMoves<IntentionStatus, IntentionMove>(INTENTION_MOVES);

/** How far the discovery of an organization is. */
export const DISCOVERY_STATUSES = [
  'researching',
  'research_failed',
  'awaiting_integration_setup',
  'departments_running',
  'complete',
] as const;
export type DiscoveryStatus = (typeof DISCOVERY_STATUSES)[number];
