import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';

const CHATS = 200;
const APPENDS_PER_SECOND = 30;
/** About what a model says at a time. */
const TEXT = ' and then some';

/** Appends of all chats in turn, each behind the one before. */
function appendsOf(turns: readonly { organizationId: string; turnId: string }[], each: number): PreparedRequest[] {
  return Array.from({ length: each }, (_, nth) =>
    turns.map(({ organizationId, turnId }) => ({
      method: 'POST' as const,
      path: `/internal/chat-turns/${turnId}/append`,
      body: JSON.stringify({
        organizationId,
        leaseToken: LEASE_TOKEN,
        partId: 'p1',
        offset: nth * TEXT.length,
        text: TEXT,
      }),
    })),
  ).flat();
}

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
    const { seconds } = bench.pace;
    const rounds = await bench.rounds(async () => {
      const turns = await bench.seeds.turns('chats', CHATS);
      // Far fewer workers than chats, so that no two appends of one are on their way at once.
      const { steps, total } = await bench.calls(appendsOf(turns, APPENDS_PER_SECOND * seconds), {
        workers: CHATS / 4,
        seconds,
        perSecond,
      });
      return { p99: steps.call!.p99, answered: (total / (perSecond * seconds)) * 100 };
    });
    return {
      '22': rounds.map(({ p99 }) => ({ value: p99 })),
      '22b': rounds.map(({ answered }) => ({ value: answered })),
    };
  },
});
