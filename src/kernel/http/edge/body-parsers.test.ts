import { describe, expect, it } from '@jest/globals';
import { isJson } from './body-parsers.ts';

describe('isJson', () => {
  it.each([
    'application/json',
    'Application/JSON ',
    'application/json;charset=utf-8',
    'application/json ; charset="UTF-8"',
  ])('takes %s', (type) => {
    expect(isJson(type)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'text/json',
    'application/json; charset=latin1',
    'application/json; charset="utf-8',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; profile=x',
    'application/jsonl',
    'application/problem+json',
  ])('refuses %s', (type) => {
    expect(isJson(type)).toBe(false);
  });
});
