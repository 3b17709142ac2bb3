import { describe, expect, it } from '@jest/globals';
import { type RunRow, Workplace } from '../../support/factories/engine-rows.ts';
import { until } from '../../support/until.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** No entry of a log lands after the expiry of its run has committed, whichever of the two is first. */
const app = useTestApp();
const place = useWorkplace(app);

const EXPIRE = `update run set status = 'expired', finished_at = clock_timestamp() where id = $1 and status in ('starting', 'running')`;

function append({ runId, leaseToken }: RunRow, sequences: readonly number[]) {
  const entries = sequences.map((sequence) => ({
    sequence,
    category: 'execution',
    status: 'info',
    label: `Step ${sequence}`,
    occurredAt: '2026-03-01T09:30:00Z',
  }));
  return app.service.post(`/internal/runs/${runId}/logs`, {
    organizationId: place.organizationId,
    leaseToken,
    entries,
  });
}

const stored = async ({ runId }: RunRow) =>
  (await app.db.query<{ n: number }>('select count(*)::int as n from run_log where run_id = $1', [runId])).rows[0]!.n;

/** How many statements on this database wait for a lock. */
const waiting = async () =>
  (
    await app.db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rows[0]!.n;

describe('entries of a log and the expiry of its run', () => {
  it('the expiry is first: the batch waits for it, and nothing of it lands', async () => {
    const run = await place.run();
    const expiry = await app.db.connect();
    try {
      await expiry.query('begin');
      await expiry.query(EXPIRE, [run.runId]);
      const late = append(run, [1, 2, 3]);
      await until('the batch waits', async () => (await waiting()) === 1);
      await expiry.query('commit');
      const { status, body } = await late;
      expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
      expect(await stored(run)).toBe(0);
    } finally {
      await expiry.query('rollback');
      expiry.release();
    }
  });

  it('the batch is first: the expiry waits until all of it is there', async () => {
    const run = await place.run();
    // The batch has locked the run and waits to write an entry whose place another transaction holds.
    const holder = await app.db.connect();
    const expiry = await app.db.connect();
    try {
      await holder.query('begin');
      await holder.query(
        `insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, occurred_at)
         select r.organization_id, r.id, 2, date_trunc('month', r.created_at, 'UTC'), 'execution', 'info', 'Step 2', '2026-03-01T09:30:00Z'
         from run r where r.id = $1`,
        [run.runId],
      );
      const batch = append(run, [1, 2, 3]);
      await until('the batch waits', async () => (await waiting()) === 1);
      const expired = expiry.query(EXPIRE, [run.runId]);
      await until('the expiry waits too', async () => (await waiting()) === 2);
      await holder.query('rollback');
      expect((await batch).body.data).toEqual({ acceptedThrough: 3, missing: [], cancelRequested: false });
      expect((await expired).rowCount).toBe(1);
      expect(await stored(run)).toBe(3);
      expect((await append(run, [4])).body.error.code).toBe('run_lease_expired');
      expect(await stored(run)).toBe(3);
    } finally {
      await holder.query('rollback');
      for (const client of [holder, expiry]) client.release();
    }
  });

  it('many at once: what was refused left nothing, what was accepted is there', async () => {
    for (let round = 0; round < 5; round += 1) {
      const run = await place.run();
      const batches = Array.from({ length: 8 }, (_, index) => append(run, [index * 2 + 1, index * 2 + 2]));
      const expired = app.db.query(EXPIRE, [run.runId]);
      const answers = await Promise.all(batches);
      await expired;
      const accepted = answers.filter(({ status }) => status === 200).length;
      expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0);
      expect(await stored(run)).toBe(accepted * 2);
    }
  });
});

describe('entries of a log and the purge of its organization', () => {
  it('a batch in flight is waited for, and nothing of it stays', async () => {
    const other = await Workplace.open(app);
    const run = await other.run();
    const writer = await app.db.connect();
    try {
      // As a batch does: the run's row is held until its entries are committed.
      await writer.query('begin');
      await writer.query('select from run where id = $1 for no key update', [run.runId]);
      await other.owner.delete(`/organizations/${other.organizationId}`);
      const pass = app.runJob('organization-purge');
      await until('the purge waits', async () => (await waiting()) > 0);
      await writer.query(
        `insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, occurred_at)
         select r.organization_id, r.id, 1, date_trunc('month', r.created_at, 'UTC'), 'execution', 'info', 'Step 1', clock_timestamp()
         from run r where r.id = $1`,
        [run.runId],
      );
      await writer.query('commit');
      await pass;
      expect(await stored(run)).toBe(0);
      const { rowCount } = await app.db.query('select from organization where id = $1', [other.organizationId]);
      expect(rowCount).toBe(0);
    } finally {
      await writer.query('rollback');
      writer.release();
    }
  });
});
