import { rates } from '../bench.ts';
import { scenario } from '../scenario.ts';

const STREAMS = 10;

/** Each lifecycle leaves two entries in the log of the one organization. */
export const writesBesideActivity = scenario({
  ids: [32],
  name: `lifecycles of one organization, ${STREAMS} streams of its activity`,
  metrics: {
    '32': {
      name: 'rate',
      unit: '/s',
      baseline: 'without streams',
      better: 'higher',
      floor: 0.7,
      goal: 0.9,
      stretch: 1,
    },
  },
  async measure(bench) {
    const path = `/organizations/${await bench.seeds.organization('hot')}/events`;
    const { ownerToken: token } = bench.seeds;
    const streams = (action: 'open' | 'close', paths: readonly string[]) =>
      bench.run({ kind: 'streams', action, target: bench.service.baseUrl, token, paths });
    const samples = await bench.rounds(async () => {
      const without = await bench.lifecycles({ pool: 'hot' });
      await streams(
        'open',
        Array.from({ length: STREAMS }, () => path),
      );
      const beside = await bench.lifecycles({ pool: 'hot' });
      await streams('close', []);
      return rates(beside, without, 'service');
    });
    return { '32': samples };
  },
});
