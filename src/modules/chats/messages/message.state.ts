export const MESSAGE_ROLES = ['user', 'assistant'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** What a user writes is `complete` at once. An answer waits as `pending`, and the last three are its ends. */
export const MESSAGE_STATUSES = ['pending', 'streaming', 'cancelling', 'complete', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** At most one message of a chat is in one of these: its turn. */
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

/** Where a move leads from each status that permits it. */
type Moves = Readonly<Partial<Record<MessageStatus, MessageStatus>>>;

const STREAMS = { pending: 'streaming', streaming: 'streaming', cancelling: 'cancelling' } as const;

/**
 * Every move of a turn. Fences, deadlines and counts are the statements' own; this says what becomes of the status. An
 * attempt that failed or whose lease lapsed is a `retry` while attempts are left, else a `fail`.
 */
export const TURN_MOVES = {
  claim: { pending: 'pending' },
  /** Only of a turn that has not begun to stream. */
  release: { pending: 'pending' },
  running: STREAMS,
  append: STREAMS,
  heartbeat: { pending: 'pending', streaming: 'streaming', cancelling: 'cancelling' },
  complete: { pending: 'complete', streaming: 'complete', cancelling: 'complete' },
  retry: { pending: 'pending', streaming: 'pending', cancelling: 'cancelled' },
  fail: { pending: 'failed', streaming: 'failed', cancelling: 'cancelled' },
  /** An owner asks for the end; asked again it is the same answer. */
  cancel: { pending: 'cancelling', streaming: 'cancelling', cancelling: 'cancelling' },
  /** The worker, or the backend where nobody holds the turn or the worker takes too long, says that it is over. */
  cancelled: { cancelling: 'cancelled' },
  /** Nobody ever claimed it. */
  unclaimed: { pending: 'failed' },
  /** It took too long since its first claim. */
  timeout: { pending: 'failed', streaming: 'failed', cancelling: 'cancelled' },
  /** Its chat was deleted. */
  discard: { pending: 'cancelled', streaming: 'cancelled', cancelling: 'cancelled' },
} as const satisfies Record<string, Moves>;
export type TurnMove = keyof typeof TURN_MOVES;

/** The status after a move; undefined where it is not permitted. */
export function statusAfter(move: TurnMove, status: MessageStatus): MessageStatus | undefined {
  return (TURN_MOVES[move] as Moves)[status];
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** Condition of active messages, of a column. */
export function isActive(column: string): string {
  return `${column} in (${quoted(ACTIVE_MESSAGE_STATUSES)})`;
}

/** Condition of the statuses that permit a move, of a column. */
export function permits(move: TurnMove, column: string): string {
  return `${column} in (${quoted(Object.keys(TURN_MOVES[move]))})`;
}

/** The status after a move, of a column that permits it. */
export function moved(move: TurnMove, column: string): string {
  const cases = Object.entries(TURN_MOVES[move]).map(([from, to]) => `when '${from}' then '${to}'`);
  return `case ${column} ${cases.join(' ')} end`;
}
