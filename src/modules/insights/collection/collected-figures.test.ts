import { describe, expect, it } from '@jest/globals';
import { readOf } from '../definitions/index.ts';
import { collectedCoverage, collectedFigures, factOf } from './collected-figures.ts';

const orders = readOf('payments', 'orders')!;
const views = readOf('web', 'traffic')!;
const DAY = '2026-11-03';

const collected = (read: typeof orders, ...facts: Parameters<typeof factOf>[1][]) => {
  const { figures, late } = collectedFigures(
    read,
    facts.map((entries) => factOf(read, entries)),
  );
  return [...figures, ...late];
};

describe('figures of a collection', () => {
  it('add up by day and currency, and keep what falls on other days by the day of its item', () => {
    const order = (currency: string, total: string, refunded?: string) => [
      { measure: 'count', period: DAY, value: '1' },
      { measure: 'gross', period: DAY, currency, value: total },
      ...(refunded === undefined ? [] : [{ measure: 'refunded', period: '2026-11-09', currency, value: refunded }]),
    ];
    expect(collected(orders, order('EUR', '0.1'), order('EUR', '0.20', '0.2'), order('USD', '5'), [])).toEqual([
      { measure: 'orders.count', currency: null, cut: null, slots: new Map([[DAY, { value: '3', reason: null }]]) },
      { measure: 'orders.gross', currency: 'EUR', cut: null, slots: new Map([[DAY, { value: '0.3', reason: null }]]) },
      { measure: 'orders.gross', currency: 'USD', cut: null, slots: new Map([[DAY, { value: '5', reason: null }]]) },
      {
        measure: 'orders.refunded',
        currency: 'EUR',
        listedOn: DAY,
        slots: new Map([['2026-11-09', { value: '0.2', reason: null }]]),
      },
    ]);
  });

  it('have no value where one of them has none, and none of what no measure stands for', () => {
    const entry = { measure: 'screenPageViews', period: DAY };
    expect(
      collected(
        views,
        [{ ...entry, value: '7' }],
        [{ ...entry, value: 'many' }],
        [{ ...entry, measure: 'x', value: '1' }],
      ),
    ).toEqual([
      {
        measure: 'traffic.screenPageViews',
        currency: null,
        cut: null,
        slots: new Map([[DAY, { value: null, reason: 'non_numeric' }]]),
      },
    ]);
  });
});

describe('coverage of a collection', () => {
  const startedAt = '2026-11-05T10:00:00.000000Z';
  const of = (purpose: 'recent' | 'history', wholeFrom: string | null, to = '2026-11-06') =>
    collectedCoverage(orders, {
      work: { from: '2026-11-02', to, purpose },
      wholeFrom,
      startedAt,
      timezone: 'Pacific/Auckland',
      reporting: null,
    }).map(({ periodStart, status, reason, provisional }) => [periodStart.slice(8), status, reason, provisional]);

  it('is whole of days that were over, as they are over where they are counted', () => {
    expect(of('recent', null)).toEqual([
      ['02', 'complete', null, false],
      ['03', 'complete', null, false],
      ['04', 'complete', null, true],
      ['05', 'partial', null, true],
    ]);
  });

  it('says what a cap cut off, and leaves history to be read later', () => {
    expect(of('recent', '2026-11-04').slice(0, 2)).toEqual([
      ['02', 'none', 'truncated', false],
      ['03', 'none', 'truncated', false],
    ]);
    expect(of('history', '2026-11-04', '2026-11-05')).toEqual([['04', 'complete', null, true]]);
    expect(of('history', '2026-11-05', '2026-11-05')).toEqual([['04', 'none', 'truncated', true]]);
  });
});
