import { eventFrame } from '../../../kernel/http/index.ts';
import type { ChatDeltaEventDto, ChatMessageEventDto, ChatSnapshotEventDto } from './chat-event.dto.ts';
import type { Delta, AnswerRow } from './chat-events.queries.ts';
import type { MessageDto } from '../messages/message.dto.ts';

/** A place in the sequence of a chat's answers and their revisions. */
export interface Position {
  readonly messageId: string;
  /** Orders the answers of a chat; text with six digits of a second, so that it sorts as it is. */
  readonly createdAt: string;
  readonly revision: number;
}

/** An event, encoded once for all readers. */
export interface Frame {
  /** The position of a reader that has it. */
  readonly at: Position;
  /** The revision of the same message that it follows; null for an event with the whole message. */
  readonly after: number | null;
  readonly bytes: Buffer;
}

/** Whether `one` comes before `other`. */
export function isBefore(one: Position, other: Position): boolean {
  if (one.messageId === other.messageId) return one.revision < other.revision;
  return one.createdAt === other.createdAt ? one.messageId < other.messageId : one.createdAt < other.createdAt;
}

/** Whether a reader at this position misses nothing when it gets the frame. */
export function continuesFrom(frame: Frame, at: Position | undefined): boolean {
  return frame.after === null || (at?.messageId === frame.at.messageId && at.revision === frame.after);
}

export function deltaFrame(at: Position, { revision, partId, offset, text }: Delta): Frame {
  const { messageId } = at;
  const data: ChatDeltaEventDto = { type: 'chat.delta', messageId, revision, partId, offset, text };
  return {
    at: { ...at, revision },
    after: revision - 1,
    bytes: eventFrame({ id: `${messageId}:${revision}`, event: data.type, data }),
  };
}

/** The type of an event that shows the whole message. */
type Whole = (ChatSnapshotEventDto | ChatMessageEventDto)['type'];

/** A person's message, which comes before all that is told of its answer. */
function saidFrame(said: MessageDto, answer: MessageDto): Frame {
  const data: ChatMessageEventDto = { type: 'chat.message', message: said };
  const at = { ...positionOf(answer), revision: 0 };
  return { at, after: null, bytes: eventFrame({ id: `${answer.id}:0`, event: data.type, data }) };
}

/** The message that an answer is for, if it is the row before it. */
function saidBefore(rows: readonly AnswerRow[], index: number): MessageDto | undefined {
  const row = rows[index]!;
  const before = rows[index - 1];
  if (row.id === null || !before || before.id === null || row.replyToMessageId !== before.id) return undefined;
  return messageOf(before);
}

function messageOf(row: AnswerRow & MessageDto): MessageDto {
  const { deltas: _, bridged: __, ...message } = row;
  return message;
}

function messageFrame(type: Whole, message: MessageDto): Frame {
  const id = `${message.id}:${message.revision}`;
  return { at: positionOf(message), after: null, bytes: eventFrame({ id, event: type, data: { type, message } }) };
}

export function positionOf({ id, createdAt, revision }: MessageDto): Position {
  return { messageId: id, createdAt, revision };
}

/**
 * The events that lead from a position to the messages as read: of an answer the appends one by one, then any other change
 * as the whole message; a snapshot instead where more lies between. A person's message comes before the first event of its
 * answer. The rows are those of a read from this position or an earlier one.
 */
export function framesFrom(position: Position | undefined, rows: readonly AnswerRow[]): Frame[] {
  const frames: Frame[] = [];
  let at = position;
  for (const [index, row] of rows.entries()) {
    if (row.id === null || row.role !== 'assistant') continue;
    const { deltas } = row;
    const message = messageOf(row);
    if (at?.messageId === message.id)
      for (const delta of deltas ?? []) {
        if (delta.revision !== at.revision + 1) continue;
        const frame = deltaFrame(at, delta);
        frames.push(frame);
        at = frame.at;
      }
    if (at && !isBefore(at, positionOf(message))) continue;
    const isNext = at && (at.messageId !== message.id || at.revision + 1 === message.revision);
    if (!isNext) frames.length = 0;
    const said = at?.messageId === message.id ? undefined : saidBefore(rows, index);
    if (said) frames.push(saidFrame(said, message));
    const frame = messageFrame(isNext ? 'chat.message' : 'chat.snapshot', message);
    frames.push(frame);
    at = frame.at;
  }
  return frames;
}

/** The answers as they are, each behind its message, for readers that missed changes in between. */
export function snapshotsOf(rows: readonly AnswerRow[]): Frame[] {
  return rows.flatMap((row, index) => {
    if (row.id === null || row.role !== 'assistant') return [];
    const message = messageOf(row);
    const said = saidBefore(rows, index);
    return [...(said ? [saidFrame(said, message)] : []), messageFrame('chat.snapshot', message)];
  });
}

const EVENT_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(0|[1-9]\d{0,9})$/i;
const MAX_REVISION = 2 ** 31 - 1;

/** The message and revision of an event id; undefined for a text that is no id of ours. */
export function parseLastEventId(lastEventId: string | undefined): { messageId: string; revision: number } | undefined {
  const [, messageId, digits] = EVENT_ID.exec(lastEventId ?? '') ?? [];
  const revision = Number(digits);
  return messageId === undefined || revision > MAX_REVISION
    ? undefined
    : { messageId: messageId.toLowerCase(), revision };
}
