import { describe, expect, it } from '@jest/globals';
import { isOneOf, StatusMoves } from './status-moves.ts';

type Status = 'open' | 'held' | 'done';
const TABLE = {
  hold: { open: 'held' },
  finish: { open: 'done', held: 'done' },
  drop: { open: 'done', held: 'held' },
} as const;
const moves = new StatusMoves<Status, keyof typeof TABLE>(TABLE);

describe('a table of moves', () => {
  it('says where a move leads, and from where it is not permitted', () => {
    expect(moves.after('finish', 'held')).toBe('done');
    expect(moves.after('hold', 'held')).toBeUndefined();
    expect(moves.next('hold', 'open')).toBe('held');
    expect(() => moves.next('finish', 'done')).toThrow('"finish" is not permitted in status "done"');
  });

  it('makes conditions of the statuses that permit a move', () => {
    expect(moves.permits('finish', 't.status')).toBe(`t.status in ('open', 'held')`);
    expect(isOneOf('status', ['open'])).toBe(`status = 'open'`);
  });

  it('makes the status after a move: a word where all lead to the same, else by what it was', () => {
    expect(moves.moved('finish', 't.status')).toBe(`'done'`);
    expect(moves.moved('drop', 't.status')).toBe(
      `case when t.status = 'open' then 'done' when t.status = 'held' then 'held' end`,
    );
  });
});
