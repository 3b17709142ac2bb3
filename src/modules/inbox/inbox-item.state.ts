import { isOneOf, StatusMoves, type StatusMove } from '../../kernel/sql/index.ts';

/** What an item is about: what agents and the backend ask or tell people, and what actions wait for. */
export const INBOX_KINDS = ['question', 'notification', 'approval', 'reconciliation'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** What a question is for: `task` is of work that may wait for it, `learning_input` of what a profile learns. */
export const INBOX_PURPOSES = ['task', 'learning_input'] as const;
export type InboxPurpose = (typeof INBOX_PURPOSES)[number];

export const INBOX_SEVERITIES = ['info', 'attention', 'action_required'] as const;
export type InboxSeverity = (typeof INBOX_SEVERITIES)[number];

export const INBOX_STATUSES = ['open', 'answered', 'acknowledged', 'resolved', 'expired', 'withdrawn'] as const;
export type InboxStatus = (typeof INBOX_STATUSES)[number];
export type ClosedInboxStatus = Exclude<InboxStatus, 'open'>;
export const CLOSED_INBOX_STATUSES = INBOX_STATUSES.filter((status): status is ClosedInboxStatus => status !== 'open');

/** Condition of items that are closed, of a column. */
export function isClosedItem(column: string): string {
  return isOneOf(
    column,
    INBOX_STATUSES.filter((status) => status !== 'open'),
  );
}

/** Every move of an item. Each closes it, so the first that commits is the only one. */
export const INBOX_MOVES = {
  /** A person answers a question. */
  answer: { open: 'answered' },
  /** A person has seen a notification. */
  acknowledge: { open: 'acknowledged' },
  /** The action that it was opened with is decided or reconciled. */
  resolve: { open: 'resolved' },
  expire: { open: 'expired' },
  /** Its task has ended, its chat is deleted, or its cause is gone. */
  withdraw: { open: 'withdrawn' },
} as const satisfies Record<string, StatusMove<InboxStatus>>;
export type InboxMove = keyof typeof INBOX_MOVES;

export const inboxMoves = new StatusMoves<InboxStatus, InboxMove>(INBOX_MOVES);

export const INBOX_OPENERS = ['agent', 'system'] as const;
export type InboxOpener = (typeof INBOX_OPENERS)[number];

/** The way by which a response came. */
export const RESPONSE_CHANNELS = ['owner', 'chat'] as const;
export type ResponseChannel = (typeof RESPONSE_CHANNELS)[number];

/** An answer that can be chosen. */
export interface InboxOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/** What people are shown beside the text. */
export interface InboxPresentation {
  readonly summary?: string | undefined;
  readonly businessImpact?: string | undefined;
  readonly recommendation?: string | undefined;
  readonly options?: readonly InboxOption[] | undefined;
  readonly recommendedOptionId?: string | undefined;
  /** Whether an answer may be another text than an option's id. */
  readonly allowFreeText: boolean;
}

/** Who closes an item: as the activity log names them, and `human` for the author of a chat's message. */
export const CLOSER_KINDS = ['owner', 'human', 'agent', 'runtime', 'system'] as const;

export interface InboxCloser {
  readonly kind: (typeof CLOSER_KINDS)[number];
  /** Null for the author of a message, whom the client names. */
  readonly id: string | null;
  readonly name: string;
}

/** The author of the message that a turn answers. */
export interface MessageCloser extends InboxCloser {
  readonly kind: 'human';
  readonly id: null;
}

export interface InboxResponse {
  readonly text: string;
  readonly optionId: string | null;
  readonly respondedBy: InboxCloser;
  readonly respondedAt: string;
  readonly channel: ResponseChannel;
  /** The person's message whose turn brought it. */
  readonly messageId: string | null;
}

export interface InboxClosure {
  readonly at: string;
  readonly by: InboxCloser | null;
  readonly reason: string | null;
}
