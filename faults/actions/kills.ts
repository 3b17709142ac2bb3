import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../cluster.ts';
import { Random } from '../random.ts';

const MEAN_GAP_MS = 2_500;
const BEGIN_LIMIT_MS = 60_000;
const SAYS_EACH_MS = 10_000;

/** Of API processes; of these while actions were on their way. */
export interface Kills {
  readonly all: number;
  readonly atWork: number;
}

interface Killing {
  readonly cluster: Cluster;
  readonly seed: string;
  readonly isEnough: (kills: number) => boolean | Promise<boolean>;
  /** What is printed now and then. */
  readonly progress: () => string;
  readonly over: AbortSignal;
}

/**
 * Kills one of the two processes after the other, each once the one before answers again, so that there is always one that
 * works; until it is enough.
 */
export async function killApis({ cluster, seed, isEnough, progress, over }: Killing): Promise<Kills> {
  const random = new Random(`${seed} kills`);
  const kills = { all: 0, atWork: 0 };
  // The first one meets actions on their way.
  const deadline = performance.now() + BEGIN_LIMIT_MS;
  while (!over.aborted && performance.now() < deadline && (await countUnderway(cluster)) === 0) await wait(50);
  for (let saidAt = 0, isFirst = true; !over.aborted; isFirst = false) {
    if (!isFirst) await wait(Math.min(2 * MEAN_GAP_MS, random.gap(MEAN_GAP_MS)));
    if (await isEnough(kills.all)) break;
    const underway = await countUnderway(cluster);
    if (random.pick(cluster.apis).kill()) {
      kills.all += 1;
      if (underway > 0) kills.atWork += 1;
    }
    await cluster.untilReady();
    if (performance.now() - saidAt < SAYS_EACH_MS) continue;
    saidAt = performance.now();
    console.log(`${progress()}; ${kills.all} kills`);
  }
  return kills;
}

async function countUnderway(cluster: Cluster): Promise<number> {
  const [row] = await cluster.rows<{ count: number }>(
    `select count(*)::int as count from action where status in ('approved', 'executing')`,
  );
  return row!.count;
}
