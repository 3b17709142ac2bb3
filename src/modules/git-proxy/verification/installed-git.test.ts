import { expect, it } from '@jest/globals';
import { isAtLeast } from './installed-git.service.ts';

it.each([
  ['git version 2.30.2', true],
  ['git version 2.39.5 (Apple Git-154)', true],
  ['git version 3.0.0', true],
  ['git version 2.29.9', false],
  ['git version 1.99', false],
  ['zsh: command not found: git', false],
])('%s is recent: %s', (said, isRecent) => {
  expect(isAtLeast(said, [2, 30])).toBe(isRecent);
});
