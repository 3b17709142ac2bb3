import { describe, expect, it } from '@jest/globals';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { LOG_RETENTION_MONTHS: '2' } });
const place = useWorkplace(app);
const thisMonth = Temporal.Now.plainDateISO('UTC').toPlainYearMonth();

const nameOf = (month: Temporal.PlainYearMonth) => `run_log_${month.toString().replace('-', '_')}`;

async function partitions(): Promise<string[]> {
  const { rows } = await app.db.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'run_log'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** A run that was created some months ago and logs today. */
async function logOfRunFrom(monthsAgo: number) {
  const month = thisMonth.subtract({ months: monthsAgo });
  const run = await place.run({ run: { created_at: `${month.toString()}-15T00:00:00Z` } });
  const entry = { sequence: 1, category: 'tool', status: 'info', label: 'Step', occurredAt: '2026-03-01T09:30:00Z' };
  const body = { organizationId: place.organizationId, leaseToken: run.leaseToken, entries: [entry] };
  expect((await app.service.post(`/internal/runs/${run.runId}/logs`, body)).status).toBe(200);
  return run.runId;
}

const entriesOf = async (runId: string) => (await place.owner.get(place.path(`/runs/${runId}/logs`))).body.data.length;

describe('logs of runs', () => {
  it('are kept by the month of their run: past the retention they go, and not before', async () => {
    const ids = [];
    for (const ago of [0, 2, 3]) ids.push(await logOfRunFrom(ago));
    await app.runJob('run-log-partitions');
    expect(await Promise.all(ids.map(entriesOf))).toEqual([1, 1, 0]);
    const ahead = [0, 1, 2, 3].map((months) => nameOf(thisMonth.add({ months })));
    expect(await partitions()).toEqual([...ahead, 'run_log_default'].toSorted());
  });
});
