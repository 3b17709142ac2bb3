import type { Bench } from '../bench.ts';
import { residentMb } from '../machine.ts';
import { scenario } from '../scenario.ts';
import { Streamers } from '../streamers.ts';

const BARE = 'bare Fastify';
const STREAMS = 1_000;
/** As an answer comes that is written word by word. */
const CHARACTERS = 40;

export const writesBesideStreams = scenario({
  ids: [17],
  name: '1,000 appends/s to 32 chats, a stream on each',
  metrics: {
    '17': {
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
    const turns = await bench.seeds.turns('chats', 32);
    const samples = await Streamers.use(bench, (streamers) =>
      bench.rounds(async () => {
        const without = await streamers.appends(turns, { perSecond: 1_000 });
        await streamers.streams('open', 'service', turns);
        const beside = await streamers.appends(turns, { perSecond: 1_000 });
        await streamers.streams('close', 'service', []);
        return { value: beside.operations / beside.seconds, baseline: without.operations / without.seconds };
      }),
    );
    return { '17': samples };
  },
});

export const broadcasts = scenario({
  ids: [18],
  name: `one message to ${STREAMS} streams`,
  metrics: {
    '18a': { name: 'p99', unit: 'ms', baseline: BARE, better: 'lower', floor: 1.5, goal: 1.15, stretch: 1 },
    '18b': { name: 'CPU a delivery', unit: 'µs', baseline: BARE, better: 'lower', floor: 1.5, goal: 1.1, stretch: 0.7 },
  },
  async measure(bench) {
    const [turn] = await bench.seeds.turns('chats', 1);
    const everywhere = Array.from({ length: STREAMS }, () => turn!);
    const load = { count: 10 * bench.pace.seconds, perSecond: 10, characters: CHARACTERS, awaited: true };
    const rounds = await Streamers.use(bench, (streamers) =>
      bench.rounds(async () => {
        const sides = [];
        for (const side of ['service', 'bare'] as const) {
          await streamers.streams('open', side, everywhere);
          const measured = await streamers.notifications(turn!, load);
          await streamers.streams('close', side, []);
          const cpuUs = (measured.cpu[side] * 1_000) / measured.total;
          sides.push({ p99: measured.steps.delivery!.p99, cpuUs });
        }
        return { service: sides[0]!, bare: sides[1]! };
      }),
    );
    return {
      '18a': rounds.map(({ service, bare }) => ({ value: service.p99, baseline: bare.p99 })),
      '18b': rounds.map(({ service, bare }) => ({ value: service.cpuUs, baseline: bare.cpuUs })),
    };
  },
});

export const streamMemory = scenario({
  ids: [19],
  name: `${STREAMS} open streams, memory of each`,
  metrics: {
    '19a': { name: 'resident', unit: 'KB', baseline: BARE, better: 'lower', floor: 1.5, goal: 1.15, stretch: 1 },
    '19b': { name: 'heap', unit: 'KB', baseline: null, better: 'lower', floor: 12, goal: 7, stretch: 5 },
  },
  async measure(bench) {
    const [turn] = await bench.seeds.turns('chats', 1);
    const rounds = await bench.rounds(() =>
      Streamers.use(bench, async (streamers) => {
        const of = async (side: 'service' | 'bare') => {
          const open = (count: number) =>
            streamers.streams(
              'open',
              side,
              Array.from({ length: count }, () => turn!),
            );
          // What a process does once, and room in its heap that it keeps.
          await open(STREAMS / 5);
          await streamers.streams('close', side, []);
          const before = await streamers[side].memory();
          await open(STREAMS);
          const after = await streamers[side].memory();
          await streamers.streams('close', side, []);
          const each = (kind: 'rss' | 'heapUsed') => (after[kind] - before[kind]) / STREAMS / 1024;
          return { resident: each('rss'), heap: each('heapUsed') };
        };
        return { service: await of('service'), bare: await of('bare') };
      }),
    );
    return {
      '19a': rounds.map(({ service, bare }) => ({ value: service.resident, baseline: bare.resident })),
      '19b': rounds.map(({ service }) => ({ value: service.heap })),
    };
  },
});

export const appendToFrame = scenario({
  ids: [20],
  name: 'append to frame at a reader, 100/s',
  metrics: {
    '20a': { name: 'p50', unit: 'ms', baseline: null, better: 'lower', floor: 10, goal: 4, stretch: 2 },
    '20b': { name: 'p99', unit: 'ms', baseline: null, better: 'lower', floor: 50, goal: 15, stretch: 6 },
  },
  async measure(bench) {
    const turns = await bench.seeds.turns('chats', 10);
    const rounds = await withStreams(bench, turns, (streamers) => streamers.appends(turns, { perSecond: 100 }));
    return {
      '20a': rounds.map(({ steps }) => ({ value: steps.delivery!.p50 })),
      '20b': rounds.map(({ steps }) => ({ value: steps.delivery!.p99 })),
    };
  },
});

export const stalledReader = scenario({
  ids: [21],
  name: 'reader that never drains, 1 MB/s; then it is cut off, and comes back',
  metrics: {
    '21': {
      name: 'growth of the process',
      unit: 'MB',
      baseline: null,
      better: 'lower',
      floor: 8,
      goal: 1,
      stretch: null,
    },
  },
  async measure(bench) {
    const [turn] = await bench.seeds.turns('chats', 1);
    const load = { perSecond: 160, characters: 6_500 };
    const samples = await Streamers.use(bench, (streamers) =>
      // It takes long, and what it measures hardly varies.
      bench.rounds(async () => {
        const megabytes = async () => {
          await streamers.service.memory();
          return residentMb(streamers.service.pid);
        };
        await streamers.streams('open', 'service', [turn!]);
        await streamers.notifications(turn!, { ...load, count: load.perSecond * 3, awaited: true });
        const before = await megabytes();
        await streamers.streams('stall', 'service', []);
        let most = before;
        // What two systems keep on the way, and then the limit.
        for (let second = 0; second < 10; second += 1) {
          await streamers.notifications(turn!, { ...load, count: load.perSecond, awaited: false });
          most = Math.max(most, await megabytes());
        }
        await streamers.streams('come back', 'service', [turn!]);
        await streamers.streams('close', 'service', []);
        return { value: most - before };
      }, 1),
    );
    return { '21': samples };
  },
});

/** Rounds beside a stream on each turn's chat. */
function withStreams<T>(
  bench: Bench,
  turns: Parameters<Streamers['appends']>[0],
  measure: (streamers: Streamers) => Promise<T>,
): Promise<T[]> {
  return Streamers.use(bench, async (streamers) => {
    await streamers.streams('open', 'service', turns);
    return bench.rounds(() => measure(streamers));
  });
}
