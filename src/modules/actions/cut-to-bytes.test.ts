import { expect, it } from '@jest/globals';
import { cutToBytes } from './cut-to-bytes.ts';

it.each([
  ['short', 10, 'short'],
  ['exactly', 7, 'exactly'],
  ['cut here', 3, 'cut'],
  ['aé', 2, 'a'],
  ['aé', 3, 'aé'],
  ['😀😀', 7, '😀'],
  ['😀', 3, ''],
])('cuts %j to %i bytes: %j', (text, max, cut) => {
  expect(cutToBytes(text, max)).toBe(cut);
});
