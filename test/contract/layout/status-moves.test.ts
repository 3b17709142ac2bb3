import { describe, expect, it } from '@jest/globals';
import { sourcesOfModules } from './sources.ts';

/** Tables whose rows move by a table of moves (`*.state.ts`). */
const MOVED = ['task', 'task_dependency', 'run', 'run_request', 'message'];

const update = new RegExp(
  String.raw`\bupdate (?:${MOVED.join('|')})(?: \w+)? set\b(?:(?!\b(?:where|returning)\b)[^\`])*`,
  'g',
);
const literal = /(?:\bset|,)\s+status = (?:'|case\b[^,]*?\b(?:then|else) ')/;

describe('the statements that move a status', () => {
  it('take it from the table of moves', () => {
    const updates = sourcesOfModules().flatMap(({ path, text }) =>
      [...text.matchAll(update)].map(([found]) => ({ path, found })),
    );
    expect(updates.filter(({ found }) => found.includes('status = ')).length).toBeGreaterThan(25);
    expect(updates.filter(({ found }) => literal.test(found))).toEqual([]);
  });

  it('would be found otherwise', () => {
    const [found] = `x as (update task t set version = 1, status = 'running' where id = $1)`.match(update)!;
    expect(found).toMatch(literal);
    expect(`set status = case when x then 'a' else t.status end`).toMatch(literal);
    expect(`set status = case when x then \${taskMoves.moved('retry', 't.status')} else t.status end`).not.toMatch(
      literal,
    );
  });
});
