import { describe, expect, it } from '@jest/globals';
import { judgePlan, type Planned } from './plan-judge.ts';
import { SERVED, UNSERVED } from '../../../../test/support/peers/document-db/plan-shapes.ts';

const FILTERED: Planned = { isFiltered: true, isLimited: true };

describe('a plan', () => {
  it.each(SERVED)('of $name is served', ({ explained, planned = FILTERED, index }) => {
    const verdict = judgePlan(explained, planned);
    expect(verdict.isServed && (verdict.index?.name ?? null)).toBe(index);
  });

  it.each(UNSERVED)('of $name is refused', ({ explained, planned = FILTERED }) => {
    expect(judgePlan(explained, planned)).toEqual({ isServed: false });
  });
});
