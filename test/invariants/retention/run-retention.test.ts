import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { type RunRow } from '../../support/factories/engine-rows.ts';
import { knowledgeRow } from '../../support/factories/knowledge.ts';
import { createSchedule } from '../../support/factories/schedules.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const LONG_AGO = '2020-01-15T00:00:00Z';
/** So many months are kept by default. */
const WITHIN = new Date(Date.now() - 12 * 30 * 86_400_000).toISOString();
const ENDED = { status: 'completed', created_at: LONG_AGO, updated_at: LONG_AGO };
const BYTES = 'What the run delivered';
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const OUTPUT = { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', artifacts: [] } };

const app = useTestApp();
const place = useWorkplace(app);

/** A run of long ago with everything that hangs on one. */
async function oldRun(task: Record<string, unknown> = {}, endedAt = LONG_AGO): Promise<RunRow> {
  const times = { created_at: endedAt, updated_at: endedAt };
  const run = await place.run({
    task: { ...ENDED, ...task },
    request: { ...times, status: 'completed' },
    run: { ...times, status: 'succeeded', finished_at: endedAt, output: OUTPUT },
  });
  const { organizationId } = place;
  await app.db.query(
    `insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, occurred_at)
     select $1, $2, n, date_trunc('month', $3::timestamptz, 'UTC'), 'tool', 'info', 'Step', now() from generate_series(1, 3) n`,
    [organizationId, run.runId, endedAt],
  );
  await app.db.query(
    `insert into run_outcome (organization_id, run_id, id, kind, outcome, digest) values ($1, $2, $3, 'planned', '{}', '')`,
    [organizationId, run.runId, randomUUID()],
  );
  await app.db.query(`insert into run_artifact (organization_id, run_id, sha256, size_bytes) values ($1, $2, $3, $4)`, [
    organizationId,
    run.runId,
    SHA256,
    BYTES.length,
  ]);
  await app.app.get(ObjectStore).put(keyOf(run), Readable.from([Buffer.from(BYTES)]), { maxBytes: 100 });
  return run;
}

const keyOf = ({ runId }: RunRow) => `organizations/${place.organizationId}/runs/${runId}/artifacts/${SHA256}`;

/** Which parts of a run are there. */
async function left({ runId, requestId, taskId, ...run }: RunRow): Promise<string[]> {
  const parts: Record<string, [string, string]> = {
    run: ['run where id', runId],
    request: ['run_request where id', requestId],
    task: ['task where id', taskId],
    logs: ['run_log where run_id', runId],
    outcome: ['run_outcome where run_id', runId],
    artifact: ['run_artifact where run_id', runId],
  };
  const found: string[] = [];
  for (const [part, [where, id]] of Object.entries(parts))
    if ((await app.db.query(`select from ${where} = $1`, [id])).rowCount) found.push(part);
  if (await app.app.get(ObjectStore).stat(keyOf({ runId, requestId, taskId, ...run }))) found.push('bytes');
  return found;
}

const ALL = ['run', 'request', 'task', 'logs', 'outcome', 'artifact', 'bytes'];

describe('what ended longer ago than it is kept', () => {
  it('goes with all that hangs on it; the task stays, and so does what is younger or goes on', async () => {
    const old = await oldRun();
    const young = await oldRun({}, WITHIN);
    const goesOn = await oldRun({ status: 'blocked' });
    await app.runJob('run-retention');
    expect(await left(old)).toEqual(['task']);
    expect(await left(young)).toEqual(ALL);
    expect(await left(goesOn)).toEqual(ALL);
  });

  it('stays as long as a task that has not ended needs it: a parent, a dependent, or one that its artifact is an input of', async () => {
    const { organizationId } = place;
    const parent = await place.run();
    const child = await oldRun({ parent_id: parent.taskId, root_task_id: parent.taskId });
    const prerequisite = await oldRun();
    const dependent = await place.run();
    await app.db.query(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, status, condition)
       values ($1, $2, $3, 'satisfied', '{"kind":"completion"}')`,
      [organizationId, dependent.taskId, prerequisite.taskId],
    );
    const delivered = await oldRun();
    const inputs = [{ kind: 'artifact', taskId: delivered.taskId, artifactKind: 'report' }];
    const reader = await place.run({ task: { spec: { objective: 'Read it.', inputs, acceptanceCriteria: [] } } });
    await app.runJob('run-retention');
    for (const run of [child, prerequisite, delivered]) expect(await left(run)).toEqual(ALL);

    const ids = [parent.taskId, dependent.taskId, reader.taskId];
    await app.db.query(`update task set status = 'completed' where id = any($1)`, [ids]);
    await app.runJob('run-retention');
    for (const run of [child, prerequisite, delivered]) expect(await left(run)).toEqual(['task']);
  });

  it('stays as long as a record names its bytes, and for 13 months after the record was revoked or superseded', async () => {
    const { organizationId } = place;
    const run = await oldRun();
    const evidence = [{ runId: run.runId, path: 'report.md', sha256: SHA256 }];
    const id = await knowledgeRow(app, organizationId, { evidence });
    const since = (months: number) =>
      app.db.query(
        `update knowledge set superseded_by = $2, superseded_at = now() - make_interval(months => $3) where id = $1`,
        [id, randomUUID(), months],
      );
    await app.runJob('run-retention');
    expect(await left(run)).toEqual(ALL);
    await since(12);
    await app.runJob('run-retention');
    expect(await left(run)).toEqual(ALL);
    await since(14);
    await app.runJob('run-retention');
    expect(await left(run)).toEqual(['task']);
  });

  it('leaves cursors good: a list goes on where a removed row was', async () => {
    const made: RunRow[] = [];
    const day = (n: number) => `2020-02-0${n}T00:00:00Z`;
    for (const n of [1, 2, 3]) made.push(await oldRun({ status: 'blocked' }, day(n)));
    const walk = async (list: string, query: string) => {
      const first = await place.owner.get(place.path(`/${list}?limit=1&createdBefore=2020-03-01T00:00:00Z${query}`));
      return { first: first.body.data[0].id as string, cursor: first.body.pagination.nextCursor as string };
    };
    const runs = await walk('runs', '&status=succeeded');
    expect(runs.first).toBe(made[2]!.runId);
    const requests = await walk('run-requests', '');
    // Only the newest goes.
    await app.db.query(`update task set status = 'completed' where id = $1`, [made[2]!.taskId]);
    await app.runJob('run-retention');
    expect(await left(made[2]!)).toEqual(['task']);
    const next = await place.owner.get(
      place.path(`/runs?limit=1&createdBefore=2020-03-01T00:00:00Z&status=succeeded&cursor=${runs.cursor}`),
    );
    expect(next.body.data[0].id).toBe(made[1]!.runId);
    const following = await place.owner.get(
      place.path(`/run-requests?limit=1&createdBefore=2020-03-01T00:00:00Z&cursor=${requests.cursor}`),
    );
    expect([following.status, following.body.data[0].id]).toEqual([200, made[1]!.requestId]);
  });
});

describe('occurrences of schedules', () => {
  it('go after the same time', async () => {
    const schedule = await createSchedule(app, place.organizationId);
    await app.db.query(
      `insert into schedule_occurrence (organization_id, id, schedule_id, planned_at, origin, status, created_at)
       select $1, gen_random_uuid(), $2, at, 'timer', 'created', at
       from unnest($3::timestamptz[]) at`,
      [place.organizationId, schedule.id, [LONG_AGO, '2020-01-16T00:00:00Z', WITHIN]],
    );
    await app.runJob('schedule-occurrence-retention');
    const { rows } = await app.db.query(`select planned_at from schedule_occurrence where schedule_id = $1`, [
      schedule.id,
    ]);
    expect(rows.map(({ planned_at }) => new Date(planned_at as string).toISOString())).toEqual([WITHIN]);
  });
});

describe('versions of durability keys', () => {
  it('are known for 30 days after the row is gone, the payload of an expired one for a day', async () => {
    const [expired, deleted, forgotten] = [randomUUID(), randomUUID(), randomUUID()];
    await app.db.query(
      `insert into durability_row (organization_id, namespace, key, kind, version, payload, expires_at, deleted_at)
       values ($1, 'task', $2, 'draft', 7, '{"a":1}', now() - interval '2 days', null),
              ($1, 'task', $3, 'draft', 8, '{}', null, now() - interval '29 days'),
              ($1, 'task', $4, 'draft', 9, '{}', null, now() - interval '31 days')`,
      [place.organizationId, expired, deleted, forgotten],
    );
    await app.runJob('durability-purge');
    const { rows } = await app.db.query(
      `select key, version, payload, deleted_at is not null as gone from durability_row where key = any($1) order by version`,
      [[expired, deleted, forgotten]],
    );
    expect(rows).toEqual([
      { key: expired, version: 7, payload: {}, gone: true },
      { key: deleted, version: 8, payload: {}, gone: true },
    ]);
  });
});
