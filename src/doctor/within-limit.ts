import { setTimeout as wait } from 'node:timers/promises';

const LATE = 'late' as const;

/** Passes on what a generator yields until the time is up, and then `last`, whatever the generator waits for. */
export async function* withinLimit<T>(source: AsyncGenerator<T>, limitMs: number, last: T): AsyncGenerator<T> {
  const timer = new AbortController();
  const late = wait(limitMs, LATE, { signal: timer.signal }).catch(() => LATE);
  try {
    for (;;) {
      const next = await Promise.race([source.next(), late]);
      if (next === LATE) {
        yield last;
        return;
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    timer.abort();
  }
}
