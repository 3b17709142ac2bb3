import { describe, expect, it } from '@jest/globals';
import {
  ENDED_RUN_STATUSES,
  FIRST_RUN_STATUS,
  isLive,
  RUN_MOVES,
  RUN_STATUSES,
  type RunMove,
  runMoves,
} from './run.state.ts';

const MOVES = Object.keys(RUN_MOVES) as RunMove[];

describe('the moves of a run', () => {
  it.each([
    ['begin', 'starting', 'running'],
    ['begin', 'running', 'running'],
    ['succeed', 'starting', 'succeeded'],
    ['succeed', 'running', 'succeeded'],
    ['fail', 'starting', 'failed'],
    ['fail', 'running', 'failed'],
    ['cancel', 'running', 'cancelled'],
    ['expire', 'starting', 'expired'],
    ['expire', 'running', 'expired'],
  ] as const)('%s of a %s run leads to %s', (move, from, to) => {
    expect(runMoves.after(move, from)).toBe(to);
  });

  it('never leave an end, and all are permitted while the run lives', () => {
    for (const move of MOVES)
      for (const status of RUN_STATUSES) expect(runMoves.after(move, status) !== undefined).toBe(isLive(status));
    expect(RUN_STATUSES.filter((status) => !isLive(status))).toEqual(ENDED_RUN_STATUSES);
  });

  it('reach every status from the first', () => {
    const reached = MOVES.map((move) => runMoves.after(move, FIRST_RUN_STATUS));
    expect(new Set([FIRST_RUN_STATUS, ...reached])).toEqual(new Set(RUN_STATUSES));
  });

  it('never go back to the start', () => {
    for (const move of MOVES) expect(runMoves.after(move, 'running')).not.toBe('starting');
  });
});
