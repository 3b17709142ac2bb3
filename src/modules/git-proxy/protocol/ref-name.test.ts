import { expect, it } from '@jest/globals';
import { branchOf, isBranch } from './ref-name.ts';

it.each(['main', 'feature/eng-7', 'a.b', 'ä', '@', 'a@b', 'A-7K3M9Q', 'a/b/c', 'a'.repeat(239)])(
  'refs/heads/%s is a branch',
  (name) => expect(isBranch(`refs/heads/${name}`)).toBe(true),
);

it.each([
  '',
  '/main',
  'main/',
  'a//b',
  '.main',
  'a/.b',
  'a.lock',
  'a.lock/b',
  'a..b',
  'a.',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[',
  'a\\b',
  'a@{b',
  'a\u0000',
  'a\u007f',
  'a\n',
  '\ud800',
  'caf\ufffd',
  'a'.repeat(240),
])('refs/heads/%j is none', (name) => expect(isBranch(`refs/heads/${name}`)).toBe(false));

it.each(['refs/tags/v1', 'HEAD', 'refs/heads', 'main', 'refs/HEADS/main', 'refs/heads/../tags/v1'])(
  '%s is none',
  (ref) => expect(isBranch(ref)).toBe(false),
);

it('is called by what follows', () => expect(branchOf('refs/heads/a/b')).toBe('a/b'));
