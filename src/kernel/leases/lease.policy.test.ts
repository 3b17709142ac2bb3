import { describe, expect, it } from '@jest/globals';
import { heartbeatIntervalMs, silenceMs } from './lease.policy.ts';

describe('periods of a lease', () => {
  it('are whole milliseconds for every length, because the database takes no others', () => {
    for (let seconds = 3; seconds <= 3_600; seconds += 1) {
      const interval = heartbeatIntervalMs(seconds);
      const silence = silenceMs(seconds);
      expect([interval, silence].every(Number.isInteger)).toBe(true);
      expect(silence).toBeGreaterThanOrEqual(1.5 * interval);
    }
  });
});
