import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { logEntries, roundTrip, runStep, statementsOf } from '../baselines/lifecycle-statements.ts';
import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';
import { median } from '../stats.ts';

const ENTRIES = 200;
const REPEATS = 15;

export const logs = scenario({
  ids: [16],
  name: `${ENTRIES} log entries`,
  metrics: {
    '16': {
      name: 'time of the database',
      unit: 'ms',
      baseline: 'row by row in one transaction',
      better: 'lower',
      floor: 0.2,
      goal: 0.1,
      stretch: 0.08,
    },
  },
  async measure(bench) {
    const pool = new pg.Pool({ connectionString: bench.database.url, max: 1 });
    const entries = logEntries(ENTRIES);
    const tokenHash = createHash('sha256').update(LEASE_TOKEN).digest();
    const newRun = async () => {
      const [item] = await bench.seeds.work('probes', 1, 'claimed');
      const run = { ...item!, runId: randomUUID(), leaseToken: LEASE_TOKEN, tokenHash };
      await runStep(pool, 'start', run);
      return run;
    };
    const timed = async (work: () => Promise<unknown>) => {
      const before = performance.now();
      await work();
      return performance.now() - before;
    };
    try {
      const rounds = await bench.rounds(async () => {
        const [together, apart]: [number[], number[]] = [[], []];
        for (let repeat = 0; repeat < REPEATS; repeat += 1) {
          const [one, other] = [await newRun(), await newRun()];
          together.push(await timed(() => roundTrip(pool, statementsOf('logs', one, entries), { prepared: true })));
          apart.push(await timed(() => rowByRow(pool, other, entries)));
        }
        return { value: median(together), baseline: median(apart) };
      });
      return { '16': rounds };
    } finally {
      await pool.end();
    }
  },
});

async function rowByRow(
  pool: pg.Pool,
  { organizationId, runId }: { organizationId: string; runId: string },
  entries: ReturnType<typeof logEntries>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const { sequence, category, status, label, occurredAt } of entries)
      await client.query({
        name: 'one log entry',
        text: `insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, occurred_at)
               values ($1, $2, $3, date_trunc('month', clock_timestamp(), 'UTC'), $4, $5, $6, $7)`,
        values: [organizationId, runId, sequence, category, status, label, occurredAt],
      });
    await client.query('commit');
  } finally {
    client.release();
  }
}
