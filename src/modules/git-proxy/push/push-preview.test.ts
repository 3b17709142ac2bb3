import { expect, it } from '@jest/globals';
import type { ChangedPath } from '../verification/index.ts';
import { pushPreview } from './push-preview.ts';

const command = { ref: 'refs/heads/topic', oldOid: 'a'.repeat(40), newOid: 'b'.repeat(40) };
const commit = { oid: 'b'.repeat(40), author: 'Agent', at: '2026-03-01T09:30:00+00:00', subject: 'Change' };
const work = { repository: 'Acme/Shop', command, commits: [commit], commitCount: 1, paths: [] };
const linesOf = (given: Partial<Parameters<typeof pushPreview>[0]>) => pushPreview({ ...work, ...given }).split('\n');

const path = (text: string | Buffer, change = 'A', kind: ChangedPath['kind'] = null): ChangedPath => ({
  change,
  path: Buffer.from(text as string),
  kind,
});

it('counts what it does not show, and shows deletions first', () => {
  const paths = Array.from({ length: 300 }, (_, nth) => path(`file-${nth}`, nth < 250 ? 'M' : 'D'));
  const lines = linesOf({ commitCount: 25, paths });
  expect(lines[3]).toBe('  25 commits, 300 changed paths, 50 of them deleted');
  expect(lines.filter((line) => line.startsWith('  and '))).toEqual([
    '  and 100 more, 0 of them deleted',
    '  and 24 more',
  ]);
  const at = lines.indexOf('Changed paths, the deleted ones first:');
  expect(lines.slice(at + 1, at + 52).map((line) => line.trim()[0])).toEqual([...'D'.repeat(50), 'M']);
});

it('shows each part, however long an agent makes the others', () => {
  const long = '𐍈'.repeat(5_000);
  const preview = pushPreview({
    ...work,
    command: { ...command, ref: `refs/heads/${'é'.repeat(30_000)}` },
    commits: Array.from({ length: 20 }, () => ({ ...commit, author: long, subject: long })),
    commitCount: 20,
    paths: [...Array.from({ length: 500 }, (_, nth) => path(`${nth}${'𐍈'.repeat(400)}`)), path('kept.txt', 'D')],
  });
  expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(32 * 1_024);
  const beginning = Buffer.from(preview).toString('utf8', 0, 2 * 1_024);
  expect(beginning).toContain('20 commits, 501 changed paths, 1 of them deleted');
  expect(beginning).toContain('\n  D kept.txt\n');
  expect(preview).toMatch(
    /\n  and \d+ more, 0 of them deleted\n\nCommits, the newest first:\n  b{12} [^]*\n  and \d+ more$/,
  );
});

it('keeps every name on a line of its own', () => {
  const usual = linesOf({ paths: [path('x')] });
  for (const end of ['\n', '\r\n', '\u2028', '\u0085']) {
    const name = `x${end}  A harmless.txt`;
    const lines = linesOf({
      commits: [{ ...commit, author: name, subject: name }],
      paths: [path(`${name}${'y'.repeat(4_000)}`)],
    });
    expect(lines).toHaveLength(usual.length);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(310);
  }
});

it.each([
  ['as it is', path('süß (1).txt', 'M'), '  M süß (1).txt'],
  ['with what is not seen', path('gnp\u202e.x'), String.raw`  A "gnp\342\200\256.x"`],
  ['with a line of its own', path('x\n  A y'), String.raw`  A "x\012  A y"`],
  ['that is no UTF-8', path(Buffer.from([0x61, 0xff])), String.raw`  A "a\377"`],
  ['with an escape that is none', path(String.raw`a\377`), String.raw`  A "a\\377"`],
  ['with a mark that is none', path('(link) a'), '  A "(link) a"'],
  ['that is a link', path('a', 'T', 'link'), '  T (link) a'],
  ['that is a submodule', path('a', 'D', 'submodule'), '  D (submodule) a'],
])('shows a path %s', (_name, shown, line) => {
  expect(linesOf({ paths: [shown] })).toContain(line);
});

it('says what is not known, and where nothing comes along', () => {
  expect(linesOf({ paths: null })).toContainEqual(expect.stringMatching(/^Changed paths are not known/));
  const begun = linesOf({ command: { ...command, oldOid: '0'.repeat(40) }, commits: [], commitCount: 0 });
  expect(begun).toEqual([
    'Acme/Shop: branch topic',
    `  begins at ${command.newOid}`,
    '  0 commits, 0 changed paths, 0 of them deleted',
    '',
    'No changed paths.',
    '',
    'No commits: the branch begins at one that is not in the push; the host has to have it.',
  ]);
});
