import { describe, expect, it } from '@jest/globals';
import { type Read, readOf } from '../definitions/index.ts';
import { NO_PROGRESS, type ReadProgress } from './read-progress.ts';
import { progressBehind } from './progress-behind.ts';
import { nextWork } from './read-rhythm.ts';

const NOW = '2026-11-30T12:00:00.000000Z';
const TODAY = '2026-11-30';
const HISTORY = '2025-10-30';
const orders = readOf('payments', 'orders')!;
const gauge = readOf('keys', 'keys')!;
const weeks = readOf('web', 'audience.week')!;

const work = (read: Read, progress: Partial<ReadProgress>, isDue = true) =>
  nextWork(read, { isDue, progress: { ...NO_PROGRESS, ...progress }, historyFrom: HISTORY, today: TODAY, now: NOW });
const ROW = { readKey: 'orders', version: 1, timezone: 'UTC', dueAt: NOW, checkpoint: { page: 3 } };
const behind = (collection: { purpose: 'recent' | 'deep' | 'history'; fromDay: string; toDay: string }, told = {}) =>
  progressBehind(
    orders,
    { ...ROW, progress: { ...NO_PROGRESS, from: '2026-11-28', to: '2026-12-01', rereadAt: NOW } },
    collection,
    { wholeFrom: null, wholePage: null, lastPage: 40, ...told },
    TODAY,
    NOW,
  );

describe('what a read does next', () => {
  const read = { from: '2026-01-01', to: '2026-12-01', rereadAt: NOW };

  it.each([
    ['the last days at first', orders, {}, ['recent', '2026-11-28', '2026-12-01']],
    ['the last days again', orders, read, ['recent', '2026-11-28', '2026-12-01']],
    ['what was missed', orders, { ...read, to: '2026-11-10' }, ['recent', '2026-11-10', '2026-12-01']],
    [
      'older days once more a day',
      orders,
      { ...read, rereadAt: '2026-11-29T11:00:00Z' },
      ['deep', '2026-09-01', '2026-12-01'],
    ],
    [
      'only older days that were ever read',
      orders,
      { ...read, from: '2026-11-20', rereadAt: '2026-11-29T11:00:00Z' },
      ['deep', '2026-11-20', '2026-12-01'],
    ],
    ['how it stands today', gauge, {}, ['recent', '2026-11-30', '2026-12-01']],
    ['weeks as a whole', weeks, {}, ['recent', '2026-11-23', '2026-12-01']],
  ] as const)('is %s when it is due', (_, of, progress, [purpose, from, to]) => {
    expect(work(of, progress)).toEqual({ purpose, from, to, resume: null });
  });

  it('is history while there is some', () => {
    const resume = { page: 9 };
    expect(work(orders, { ...read, resume }, false)).toEqual({
      purpose: 'history',
      from: HISTORY,
      to: '2026-01-01',
      resume,
    });
    expect(work(weeks, read, false)).toMatchObject({ purpose: 'history', from: '2025-10-27', to: '2026-01-01' });
    expect(work(orders, { ...read, backfilled: true }, false)).toBeUndefined();
    expect(work(gauge, read, false)).toBeUndefined();
    expect(work(orders, {}, false)).toBeUndefined();
  });
});

describe('how far a read has come', () => {
  it('reaches back to what a collection of history read whole, and goes on a page before', () => {
    const history = { purpose: 'history', fromDay: HISTORY, toDay: '2026-11-28' } as const;
    expect(behind(history).progress).toMatchObject({ from: HISTORY, backfilled: true, resume: null });
    expect(behind(history, { wholeFrom: '2026-08-03', wholePage: 38 }).progress).toMatchObject({
      from: '2026-08-03',
      backfilled: false,
      resume: { page: 37 },
    });
  });

  it('passes by a day that is too much for a collection', () => {
    const history = { purpose: 'history', fromDay: HISTORY, toDay: '2026-11-28' } as const;
    expect(behind(history, { wholeFrom: '2026-11-28', wholePage: 2 }).progress).toMatchObject({
      from: '2026-11-27',
      resume: { page: 39 },
    });
  });

  it('keeps history behind the last days, and is due in an hour', () => {
    const recent = { purpose: 'recent', fromDay: '2026-11-28', toDay: '2026-12-01' } as const;
    const { dueAt, checkpoint, progress } = behind(recent, { wholeFrom: '2026-11-30' });
    expect([dueAt, checkpoint]).toEqual(['2026-11-30T13:00:00.000Z', null]);
    expect(progress).toMatchObject({ from: '2026-11-28', to: '2026-12-01', rereadAt: NOW });
  });
});
