import { isOneOf, type StatusMove, StatusMoves } from '../../kernel/sql/index.ts';
import type { RISKS } from '../organizations/index.ts';

/**
 * `executing` is taken by an executor, and on its way once `sentAt` is set. `reconciliation_required` was sent, and nobody
 * knows what became of it. The last six are ends.
 */
export const ACTION_STATUSES = [
  'awaiting_approval',
  'approved',
  'executing',
  'reconciliation_required',
  'succeeded',
  'failed',
  'not_executed',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

export const UNRESOLVED_ACTION_STATUSES = [
  'awaiting_approval',
  'approved',
  'executing',
  'reconciliation_required',
] as const satisfies readonly ActionStatus[];
export type UnresolvedActionStatus = (typeof UNRESOLVED_ACTION_STATUSES)[number];

export const ENDED_ACTION_STATUSES = [
  'succeeded',
  'failed',
  'not_executed',
  'rejected',
  'expired',
  'cancelled',
] as const satisfies readonly Exclude<ActionStatus, UnresolvedActionStatus>[];
export type EndedActionStatus = (typeof ENDED_ACTION_STATUSES)[number];

/** Condition of actions that have not ended, of a column; partial indexes have the same. */
export function isUnresolvedAction(column: string): string {
  return isOneOf(column, UNRESOLVED_ACTION_STATUSES);
}

/** Until it is sent; of an `executing` one, `sentAt` says whether it was. */
const UNSENT = ['awaiting_approval', 'approved', 'executing'] as const satisfies readonly ActionStatus[];

function fromEach<To extends ActionStatus>(to: To): Record<(typeof UNSENT)[number], To> {
  return { awaiting_approval: to, approved: to, executing: to };
}

/** Condition of actions that have not been sent, of a column and the column of the time; those may still be cancelled. */
export function isUnsentAction(column: string, sentAt: string): string {
  return `${isOneOf(column, UNSENT)} and ${sentAt} is null`;
}

/** Every move of an action. */
export const ACTION_MOVES = {
  /** A person decides; what needs nobody's approval is proposed as `approved`. */
  approve: { awaiting_approval: 'approved' },
  reject: { awaiting_approval: 'rejected' },
  /** A rule that was tightened since wants a person's approval, which there was none of. */
  askAgain: { approved: 'awaiting_approval', executing: 'awaiting_approval' },
  take: { approved: 'executing' },
  /** `sentAt` is set, before the first byte leaves. */
  release: { executing: 'executing' },
  /** The lease of one that was not sent lapses. */
  lapse: { executing: 'approved' },
  /** Nobody knows what became of one that was sent. */
  park: { executing: 'reconciliation_required' },
  succeed: { executing: 'succeeded', reconciliation_required: 'succeeded' },
  fail: { executing: 'failed', reconciliation_required: 'failed' },
  /** It never reached its provider, for certain. */
  notExecute: { executing: 'not_executed', reconciliation_required: 'not_executed' },
  /** Time, or a changed fact. One that was sent neither expires nor is cancelled. */
  expire: fromEach('expired'),
  /** Its task ended, its chat was deleted, or a newer push replaces it. */
  cancel: fromEach('cancelled'),
} as const satisfies Record<string, StatusMove<ActionStatus>>;
export type ActionMove = keyof typeof ACTION_MOVES;

export const actionMoves = new StatusMoves<ActionStatus, ActionMove>(ACTION_MOVES);

export const ACTION_KINDS = ['tool_call', 'git_push', 'webhook_call'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** From the least to the greatest. */
export type ActionRisk = (typeof RISKS)[number];

/** Why a person must approve: the connector's access mode, a tool that is to be reviewed, the organization's constraint. */
export const APPROVAL_REASONS = ['access_mode', 'tool_review', 'risk'] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];
/** What a connector wants of itself; `risk` is the organization's. */
export type ConnectorReason = Exclude<ApprovalReason, 'risk'>;

export interface ActionPolicy {
  readonly approvalRequired: boolean;
  readonly reasons: readonly ApprovalReason[];
  readonly catalogRisk: ActionRisk;
  readonly callerRisk: ActionRisk | null;
}

export const DECISION_KINDS = ['approve', 'reject', 'policy'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];
export const DECISION_CHANNELS = ['owner', 'chat', 'policy'] as const;

/** Who decided: an owner, or in a chat the author of the message, whom the client names. */
export const DECIDER_KINDS = ['owner', 'human'] as const;

export interface ActionDecider {
  readonly kind: (typeof DECIDER_KINDS)[number];
  readonly id: string | null;
  readonly name: string;
}

export interface ActionDecision {
  readonly kind: DecisionKind;
  /** Null where the policy decided. */
  readonly by: ActionDecider | null;
  readonly at: string;
  readonly comment: string | null;
  readonly channel: (typeof DECISION_CHANNELS)[number];
  /** The person's message whose turn decided. */
  readonly messageId: string | null;
}

export const RECONCILIATION_CHANNELS = ['owner', 'chat'] as const;

/** What an ambiguous action is found out to have become. */
export const RECONCILED_OUTCOMES = [
  'succeeded',
  'failed',
  'not_executed',
] as const satisfies readonly EndedActionStatus[];
export type ReconciledOutcome = (typeof RECONCILED_OUTCOMES)[number];

/** A person's word on what became of an ambiguous action. */
export interface ActionReconciliation {
  readonly outcome: ReconciledOutcome;
  readonly note: string;
  readonly by: ActionDecider;
  readonly at: string;
  readonly channel: (typeof RECONCILIATION_CHANNELS)[number];
  /** The person's message whose turn said it. */
  readonly messageId: string | null;
}

export interface ActionError {
  readonly code: string;
  readonly message: string;
  /** Which bound fact changed. */
  readonly fact?: string;
  readonly providerStatus?: number;
  /** A definite answer that came when the action was nobody's any more. */
  readonly observed?: object;
}

/** What an action was bound to when it was proposed, by name: revisions, hashes, words. Another value expires it. */
export type ActionFacts = Readonly<Record<string, string>>;

export const ACTION_LIMITS = {
  argumentsBytes: 256 * 1024,
  previewBytes: 32 * 1024,
  /** Of the preview, in lists and in the item that asks for approval. */
  shownPreviewBytes: 2 * 1024,
  resultBytes: 64 * 1024,
  /** Proposals of one turn; `maxActions` bounds those of a task. */
  perTurn: 20,
} as const;
