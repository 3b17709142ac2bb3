import { jest } from '@jest/globals';
import { Clock } from '../../src/kernel/clock/index.ts';
import type { TestApp } from './test-app.ts';

/** The clock of an application that tests move on, without those of PostgreSQL and of the tests themselves. */
export class MovedClock {
  private readonly movedMs = { monotonic: 0, epoch: 0 };

  constructor(app: TestApp) {
    const clock = app.app.get(Clock);
    jest.spyOn(clock, 'monotonicMs').mockImplementation(() => performance.now() + this.movedMs.monotonic);
    jest.spyOn(clock, 'epochMs').mockImplementation(() => Date.now() + this.movedMs.epoch);
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.movedMs.monotonic += ms;
    this.movedMs.epoch += ms;
  }

  /** Lets time pass for what the process measures, but not for the lifetimes of tokens. */
  age(ms: number): void {
    this.movedMs.monotonic += ms;
  }
}
