import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { definedIssues, type IssueRow } from '../../../src/kernel/errors/index.ts';

const SRC = join(import.meta.dirname, '../../../src');
const sources = globSync('**/*.ts', { cwd: SRC })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

/** The tables of issues, by the name under which they are used. */
const tables: [string, Readonly<Record<string, IssueRow>>][] = [];
for (const { path, text } of sources)
  for (const [, name] of text.matchAll(/export const (\w+) = defineIssues\(/g)) {
    const module = (await import(join(SRC, path))) as Record<string, Readonly<Record<string, IssueRow>>>;
    tables.push([name!, module[name!]!]);
  }

describe('issue codes', () => {
  it('are snake_case, and each stands in one row', () => {
    const codes = definedIssues().map(({ code }) => code);
    expect(codes.length).toBe(tables.flatMap(([, rows]) => Object.keys(rows)).length);
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
    expect(codes.filter((code, index) => codes.indexOf(code) < index)).toEqual([]);
  });

  it('are all used', () => {
    const uses = new Set(sources.flatMap(({ text }) => text.match(/\b\w+Issues\.\w+/g) ?? []));
    const unused = tables.flatMap(([name, rows]) => Object.keys(rows).map((row) => `${name}.${row}`));
    expect(unused.filter((row) => !uses.has(row))).toEqual([]);
  });

  it('come from tables: none is made of a text but where one went through a library, or is that of an error', () => {
    const made = sources.filter(({ text }) => /\bissueCodeOf\(|\bas IssueCode\b|\bas Issue(Row)?\b/.test(text));
    expect(made.map(({ path }) => path).sort()).toEqual([
      'kernel/errors/api-error.ts',
      'kernel/errors/issue-row.ts',
      'kernel/validation/field.ts',
      'kernel/validation/validation.pipe.ts',
    ]);
  });

  it('are documented', () => {
    const documented = readFileSync(join(SRC, '../docs/errors.md'), 'utf8');
    for (const { code } of definedIssues()) expect(documented).toContain(`| \`${code}\` |`);
  });
});
