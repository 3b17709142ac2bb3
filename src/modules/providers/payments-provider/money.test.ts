import { describe, expect, it } from '@jest/globals';
import { majorUnits } from './money.ts';

describe('an amount of the smallest unit', () => {
  it.each<[unknown, string, string]>([
    [0, 'EUR', '0'],
    [5, 'EUR', '0.05'],
    [50, 'EUR', '0.5'],
    [100, 'EUR', '1'],
    [-1_999, 'USD', '-19.99'],
    ['-0', 'USD', '0'],
    ['0012', 'USD', '0.12'],
    ['9007199254740993', 'USD', '90071992547409.93'],
    // Hundredths by ISO 4217, whatever `Intl` says.
    [12_345, 'HUF', '123.45'],
  ])('%p %s is %s in major units', (amount, currency, value) =>
    expect(majorUnits(amount, currency)).toEqual({ value }),
  );

  it.each<[unknown, string, string]>([
    [null, 'EUR', 'missing_value'],
    [undefined, 'JPY', 'missing_value'],
    [1.5, 'EUR', 'non_numeric'],
    ['1e3', 'EUR', 'non_numeric'],
    ['', 'EUR', 'non_numeric'],
    [{}, 'EUR', 'non_numeric'],
    [100, 'JPY', 'unit_unverified'],
    [100, 'KWD', 'unit_unverified'],
  ])('%p %s is a gap: %s', (amount, currency, reason) =>
    expect(majorUnits(amount, currency)).toEqual({ value: null, reason }),
  );
});
