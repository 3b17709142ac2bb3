import { afterEach, expect, it, jest } from '@jest/globals';
import { isoNow } from './index.ts';

afterEach(() => void jest.useRealTimers());

it('tells the time of the process, also when that is put back', () => {
  jest.useFakeTimers();
  for (const time of ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.001Z', '2026-03-01T09:29:59.999Z']) {
    jest.setSystemTime(new Date(time));
    expect([isoNow(), isoNow()]).toEqual([time, time]);
  }
});
