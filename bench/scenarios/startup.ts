import { setTimeout as wait } from 'node:timers/promises';
import { residentMb } from '../machine.ts';
import { scenario } from '../scenario.ts';
import { startService } from '../service.ts';

export const startup = scenario({
  ids: [25],
  name: 'start on existing data',
  metrics: {
    '25a': { name: 'to ready', unit: 's', baseline: null, better: 'lower', floor: 5, goal: 3, stretch: 1.5 },
    '25b': {
      name: 'resident memory, idle',
      unit: 'MB',
      baseline: null,
      better: 'lower',
      floor: 250,
      goal: 180,
      stretch: 140,
    },
  },
  async measure(bench) {
    const rounds = await bench.rounds(async () => {
      const service = await startService(bench.database);
      // What a start leaves to be collected.
      await wait(bench.pace.quick ? 2_000 : 5_000);
      const megabytes = residentMb(service.pid);
      await service.stop();
      return { seconds: service.startMs / 1_000, megabytes };
    });
    return {
      '25a': rounds.map(({ seconds }) => ({ value: seconds })),
      '25b': rounds.map(({ megabytes }) => ({ value: megabytes })),
    };
  },
});
