import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Workspace } from '../workspace.ts';
import { parseCsv } from './csv.ts';
import { cycles, longestChain } from './graph.ts';
import { addressOf, parseMbox } from './mbox.ts';
import { importsOf, resolveImport, splitComments } from './source.ts';

describe('CSV', () => {
  it('reads quotes, commas and line breaks in fields', () => {
    expect(parseCsv('\uFEFFa,b\r\n"x, y","say ""hi""\nthere"\r\n\r\n1,\n', 'f')).toEqual([
      { a: 'x, y', b: 'say "hi"\nthere' },
      { a: '1', b: '' },
    ]);
  });

  it('names the line of what is wrong', () => {
    expect(() => parseCsv('a,b\n"1\n2",3\n4\n', 'f')).toThrow('f, line 4: 1 fields where the header has 2');
    expect(() => parseCsv('a\n"open', 'f')).toThrow('f, line 2: a quote never ends');
    expect(() => parseCsv('a\n"x"y', 'f')).toThrow('text after a closing quote');
    expect(() => parseCsv('', 'f')).toThrow('f is empty');
  });
});

describe('mbox', () => {
  it('parts messages, joins folded headers, unquotes From lines', () => {
    const text =
      'From a Mon\nSubject: one\n two\nFrom: A <a@x.example>\n\nhi\n>From here\n>>From there\n\nFrom b Tue\nSubject: B\n\nlast\n';
    expect(parseMbox(text, 'f')).toEqual([
      { headers: { subject: 'one two', from: 'A <a@x.example>' }, body: 'hi\nFrom here\n>From there' },
      { headers: { subject: 'B' }, body: 'last' },
    ]);
    expect(addressOf('"A, B" <Ops@X.example>')).toBe('ops@x.example');
    expect(addressOf('ops@x.example')).toBe('ops@x.example');
  });

  it('decodes quoted-printable', () => {
    const text = 'From a\nContent-Transfer-Encoding: quoted-printable\n\narriv=C3=A9 =\ntoo';
    expect(parseMbox(text, 'f')[0]!.body).toBe('arrivé too');
    expect(() => parseMbox('Subject: x', 'f')).toThrow('f is no mbox file');
  });
});

describe('source code', () => {
  it('knows comments from what looks like them', () => {
    const source =
      "const a = 'http://x'; // one\nconst b = `//${/* two */ `}//`}`;\nconst c = /\\/\\/[/*]/g; /* three\n four */ d / e / f;\n";
    const { code, comments } = splitComments(source);
    expect(comments).toEqual([
      { line: 1, text: '// one' },
      { line: 2, text: '/* two */' },
      { line: 3, text: '/* three\n four */' },
    ]);
    expect(code).toHaveLength(source.length);
    expect(code.split('\n')).toHaveLength(source.split('\n').length);
  });

  it('finds static imports and re-exports only', () => {
    const code = [
      "import 'side';",
      "import type { T } from './t.ts';",
      "import {\n  type U,\n  v,\n} from './v.ts';",
      "export * from './all.ts';",
      "export const x = 'not-me';",
      "const late = await import('not-me');",
      'import pg from "pg";',
    ].join('\n');
    expect(importsOf(code)).toEqual([
      { specifier: 'side', typeOnly: false },
      { specifier: './t.ts', typeOnly: true },
      { specifier: './v.ts', typeOnly: false },
      { specifier: './all.ts', typeOnly: false },
      { specifier: 'pg', typeOnly: false },
    ]);
    const files = new Set(['src/a/index.ts', 'src/b.ts']);
    expect(resolveImport('src/x/y.ts', '../a', files)).toBe('src/a/index.ts');
    expect(resolveImport('src/x/y.ts', '../b.js', files)).toBe('src/b.ts');
    expect(resolveImport('src/x/y.ts', 'pg', files)).toBeUndefined();
  });
});

describe('an import graph', () => {
  const graph = new Map([
    ['a', ['b', 'e']],
    ['b', ['c']],
    ['c', ['b', 'd']],
    ['d', []],
    ['e', ['e']],
  ]);

  it('has cycles', () => {
    expect(cycles(graph)).toEqual([['b', 'c'], ['e']]);
  });

  it('has a longest chain, in which a cycle is one link', () => {
    expect(longestChain(graph)).toEqual(['a', 'b', 'd']);
  });
});

describe('the workspace', () => {
  it('reads nothing outside its folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'workspace-'));
    mkdirSync(join(folder, 'in/deep'), { recursive: true });
    writeFileSync(join(folder, 'secret'), 's');
    writeFileSync(join(folder, 'in/deep/b'), 'b');
    writeFileSync(join(folder, 'in/a'), 'a');
    symlinkSync('../secret', join(folder, 'in/link'));
    const workspace = new Workspace(join(folder, 'in'));
    expect(await workspace.list('.')).toEqual(['a', 'deep/b']);
    expect(await workspace.read('deep/b')).toBe('b');
    await expect(workspace.read('../secret')).rejects.toThrow('outside the workspace');
    await expect(workspace.read('link')).rejects.toThrow('outside the workspace');
    await expect(workspace.read('none')).rejects.toThrow('The workspace has no none');
    rmSync(folder, { recursive: true });
  });
});
