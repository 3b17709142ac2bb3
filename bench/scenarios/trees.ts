import { Pool } from 'undici';
import { Neighbour } from '../neighbour.ts';
import { scenario } from '../scenario.ts';

const TASKS = 10_000;

/** The largest tree that limits allow is cancelled in one call, while another tenant's runtime works. */
export const trees = scenario({
  ids: [31],
  name: `cancel of a tree of ${TASKS} tasks`,
  metrics: {
    '31a': { name: 'time', unit: 's', baseline: null, better: 'lower', floor: 3, goal: 1, stretch: null },
    '31b': {
      name: "p99 of another tenant's heartbeats, claims and appends",
      unit: 'ms',
      baseline: null,
      better: 'lower',
      floor: 250,
      goal: 50,
      stretch: null,
    },
  },
  async measure(bench) {
    const headers = { authorization: `Bearer ${bench.seeds.ownerToken}` };
    const owner = new Pool(bench.service.baseUrl, { connections: 1, pipelining: 1 });
    const cancel = async () => {
      await bench.seeds.work('trees', TASKS + 1, 'queued');
      const { organizationId, rootId } = await bench.seeds.tree('trees');
      await bench.seeds.query('vacuum analyze task, run_request');
      // Anew for each round: its leases would lapse while rows are made.
      const neighbour = await Neighbour.of(bench);
      let seconds = Number.NaN;
      const call = async () => {
        const beganAt = performance.now();
        const path = `/organizations/${organizationId}/tasks/${rootId}/cancel`;
        const answer = await owner.request({ method: 'POST', path, headers });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`The cancel answered ${answer.statusCode}.`);
        seconds = (performance.now() - beganAt) / 1_000;
      };
      const { p99, refused } = await neighbour.work(call());
      await neighbour.close();
      if (refused.length > 0) throw new Error(`The neighbour was refused: ${refused.join(', ')}.`);
      return { seconds, p99 };
    };
    try {
      const rounds = await bench.rounds(cancel);
      return {
        '31a': rounds.map(({ seconds }) => ({ value: seconds })),
        '31b': rounds.map(({ p99 }) => ({ value: p99 })),
      };
    } finally {
      await owner.destroy();
    }
  },
});
