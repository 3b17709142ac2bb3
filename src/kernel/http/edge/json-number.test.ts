import { describe, expect, it } from '@jest/globals';
import { isKept } from './json-number.ts';

describe('isKept', () => {
  it.each([
    '1.0',
    '-1.50e1',
    '120e-1',
    '0.0',
    '0e400',
    '-0.0',
    '1.5',
    '0.1',
    '9007199254740991.0',
    '9007199254740991e0',
  ])('keeps %s', (token) => {
    expect(isKept(token)).toBe(true);
  });

  it.each(['0.12345678901234567890', '1e-300', '12345678.00001', '1.7976931348623157e308'])(
    'takes %s for the approximation that a fraction is',
    (token) => {
      expect(isKept(token)).toBe(true);
    },
  );

  it.each([
    '1.0000000000000000001',
    '0.99999999999999999999',
    '-3.00000000000000000000001',
    '1e-400',
    '-0.1e-399',
    '12345678900000000001e-9',
    '4503599627370496.2',
  ])('does not keep %s', (token) => {
    expect(isKept(token)).toBe(false);
  });

  it('takes its time with no token', () => {
    const zeros = '0'.repeat(1_000_000);
    const begunAt = performance.now();
    expect(isKept(`1.${zeros}1`)).toBe(false);
    expect(isKept(`0.${zeros}1`)).toBe(false);
    expect(isKept(`1.${zeros}`)).toBe(true);
    expect(performance.now() - begunAt).toBeLessThan(1_000);
  });
});
