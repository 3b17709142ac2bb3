import { expect, it } from '@jest/globals';
import { parseAnswer } from './json-answer.ts';

it.each([
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['12345678901234567.0', '12345678901234567.0'],
  ['1e20', '1e20'],
  ['1E+400', '1E+400'],
  ['1e3', 1_000],
  ['0.1', 0.1],
  ['1.5e-20', 1.5e-20],
  ['"1e20"', '1e20'],
])('%s is read without losing a digit', (text, expected) => expect(parseAnswer(`[${text}]`)).toEqual([expected]));
