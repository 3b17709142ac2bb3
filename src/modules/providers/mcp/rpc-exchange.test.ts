import { describe, expect, it } from '@jest/globals';
import { scopesIn } from './rpc-exchange.ts';

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
