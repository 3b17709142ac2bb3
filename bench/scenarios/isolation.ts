import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { Neighbour } from '../neighbour.ts';
import { scenario } from '../scenario.ts';

const SEARCHES = [40, 200] as const;
const CREATIONS = 700;
const BOUNDS = { unit: 'ms', baseline: null, better: 'lower', floor: 250, goal: 100, stretch: null } as const;

/** One tenant floods the service with searches of its history, then with creations, while another one's runtime works. */
export const isolation = scenario({
  ids: [29],
  name: "another tenant's heartbeats, claims and appends under one tenant's load",
  metrics: {
    '29a': { name: `p99 under ${SEARCHES[0]} searches`, ...BOUNDS },
    '29b': { name: `p99 under ${SEARCHES[1]} searches`, ...BOUNDS },
    '29c': { name: `p99 under ${CREATIONS} creations at once`, ...BOUNDS },
    '29d': { name: 'p99 idle', ...BOUNDS },
    '29e': {
      name: 'answered 200, ready among them',
      unit: '%',
      baseline: null,
      better: 'higher',
      floor: 100,
      goal: 100,
      stretch: null,
    },
  },
  async measure(bench) {
    const historyId = await bench.seeds.organization('history');
    await bench.seeds.work('history', bench.pace.quick ? 30_000 : 300_000, 'completed');
    await bench.seeds.query('vacuum analyze task');
    const owner = new Pool(bench.service.baseUrl, { connections: CREATIONS, pipelining: 1 });
    const headers = { authorization: `Bearer ${bench.seeds.ownerToken}`, 'content-type': 'application/json' };
    const searchOnce = async () => {
      const path = `/organizations/${historyId}/tasks?search=zz${randomUUID()}`;
      const { statusCode, body } = await owner.request({ method: 'GET', path, headers });
      await body.dump();
      if (statusCode !== 200) await wait(100);
    };
    const create = async () => {
      const body = JSON.stringify({ title: 'A task', spec: { objective: 'Do it' }, ownerAgentProfileKey: 'bench-1' });
      const answer = await owner.request({ method: 'POST', path: `/organizations/${historyId}/tasks`, headers, body });
      await answer.body.dump();
    };
    const neighbour = await Neighbour.of(bench);
    const seconds = bench.pace.quick ? 3 : 10;
    const answered: number[] = [];
    try {
      const rounds = await bench.rounds(async () => {
        const idle = await neighbour.work(wait(seconds * 1_000));
        const underSearches = [];
        for (const clients of SEARCHES) underSearches.push(await neighbour.work(repeat(clients, seconds, searchOnce)));
        const underCreations = await neighbour.work(Promise.all(Array.from({ length: CREATIONS }, create)));
        const all = [idle, ...underSearches, underCreations];
        answered.push(Math.min(...all.map(({ share }) => share)) * 100);
        return { idle, few: underSearches[0]!, many: underSearches[1]!, creations: underCreations };
      });
      return {
        '29a': rounds.map(({ few }) => ({ value: few.p99 })),
        '29b': rounds.map(({ many }) => ({ value: many.p99 })),
        '29c': rounds.map(({ creations }) => ({ value: creations.p99 })),
        '29d': rounds.map(({ idle }) => ({ value: idle.p99 })),
        '29e': answered.map((value) => ({ value })),
      };
    } finally {
      await neighbour.close();
      await owner.destroy();
    }
  },
});

async function repeat(clients: number, seconds: number, call: () => Promise<void>): Promise<void> {
  const untilMs = performance.now() + seconds * 1_000;
  const client = async () => {
    while (performance.now() < untilMs) await call();
  };
  await Promise.all(Array.from({ length: clients }, client));
}
