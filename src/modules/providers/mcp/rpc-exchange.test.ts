import { describe, expect, it } from '@jest/globals';
import { scopesIn, secondsOf } from './rpc-exchange.ts';

describe('the time that a server asks to wait', () => {
  const now = Date.UTC(2026, 10, 30);
  it.each<[string | null, number | undefined]>([
    [null, undefined],
    ['7', 7],
    ['86400', 3_600],
    ['never', undefined],
    ['soon', undefined],
    ['Mon, 30 Nov 2026 00:00:30 GMT', 30],
    ['Sun, 29 Nov 2026 00:00:00 GMT', 0],
  ])('%s', (header, seconds) => expect(secondsOf(header, now)).toBe(seconds));
});

describe('the scopes that a challenge names as missing', () => {
  it.each<[string | null, readonly string[] | undefined]>([
    [null, undefined],
    ['Bearer scope="a b"', undefined],
    ['Bearer error="invalid_token", scope="a"', undefined],
    ['Bearer error="insufficient_scope", scope="a  b"', ['a', 'b']],
    ['Bearer scope="a", error=insufficient_scope', ['a']],
    ['Bearer error="insufficient_scope"', []],
  ])('%s', (header, scopes) => expect(scopesIn(header)).toEqual(scopes));
});
