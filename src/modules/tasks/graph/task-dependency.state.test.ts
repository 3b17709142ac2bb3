import { describe, expect, it } from '@jest/globals';
import { DEPENDENCY_MOVES, type DependencyMove, dependencyMoves } from './task-dependency.state.ts';

describe('the moves of a dependency', () => {
  it.each([
    ['satisfy', 'pending', 'satisfied'],
    ['satisfy', 'failed', 'satisfied'],
    ['miss', 'pending', 'failed'],
    ['fail', 'pending', 'failed'],
    ['fail', 'failed', undefined],
    ['waive', 'pending', 'waived'],
    ['waive', 'failed', 'waived'],
    ['reopen', 'failed', 'pending'],
    ['reopen', 'pending', undefined],
  ] as const)('%s of a %s one leads to %s', (move, from, to) => {
    expect(dependencyMoves.after(move, from)).toBe(to);
  });

  it('leave alone what is satisfied or waived', () => {
    for (const move of Object.keys(DEPENDENCY_MOVES) as DependencyMove[])
      for (const settled of ['satisfied', 'waived'] as const)
        expect(dependencyMoves.after(move, settled)).toBeUndefined();
  });
});
