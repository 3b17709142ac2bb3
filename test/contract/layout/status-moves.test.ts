import { describe, expect, it } from '@jest/globals';
import { sourcesOfModules } from './sources.ts';

/** Tables whose rows move by a table of moves (`*.state.ts`). */
const MOVED = ['task', 'task_dependency', 'run', 'run_request', 'message'];

const update = new RegExp(
  String.raw`\bupdate (?:${MOVED.join('|')})(?: (?:as )?\w+)? set\b(?:(?!\b(?:where|returning)\b)[^\`])*`,
  'g',
);
const literal = /(?:\bset|,)\s+status = (?:'|case\b[^,]*?\b(?:then|else) ')/;

describe('the statements that move a status', () => {
  it('take it from the table of moves', () => {
    const updates = sourcesOfModules().flatMap(({ path, text }) =>
      [...text.matchAll(update)].map(([found]) => ({ path, text, found })),
    );
    expect(updates.filter(({ found }) => found.includes('status = ')).length).toBeGreaterThan(25);
    expect(updates.filter(({ found }) => literal.test(found)).map(({ path, found }) => `${path}: ${found}`)).toEqual(
      [],
    );
    const constants = updates.flatMap(({ path, text, found }) =>
      [...(/\bstatus = (?:case\b[^,]*|[^,\n]*)/.exec(found)?.[0] ?? '').matchAll(/\$\{([A-Z_]+)\}/g)]
        .filter(([, name]) => isLiteral(text, name!))
        .map(([, name]) => `${path}: ${name}`),
    );
    expect(constants).toEqual([]);
  });

  it('would be found otherwise', () => {
    const [found] = `x as (update task t set version = 1, status = 'running' where id = $1)`.match(update)!;
    expect(found).toMatch(literal);
    expect(`update run as r set status = 'failed'`.match(update)![0]).toMatch(literal);
    expect(isLiteral(`const FAILED = sql.raw("'failed'");`, 'FAILED')).toBe(true);
    expect(isLiteral(`const FAILED = sql.raw(runMoves.next('fail'));`, 'FAILED')).toBe(false);
    expect(`set status = case when x then 'a' else t.status end`).toMatch(literal);
    expect(`set status = case when x then \${taskMoves.moved('retry', 't.status')} else t.status end`).not.toMatch(
      literal,
    );
  });
});

/** Whether a constant of a file is a text that no table of moves made. */
function isLiteral(text: string, name: string): boolean {
  return new RegExp(`\\bconst ${name}\\b[^=]*= (?:sql\\.raw\\()?['"\`]`).test(text);
}
