import { isOneOf, type StatusMove, StatusMoves } from '../../../kernel/sql/index.ts';

export const MESSAGE_ROLES = ['user', 'assistant'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A user's message is `complete` at once. An answer waits as `pending`; its last three statuses are ends. */
export const MESSAGE_STATUSES = ['pending', 'streaming', 'cancelling', 'complete', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** At most one message of a chat, its turn, has one of these. */
export const ACTIVE_MESSAGE_STATUSES = [
  'pending',
  'streaming',
  'cancelling',
] as const satisfies readonly MessageStatus[];

export interface MessageAuthor {
  readonly kind: 'human';
  readonly displayName: string;
}

export interface MessagePart {
  readonly id: string;
  readonly kind: 'text';
  readonly text: string;
}

export interface MessageError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

const STREAMS = { pending: 'streaming', streaming: 'streaming', cancelling: 'cancelling' } as const;

/**
 * Every move of a turn. An attempt that fails or loses its lease is a `retry` while attempts are left, else a `fail`.
 */
export const TURN_MOVES = {
  claim: { pending: 'pending' },
  /** Permitted until the turn begins to stream. */
  release: { pending: 'pending' },
  running: STREAMS,
  append: STREAMS,
  heartbeat: { pending: 'pending', streaming: 'streaming', cancelling: 'cancelling' },
  complete: { pending: 'complete', streaming: 'complete', cancelling: 'complete' },
  retry: { pending: 'pending', streaming: 'pending', cancelling: 'cancelled' },
  fail: { pending: 'failed', streaming: 'failed', cancelling: 'cancelled' },
  /** An owner asks for the end; a repeat changes nothing. */
  cancel: { pending: 'cancelling', streaming: 'cancelling', cancelling: 'cancelling' },
  /** The worker ends the turn; the backend does where no worker holds it, or its worker takes too long. */
  cancelled: { cancelling: 'cancelled' },
  /** No worker ever claimed it. */
  unclaimed: { pending: 'failed' },
  /** It took too long since its first claim. */
  timeout: { pending: 'failed', streaming: 'failed', cancelling: 'cancelled' },
  /** Its chat was deleted. */
  discard: { pending: 'cancelled', streaming: 'cancelled', cancelling: 'cancelled' },
} as const satisfies Record<string, StatusMove<MessageStatus>>;
export type TurnMove = keyof typeof TURN_MOVES;

export const turnMoves = new StatusMoves<MessageStatus, TurnMove>(TURN_MOVES);

/** The statuses that posting gives: a user's message is whole, its answer waits for a claim. */
export const POSTED_STATUS = {
  user: 'complete',
  assistant: 'pending',
} as const satisfies Record<MessageRole, MessageStatus>;

/** Condition of active messages, of a column. */
export function isActive(column: string): string {
  return isOneOf(column, ACTIVE_MESSAGE_STATUSES);
}
