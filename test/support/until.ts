import { setTimeout as wait } from 'node:timers/promises';

const FIRST_LOOK_MS = 5;
/** What a look after a long wait may come late: looking itself takes the processor from what is waited for. */
const LONGEST_GAP_MS = 25;

/** Polls until the condition holds; throws at the limit, naming what never came. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 20_000,
  longestGapMs = LONGEST_GAP_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (let gapMs = FIRST_LOOK_MS; !(await condition()); gapMs = Math.min(gapMs * 1.2, longestGapMs)) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`);
    await wait(gapMs);
  }
}
