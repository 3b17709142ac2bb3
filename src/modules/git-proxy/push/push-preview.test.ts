import { expect, it } from '@jest/globals';
import { pushPreview } from './push-preview.ts';

const command = { ref: 'refs/heads/topic', oldOid: 'a'.repeat(40), newOid: 'b'.repeat(40) };
const commit = { oid: 'b'.repeat(40), author: 'Agent', at: '2026-03-01T09:30:00+00:00', subject: 'Change' };
const work = { repository: 'Acme/Shop', command, commits: [commit], commitCount: 1, paths: [] };
const linesOf = (given: Partial<Parameters<typeof pushPreview>[0]>) => pushPreview({ ...work, ...given }).split('\n');

it('counts what it does not show, and shows deletions first', () => {
  const paths = Array.from({ length: 300 }, (_, nth) => ({ change: nth < 250 ? 'M' : 'D', path: `file-${nth}` }));
  const lines = linesOf({ commitCount: 25, paths });
  expect(lines).toContain('25 commits, the newest first:');
  expect(lines.filter((line) => line.startsWith('  and '))).toEqual(['  and 24 more', '  and 100 more']);
  const at = lines.indexOf('300 changed paths, 50 of them deleted:');
  expect(lines.slice(at + 1, at + 52).map((line) => line.trim()[0])).toEqual([...'D'.repeat(50), 'M']);
});

it('keeps every name on a line of its own', () => {
  const usual = linesOf({ paths: [{ change: 'A', path: 'x' }] });
  for (const end of ['\n', '\r\n', '\u2028', '\u0085']) {
    const name = `x${end}  A harmless.txt`;
    const lines = linesOf({
      commits: [{ ...commit, author: name, subject: name }],
      paths: [{ change: 'A', path: `${name}${'y'.repeat(4_000)}` }],
    });
    expect(lines).toHaveLength(usual.length);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(310);
  }
});

it('says what is not known, and where nothing comes along', () => {
  expect(linesOf({ paths: null }).at(-1)).toMatch(/^Changed paths are not known/);
  const begun = linesOf({ command: { ...command, oldOid: '0'.repeat(40) }, commits: [], commitCount: 0 });
  expect(begun).toEqual([
    'Acme/Shop: branch topic',
    `  begins at ${command.newOid}`,
    '',
    'No commits: the branch begins at one that the host has.',
    '',
    '0 changed paths, 0 of them deleted:',
  ]);
});
