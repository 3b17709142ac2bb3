import { describe, expect, it } from '@jest/globals';
import { requireKey } from './object-key.ts';

describe('requireKey', () => {
  it.each(['a', 'organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/runs/1/artifacts/ab12', 'a/b.c_d-e', 'a..b'])(
    'takes %s',
    (key) => expect(() => requireKey(key)).not.toThrow(),
  );

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/./b',
    '../a',
    '.incoming/a',
    'a/.b',
    'A',
    'a b',
    'a\\b',
    'a\u0000',
    'a\n',
    'ä',
    'a%2fb',
    'a'.repeat(129),
    'ab/'.repeat(200) + 'a',
  ])('refuses %j', (key) => expect(() => requireKey(key)).toThrow(/^Not a key of the object store: /));
});
