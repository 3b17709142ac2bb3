import { describe, expect, it } from '@jest/globals';
import { inBackground, isJob, laneSizes, outsideJobs } from './lanes.ts';

describe('the lanes of a pool', () => {
  it('of 20 connections are 7, 10 and 3', () => {
    expect(laneSizes(20)).toEqual({
      urgent: { size: 7, share: 3 },
      ordinary: { size: 10, share: 3 },
      background: { size: 3, share: 3 },
    });
  });

  it('share all of it, whatever its size, and leave none without a connection that calls wait for', () => {
    for (let size = 2; size <= 200; size += 1) {
      const { urgent, ordinary, background } = laneSizes(size);
      expect(urgent.size + ordinary.size + background.size).toBe(size);
      expect(Math.min(urgent.size, urgent.share, ordinary.size, ordinary.share)).toBeGreaterThanOrEqual(1);
      expect(ordinary.share).toBeLessThanOrEqual(Math.max(1, ordinary.size / 3));
      expect(background.size > 0).toBe(size >= 6);
    }
  });
});

describe('what a job asks', () => {
  it('goes by the lane of jobs, what it sets off for others does not', async () => {
    const seen = await inBackground(async () => {
      const before = isJob();
      await Promise.resolve();
      return [before, isJob(), outsideJobs(() => isJob())];
    });
    expect([...seen, isJob()]).toEqual([true, true, false, false]);
  });
});
