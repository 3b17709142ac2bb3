import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import { HOSTILE_PACKS } from '../../support/git/hostile-packs.ts';
import { keptOf, pushBytes, reasonIn, sendPush } from '../../support/git/pushing.ts';

const MIB = 1_024 * 1_024;
/** The environment asks for the real sizes, and for figures of what others notice meanwhile. */
const IS_WHOLE = process.env.HOSTILE_PACKS === '1';
const SIZES = IS_WHOLE
  ? { blob: 2_048 * MIB, tree: 400 * MIB, delta: 2_000 * MIB, commit: 900 * MIB }
  : { blob: 64 * MIB, tree: 4 * MIB, delta: 1_000 * MIB, commit: 4 * MIB };
const MOST_MS = 60_000;
const MOST_BYTES = 64 * MIB;

const code = useCodeHost();
let agent: GitAgent;
beforeAll(async () => {
  agent = await code.gitAgent();
});

const ask = async () => {
  const began = performance.now();
  await code.place.owner.get(`/organizations/${code.place.organizationId}`);
  return performance.now() - began;
};

/** What most requests of others take until the work is done, or for a while. */
async function p99While(work: Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const over = new AbortController();
  void work.finally(() => over.abort()).catch(() => undefined);
  while (!over.signal.aborted) {
    times.push(await ask());
    await wait(5);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

it.each(Object.keys(SIZES) as (keyof typeof SIZES)[])(
  'refuses a pack with a huge %s in time, without memory of its own',
  async (kind) => {
    const pack = await HOSTILE_PACKS[kind](SIZES[kind]);
    const before = await keptOf(code);
    await p99While(wait(500));
    const usual = IS_WHOLE ? await p99While(wait(10_000)) : 0;
    globalThis.gc?.();
    const memory = process.memoryUsage().rss;
    let most = memory;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const began = performance.now();
    const pushing = sendPush(agent, pushBytes({ ref: `refs/heads/${kind}`, newOid: 'a'.repeat(40), pack }));
    const [meanwhile, answer] = await Promise.all([p99While(pushing), pushing]);
    const tookMs = performance.now() - began;
    clearInterval(watch);
    if (IS_WHOLE)
      console.info(
        `${kind} of ${SIZES[kind] / MIB} MiB in ${pack.length} bytes: "${reasonIn(answer)}" in ${Math.round(tookMs)} ms, ` +
          `+${Math.round((most - memory) / MIB)} MiB; p99 of others ${usual.toFixed(1)} ms before, ${meanwhile.toFixed(1)} ms meanwhile`,
      );
    expect(reasonIn(answer)).toMatch(/more time or memory|does not need|would not stand|malformed|not sound/);
    expect(tookMs).toBeLessThan(MOST_MS);
    expect(most - memory).toBeLessThan(MOST_BYTES);
    expect(await keptOf(code)).toEqual(before);
  },
  180_000,
);
