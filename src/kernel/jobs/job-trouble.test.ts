import { describe, expect, it } from '@jest/globals';
import { JobTrouble } from './job-trouble.ts';

const away = (message: string) => Object.assign(new Error(message), { code: 'ECONNREFUSED' });

/** Thrown at one place, whatever it says. */
function broken(message: string): Error {
  return new TypeError(message);
}

describe('JobTrouble', () => {
  it('tells of an outage of the database once, without a stack, and of its end', () => {
    const trouble = new JobTrouble('sweep');
    expect(trouble.failed(away('connect ECONNREFUSED'), 0)).toEqual({
      level: 'warn',
      message: 'sweep pauses until it succeeds again: connect ECONNREFUSED',
    });
    const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
    for (let second = 1; second < 60; second += 1) expect(trouble.failed(starting, second * 1_000)).toBeUndefined();
    expect(trouble.succeeded(60_000)).toBe('sweep works again after 60 failures in 60 s');
    expect(trouble.succeeded(61_000)).toBeUndefined();
  });

  it('tells of a defect with its stack, once in a row even where its message differs', () => {
    const trouble = new JobTrouble('sweep');
    expect(trouble.failed(broken('first'), 0)).toEqual({
      level: 'error',
      message: expect.stringContaining('first'),
      stack: expect.stringContaining('job-trouble.test'),
    });
    expect(trouble.failed(broken('second'), 1_000)).toBeUndefined();
    trouble.succeeded(2_000);
    expect(trouble.failed(broken('third'), 3_000)).toMatchObject({ level: 'error' });
  });

  it('tells of a defect that shows behind an outage, and of what is no error', () => {
    const trouble = new JobTrouble('sweep');
    trouble.failed(away('away'), 0);
    expect(trouble.failed(broken('defect'), 1_000)).toMatchObject({ level: 'error' });
    expect(new JobTrouble('sweep').failed('text', 0)?.message).toContain('text');
  });
});
