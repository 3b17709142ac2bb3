import { describe, expect, it } from '@jest/globals';
import { secondsOf } from './provider-exchange.ts';

describe('the time that a server asks to wait', () => {
  const now = Date.UTC(2026, 10, 30);
  it.each<[string | null, number | undefined]>([
    [null, undefined],
    ['7', 7],
    ['90000', 86_400],
    ['never', undefined],
    ['soon', undefined],
    ['Mon, 30 Nov 2026 00:00:30 GMT', 30],
    ['Sun, 29 Nov 2026 00:00:00 GMT', 0],
  ])('%s', (header, seconds) => expect(secondsOf(header, now)).toBe(seconds));
});
