import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { organizationOf } from '../../support/client.ts';
import { taskLock } from '../../support/database/waiting-calls.ts';
import { COMPLETED, onRun, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ORGANIZATIONS = 6;
const ENTRY = { category: 'execution', status: 'info', label: 'A step', occurredAt: '2026-03-01T09:30:00Z' };

const app = useTestApp();
let runs: StartedRun[];
beforeEach(async () => {
  const organizations = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async () => organizationOf(await app.person())),
  );
  runs = await Promise.all(organizations.map((organizationId) => startedRun(app, organizationId)));
});

it('calls of many organizations that arrive together cost few round trips, and each is held to its own fence', async () => {
  const [first, second] = runs;
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const answers = await Promise.all([
    ...runs.map((run) => onRun(app, run, 'heartbeat')),
    onRun(app, { ...first!, organizationId: second!.organizationId }, 'heartbeat'),
    onRun(app, { ...first!, leaseToken: second!.leaseToken }, 'heartbeat'),
    onRun(app, { ...first!, runId: randomUUID() }, 'heartbeat'),
  ]);
  const beats = query.mock.calls.filter(([sent]) => JSON.stringify(sent).includes('set heartbeat_at'));
  query.mockRestore();
  expect(answers.map(({ status }) => status)).toEqual([...runs.map(() => 200), 409, 409, 409]);
  for (const { body } of answers.slice(ORGANIZATIONS)) expect(body.error.code).toBe('run_lease_expired');
  expect(beats.length).toBeLessThan(ORGANIZATIONS);
});

it('who waits for a lock holds up nobody else', async () => {
  const [held, ...others] = runs;
  const holder = await app.db.connect();
  try {
    const lock = taskLock(held!);
    await holder.query('begin');
    await holder.query(lock.sql, [...lock.values]);
    let ended = false;
    const waiting = onRun(app, held!, 'complete', COMPLETED).finally(() => (ended = true));
    const together = await Promise.all(others.map((run) => onRun(app, run, 'complete', COMPLETED)));
    expect(together.map(({ status, body }) => [status, body.data.taskStatus])).toEqual(
      others.map(() => [200, 'completed']),
    );
    expect(ended).toBe(false);
    await holder.query('commit');
    expect((await waiting).status).toBe(200);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

it('entries of logs that share a transaction go to their own run, whatever becomes of the others', async () => {
  const entries = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...ENTRY,
      sequence: index + 1,
      label: `${name} ${index + 1}`,
      detail: index % 2 === 0 ? name : null,
    }));
  const [differs, lapsed] = runs;
  await onRun(app, differs!, 'logs', { entries: entries('before', 2) });
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const answers = await Promise.all(
    runs.map((run, place) =>
      onRun(app, run === lapsed ? { ...run, leaseToken: differs!.leaseToken } : run, 'logs', {
        entries: entries(`run ${place}`, place + 2),
      }),
    ),
  );
  const sent = query.mock.calls.filter(([each]) => JSON.stringify(each).includes('insert into run_log'));
  query.mockRestore();
  expect(sent.length).toBeLessThan(ORGANIZATIONS);
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 200, 200, 200, 200]);
  for (const [place, { runId }] of runs.entries()) {
    const { rows } = await app.db.query('select label, detail from run_log where run_id = $1 order by sequence', [
      runId,
    ]);
    const stored = [entries('before', 2), []][place] ?? entries(`run ${place}`, place + 2);
    expect(rows).toEqual(stored.map(({ label, detail }) => ({ label, detail })));
  }
});

it('calls on one run keep their order', async () => {
  const [run] = runs;
  const answers = await Promise.all(
    [3, 1, 2].map((sequence) => onRun(app, run!, 'logs', { entries: [{ ...ENTRY, sequence }] })),
  );
  expect(answers.map(({ body }) => body.data)).toEqual([
    { acceptedThrough: 0, missing: [1, 2], cancelRequested: false },
    { acceptedThrough: 1, missing: [2], cancelRequested: false },
    { acceptedThrough: 3, missing: [], cancelRequested: false },
  ]);
});

it('an organization that is being deleted refuses its own call alone', async () => {
  const [gone, ...others] = runs;
  await app.db.query(`update organization set status = 'deleting' where id = $1`, [gone!.organizationId]);
  const answers = await Promise.all(runs.map((run) => onRun(app, run, 'heartbeat')));
  expect(answers.map(({ status }) => status)).toEqual([409, ...others.map(() => 200)]);
});
