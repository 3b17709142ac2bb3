import { describe, expect, it } from '@jest/globals';
import {
  ENDED_RUN_REQUEST_STATUSES,
  RUN_REQUEST_MOVES,
  RUN_REQUEST_STATUSES,
  type RunRequestMove,
  runRequestMoves,
} from './run-request.state.ts';

const MOVES = Object.keys(RUN_REQUEST_MOVES) as RunRequestMove[];
const isEnded = (status: string) => (ENDED_RUN_REQUEST_STATUSES as readonly string[]).includes(status);

describe('the moves of a request', () => {
  it.each([
    ['claim', 'queued', 'claimed'],
    ['claim', 'claimed', undefined],
    ['claim', 'running', undefined],
    ['claimAgain', 'claimed', 'claimed'],
    ['claimAgain', 'running', undefined],
    ['giveBack', 'claimed', 'queued'],
    ['giveBack', 'running', undefined],
    ['start', 'claimed', 'running'],
    ['start', 'queued', undefined],
    ['complete', 'running', 'completed'],
    ['complete', 'claimed', undefined],
    ['retry', 'running', 'queued'],
    ['retry', 'claimed', undefined],
    ['fail', 'running', 'failed'],
    ['cancel', 'running', 'cancelled'],
    ['supersede', 'queued', 'superseded'],
    ['supersede', 'claimed', 'superseded'],
    ['supersede', 'running', undefined],
    ['failWithTask', 'queued', 'failed'],
    ['failWithTask', 'running', 'running'],
    ['endWithTask', 'claimed', 'cancelled'],
    ['endWithTask', 'running', 'running'],
  ] as const)('%s of a %s request leads to %s', (move, from, to) => {
    expect(runRequestMoves.after(move, from)).toBe(to);
  });

  it('never leave an end', () => {
    const ends = RUN_REQUEST_STATUSES.filter(isEnded);
    expect(ends).toEqual(['completed', 'failed', 'cancelled', 'superseded']);
    for (const move of MOVES) for (const end of ends) expect(runRequestMoves.after(move, end)).toBeUndefined();
  });

  it('make a live run only by a start, from a claim', () => {
    const starting = MOVES.flatMap((move) =>
      RUN_REQUEST_STATUSES.filter((from) => from !== 'running' && runRequestMoves.after(move, from) === 'running').map(
        (from) => `${move} ${from}`,
      ),
    );
    expect(starting).toEqual(['start claimed']);
  });

  it('end a request with a live run only when that run ends', () => {
    const ending = MOVES.filter((move) => isEnded(runRequestMoves.after(move, 'running') ?? 'running'));
    expect(ending).toEqual(['complete', 'fail', 'cancel']);
  });

  it('lead to every status', () => {
    const reached = MOVES.flatMap((move) =>
      RUN_REQUEST_STATUSES.flatMap((from) => runRequestMoves.after(move, from) ?? []),
    );
    expect(new Set(reached)).toEqual(new Set(RUN_REQUEST_STATUSES));
  });
});
