import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';
import { SERVICE_TOKEN } from '../service.ts';

const CHATS = 200;
const APPENDS_PER_SECOND = 30;
/** About what a model says at a time. */
const CHARACTERS = 14;
const WARM_UP_SECONDS = 8;

export const appends = scenario({
  ids: [22],
  name: `${CHATS} chats, ${APPENDS_PER_SECOND} appends a second each`,
  metrics: {
    '22': { name: 'append', unit: 'p99, ms', baseline: null, better: 'lower', floor: 200, goal: 100, stretch: 50 },
    '22b': {
      name: 'appends answered of those due',
      unit: '%',
      baseline: null,
      better: 'higher',
      floor: 99,
      goal: 99,
      stretch: 100,
    },
  },
  async measure(bench) {
    const perSecond = CHATS * APPENDS_PER_SECOND;
    const append = async (seconds: number) => {
      const turns = await bench.seeds.turns('chats', CHATS);
      const lease = { token: SERVICE_TOKEN, leaseToken: LEASE_TOKEN };
      const load = { workers: CHATS, seconds, perSecond, characters: CHARACTERS };
      const { steps, total } = await bench.run({
        kind: 'appends',
        target: bench.service.baseUrl,
        ...lease,
        ...load,
        turns,
      });
      return { p99: steps.append!.p99, answered: (total / (perSecond * seconds)) * 100 };
    };
    // Of the code of an append nothing is compiled yet.
    await append(bench.warmUpSeconds(WARM_UP_SECONDS));
    const rounds = await bench.rounds(() => append(bench.pace.seconds));
    return {
      '22': rounds.map(({ p99 }) => ({ value: p99 })),
      '22b': rounds.map(({ answered }) => ({ value: answered })),
    };
  },
});
