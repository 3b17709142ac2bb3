import { jest } from '@jest/globals';

/**
 * What is to come again and again, of whatever is started from now on, comes when the test turns the clock by
 * `jest.advanceTimersByTime`; all else goes on as it does. `jest.useRealTimers` ends it.
 */
export function turnIntervalsByHand(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
}
