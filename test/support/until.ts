import { setTimeout as wait } from 'node:timers/promises';

/** Polls until the condition holds; throws at the limit, naming what never came. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`);
    await wait(5);
  }
}
