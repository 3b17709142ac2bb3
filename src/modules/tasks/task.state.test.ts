import { describe, expect, it } from '@jest/globals';
import {
  ENDED_TASK_STATUSES,
  hasEnded,
  isEndedTask,
  isOpenTask,
  OPEN_TASK_STATUSES,
  TASK_MOVES,
  TASK_STATUSES,
  type TaskMove,
  taskMoves,
} from './task.state.ts';

const MOVES = Object.keys(TASK_MOVES) as TaskMove[];

describe('the moves of a task', () => {
  it.each([
    ['start', 'pending', 'running'],
    ['start', 'blocked', 'running'],
    ['start', 'running', undefined],
    ['block', 'pending', 'blocked'],
    ['block', 'blocked', 'blocked'],
    ['block', 'running', undefined],
    ['unblock', 'blocked', 'pending'],
    ['unblock', 'running', undefined],
    ['requeue', 'running', 'pending'],
    ['requeue', 'blocked', undefined],
    ['wait', 'running', 'blocked'],
    ['complete', 'running', 'completed'],
    ['complete', 'pending', undefined],
    ['fail', 'blocked', 'failed'],
    ['cancel', 'running', 'cancelled'],
    ['retry', 'failed', 'pending'],
    ['retry', 'cancelled', undefined],
    ['retryBlocked', 'failed', 'blocked'],
    ['repair', 'running', 'pending'],
    ['suspend', 'pending', 'blocked'],
    ['suspend', 'running', 'blocked'],
  ] as const)('%s of a %s task leads to %s', (move, from, to) => {
    expect(taskMoves.after(move, from)).toBe(to);
  });

  it('leave an end only by a retry of what failed', () => {
    const leaves = MOVES.flatMap((move) =>
      ENDED_TASK_STATUSES.flatMap((end) => (taskMoves.after(move, end) === undefined ? [] : [[move, end]])),
    );
    expect(leaves).toEqual([
      ['retry', 'failed'],
      ['retryBlocked', 'failed'],
    ]);
  });

  it('fail and cancel whatever has not ended', () => {
    for (const status of TASK_STATUSES)
      for (const [move, end] of [
        ['fail', 'failed'],
        ['cancel', 'cancelled'],
      ] as const)
        expect(taskMoves.after(move, status)).toBe(hasEnded(status) ? undefined : end);
  });

  it('are permitted to open and ended tasks in SQL as in code', () => {
    expect([...OPEN_TASK_STATUSES, ...ENDED_TASK_STATUSES].sort()).toEqual([...TASK_STATUSES].sort());
    expect(isOpenTask('t.status')).toBe(`t.status in ('pending', 'running', 'blocked')`);
    expect(isEndedTask('t.status')).toBe(`t.status in ('completed', 'failed', 'cancelled')`);
  });
});
