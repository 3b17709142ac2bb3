import { describe, expect, it } from '@jest/globals';
import { RateBook, type RateDay } from './conversion.ts';
import { fractionOf, textOf } from './formula.ts';

const rates = (day: string, more: Record<string, string> = {}): RateDay => ({
  day,
  rates: new Map(Object.entries({ USD: '1.1367', GBP: '0.85986', JPY: '180.57', ...more })),
});

describe('reference rates', () => {
  const book = new RateBook([rates('2026-09-24'), rates('2026-09-23', { USD: '2' })]);

  it.each([
    ['100', 'USD', 'GBP', '75.645288994457640538'],
    ['100', 'USD', 'JPY', '15885.457904460279757'],
    ['100', 'USD', 'EUR', '87.97395970792645377'],
    ['843.32', 'USD', 'EUR', '741.90199700888536993'],
    ['50', 'EUR', 'USD', '56.835'],
  ])('convert %s %s to %s', (amount, from, to, expected) => {
    const converted = book.convert(fractionOf(amount), from, to, '2026-09-30')!;
    expect(textOf(converted.value)).toBe(expected);
    expect(converted.rates.map(({ date, originalCurrency }) => `${date} ${originalCurrency}`)).toEqual(
      [from, to].filter((currency) => currency !== 'EUR').map((currency) => `2026-09-24 ${currency}`),
    );
  });

  it('are not needed for the same currency', () => {
    const same = book.convert(fractionOf('5'), 'XYZ', 'XYZ', '1999-01-01');
    expect(same).toMatchObject({ rates: [], provisional: false });
  });

  it('are of the latest day that has both currencies', () => {
    const days = new RateBook([
      rates('2026-04-02', { RUB: '100' }),
      { day: '2026-04-07', rates: new Map([['USD', '1']]) },
    ]);
    expect(days.convert(fractionOf('1'), 'USD', 'RUB', '2026-04-07')!.rates[0]!.date).toBe('2026-04-02');
    expect(days.convert(fractionOf('1'), 'USD', 'EUR', '2026-04-07')!.rates[0]!.date).toBe('2026-04-07');
  });

  it('are at most seven days old, and never later than the day', () => {
    const days = new RateBook([rates('2026-04-02')]);
    expect(days.convert(fractionOf('1'), 'USD', 'EUR', '2026-04-09')).toBeDefined();
    expect(days.convert(fractionOf('1'), 'USD', 'EUR', '2026-04-10')).toBeUndefined();
    expect(days.convert(fractionOf('1'), 'USD', 'EUR', '2026-04-01')).toBeUndefined();
  });

  it('are never one by default', () => {
    expect(book.convert(fractionOf('1'), 'USD', 'HRK', '2026-09-24')).toBeUndefined();
    expect(new RateBook([]).convert(fractionOf('1'), 'USD', 'EUR', '2026-09-24')).toBeUndefined();
  });

  it('are provisional while no later day is known', () => {
    expect(book.convert(fractionOf('1'), 'USD', 'EUR', '2026-09-24')!.provisional).toBe(true);
    expect(book.convert(fractionOf('1'), 'USD', 'EUR', '2026-09-23')!.provisional).toBe(false);
  });
});
