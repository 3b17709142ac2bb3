import { describe, expect, it } from '@jest/globals';
import {
  ACTIVE_MESSAGE_STATUSES,
  isActive,
  MESSAGE_STATUSES,
  TURN_MOVES,
  type TurnMove,
  turnMoves,
} from './message.state.ts';

const MOVES = Object.keys(TURN_MOVES) as TurnMove[];

describe('the moves of a turn', () => {
  it.each([
    ['claim', 'pending', 'pending'],
    ['claim', 'streaming', undefined],
    ['claim', 'cancelling', undefined],
    ['release', 'streaming', undefined],
    ['running', 'pending', 'streaming'],
    ['append', 'pending', 'streaming'],
    ['append', 'cancelling', 'cancelling'],
    ['complete', 'cancelling', 'complete'],
    ['retry', 'streaming', 'pending'],
    ['retry', 'cancelling', 'cancelled'],
    ['fail', 'streaming', 'failed'],
    ['fail', 'cancelling', 'cancelled'],
    ['cancel', 'pending', 'cancelling'],
    ['cancel', 'cancelling', 'cancelling'],
    ['cancelled', 'streaming', undefined],
    ['cancelled', 'cancelling', 'cancelled'],
    ['unclaimed', 'streaming', undefined],
    ['timeout', 'streaming', 'failed'],
    ['discard', 'streaming', 'cancelled'],
  ] as const)('%s of a %s message leads to %s', (move, from, to) => {
    expect(turnMoves.after(move, from)).toBe(to);
  });

  it('never leave an end', () => {
    const ends = MESSAGE_STATUSES.filter((status) => !(ACTIVE_MESSAGE_STATUSES as readonly string[]).includes(status));
    expect(ends).toEqual(['complete', 'failed', 'cancelled']);
    for (const move of MOVES) for (const end of ends) expect(turnMoves.after(move, end)).toBeUndefined();
  });

  it('never take a cancel back', () => {
    for (const move of MOVES)
      expect(['cancelling', 'cancelled', 'complete', undefined]).toContain(turnMoves.after(move, 'cancelling'));
  });
});

describe('the moves in SQL', () => {
  it('say the same', () => {
    expect(turnMoves.permits('cancelled', 'm.status')).toBe(`m.status = 'cancelling'`);
    expect(turnMoves.moved('fail', 'm.status')).toBe(
      `case when m.status = 'pending' then 'failed' when m.status = 'streaming' then 'failed' when m.status = 'cancelling' then 'cancelled' end`,
    );
    expect(isActive('status')).toBe(`status in ('pending', 'streaming', 'cancelling')`);
  });
});
