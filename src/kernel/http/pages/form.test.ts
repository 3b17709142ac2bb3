import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../errors/index.ts';
import { isForm, parseForm } from './form.ts';

describe('a form', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['token=a%2Bb+c&x=', { token: 'a+b c', x: '' }],
    ['x', { x: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['n=%C3%A9', { n: 'é' }],
  ])('%j', (body, fields) => {
    expect(parseForm(body)).toEqual(fields);
  });

  it.each([
    ['a=1&a=2', 'duplicate_key'],
    ['a=%zz', 'malformed_query'],
    ['a=%C3', 'malformed_query'],
    ['a=%00', 'invalid_text'],
    ['__proto__=1', 'unknown_property'],
    [Array.from({ length: 101 }, (_, n) => `a${n}=`).join('&'), 'too_many_values'],
  ])('refuses %.20s', (body, code) => {
    let issues: unknown;
    try {
      parseForm(body);
    } catch (error) {
      issues = (error as ApiError).issues;
    }
    expect(issues).toEqual([expect.objectContaining({ code })]);
  });

  it('is told by its media type alone', () => {
    expect(isForm('Application/X-WWW-Form-Urlencoded; charset=UTF-8')).toBe(true);
    for (const other of [undefined, 'application/json', 'application/x-www-form-urlencoded; charset=latin1'])
      expect(isForm(other)).toBe(false);
  });
});
