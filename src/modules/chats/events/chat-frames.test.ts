import { describe, expect, it } from '@jest/globals';
import type { Delta, AnswerRow } from './chat-events.queries.ts';
import { framesFrom, isBefore, type Position, parseLastEventId } from './chat-frames.ts';

const at = (messageId: string, revision: number): Position => ({
  messageId,
  createdAt: `2026-03-01T09:30:0${messageId}.000000Z`,
  revision,
});

/** An answer as it was read, with the appends of these revisions. */
function row(messageId: string, revision: number, appends: readonly number[] = []): AnswerRow {
  const deltas: Delta[] = appends.map((each) => ({ revision: each, partId: 'p', offset: each, text: '.' }));
  const { createdAt } = at(messageId, revision);
  const of = { role: 'assistant', replyToMessageId: `u${messageId}` };
  return { id: messageId, ...of, createdAt, revision, parts: [], deltas, bridged: false } as unknown as AnswerRow;
}

/** What a person said, to which this is the answer. */
function said(messageId: string): AnswerRow {
  return { id: `u${messageId}`, role: 'user', revision: 1, parts: [], deltas: null } as unknown as AnswerRow;
}

const told = (position: Position | undefined, ...rows: AnswerRow[]) =>
  framesFrom(position, rows).map(({ bytes }) => bytes.toString().split('\n').slice(0, 2).join(' '));

describe('what leads from a position to where a chat is', () => {
  it.each([
    ['nothing, for who is there', at('1', 4), [row('1', 4)], []],
    ['nothing, for who is further', at('1', 5), [row('1', 4, [3, 4])], []],
    ['a snapshot, for who has seen nothing', undefined, [row('1', 4)], ['id: 1:4 event: chat.snapshot']],
    ['appends', at('1', 2), [row('1', 4, [2, 3, 4])], ['id: 1:3 event: chat.delta', 'id: 1:4 event: chat.delta']],
    [
      'appends and the change behind them',
      at('1', 2),
      [row('1', 4, [3])],
      ['id: 1:3 event: chat.delta', 'id: 1:4 event: chat.message'],
    ],
    [
      'a snapshot alone, over a change that is not the last',
      at('1', 2),
      [row('1', 5, [3, 5])],
      ['id: 1:5 event: chat.snapshot'],
    ],
    [
      'the end of an answer and the next one',
      at('1', 2),
      [row('1', 4, [3]), row('2', 1)],
      ['id: 1:3 event: chat.delta', 'id: 1:4 event: chat.message', 'id: 2:1 event: chat.message'],
    ],
    ['the next one, for who has seen the end', at('1', 4), [row('1', 4), row('2', 3)], ['id: 2:3 event: chat.message']],
    ['nothing of an older one', at('2', 1), [row('1', 9), row('2', 1)], []],
    [
      'what a person said and its answer, behind the end of the one before',
      at('1', 3),
      [row('1', 4), said('2'), row('2', 1)],
      ['id: 1:4 event: chat.message', 'id: 2:0 event: chat.message', 'id: 2:1 event: chat.message'],
    ],
    [
      'what a person said and its answer, for who has seen nothing of a chat that was empty',
      undefined,
      [said('1'), row('1', 1)],
      ['id: 1:0 event: chat.message', 'id: 1:1 event: chat.snapshot'],
    ],
    [
      'the answer alone, for who has seen what was said',
      at('1', 0),
      [said('1'), row('1', 1)],
      ['id: 1:1 event: chat.message'],
    ],
    [
      'a snapshot alone, for who has seen what was said long ago',
      at('1', 0),
      [said('1'), row('1', 5)],
      ['id: 1:5 event: chat.snapshot'],
    ],
    [
      'no message that another answer is for',
      at('1', 4),
      [row('1', 4), said('9'), row('2', 1)],
      ['id: 2:1 event: chat.message'],
    ],
  ])('is %s', (_what, position, rows, expected) => {
    expect(told(position, ...rows)).toEqual(expected);
  });
});

describe('positions', () => {
  it('follow each other by their answers, then by revision', () => {
    const inOrder = [at('1', 1), at('1', 2), at('2', 1), { ...at('2', 1), messageId: '3' }];
    for (const [index, one] of inOrder.entries())
      for (const [otherIndex, other] of inOrder.entries()) expect(isBefore(one, other)).toBe(index < otherIndex);
  });
});

describe('a Last-Event-ID', () => {
  const id = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';
  it('names a message and a revision', () => {
    expect(parseLastEventId(`${id.toUpperCase()}:12`)).toEqual({ messageId: id, revision: 12 });
    expect(parseLastEventId(`${id}:2147483647`)).toEqual({ messageId: id, revision: 2_147_483_647 });
    expect(parseLastEventId(`${id}:0`)).toEqual({ messageId: id, revision: 0 });
  });

  it.each([undefined, '', id, `${id}:`, `${id}:01`, `${id}:1x`, `x${id}:1`, `${id}:2147483648`, `${id}:1\n`])(
    'is none of ours: %j',
    (text) => {
      expect(parseLastEventId(text)).toBeUndefined();
    },
  );
});
