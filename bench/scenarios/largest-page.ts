import { setTimeout as wait } from 'node:timers/promises';
import { scenario } from '../scenario.ts';

const TASKS = 200;
const ARTIFACTS = 100;
const PAGES = 10;
const PROBE_EVERY_MS = 2;

/** As many rows as a page may have, each as large as a completion makes it: 600 KB, 120 MB in all. */
export const largestPage = scenario({
  ids: [30],
  name: 'the largest page that rows allow',
  metrics: {
    '30a': { name: 'bytes', unit: 'MB', baseline: null, better: 'lower', floor: 8, goal: 4, stretch: null },
    '30b': {
      name: 'longest wait of another call meanwhile',
      unit: 'ms',
      baseline: null,
      better: 'lower',
      floor: 50,
      goal: 20,
      stretch: null,
    },
  },
  async measure(bench) {
    const organization = await bench.seeds.organization('wide');
    await bench.seeds.work('wide', TASKS, 'completed');
    await bench.seeds.query(
      `update task t set result = jsonb_build_object('kind', 'completed', 'summary', 'Done.', 'artifacts', (
         select jsonb_agg(jsonb_build_object('kind', 'document', 'uri', 'https://files.example/' || repeat('u', 1900), 'summary', repeat('s', 4000)))
         from generate_series(1, ${ARTIFACTS})))
       where t.organization_id = $1`,
      [organization],
    );
    const headers = { authorization: `Bearer ${bench.seeds.ownerToken}` };
    const get = async (path: string) => {
      const since = performance.now();
      const answer = await fetch(bench.service.baseUrl + path, { headers });
      const { byteLength } = await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}`);
      return { byteLength, ms: performance.now() - since };
    };
    const rounds = await bench.rounds(async () => {
      const pages = { areLeft: true };
      const probes = (async () => {
        let longest = 0;
        while (pages.areLeft) {
          longest = Math.max(longest, (await get('/health/live')).ms);
          await wait(PROBE_EVERY_MS);
        }
        return longest;
      })();
      let bytes = 0;
      for (let page = 0; page < PAGES; page += 1)
        bytes = Math.max(bytes, (await get(`/organizations/${organization}/tasks?limit=${TASKS}`)).byteLength);
      pages.areLeft = false;
      return { bytes, longest: await probes };
    });
    return {
      '30a': rounds.map(({ bytes }) => ({ value: bytes / 1_000_000 })),
      '30b': rounds.map(({ longest }) => ({ value: longest })),
    };
  },
});
