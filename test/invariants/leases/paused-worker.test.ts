import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  lapseRun,
  onRun,
  rowsOf,
  startClaimed,
  type StartedRun,
  startedRun,
  WORKPLACE,
} from '../../support/factories/work.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A worker that was paused, and wakes when its lease is over, changes nothing: whatever it calls, before the sweep or after. */
const { app, organization } = useOrganization({ per: 'test' });
let run: StartedRun;
beforeEach(async () => {
  run = await startedRun(app, organization.id);
  await onRun(app, run, 'running', WORKPLACE);
});

const usage = { inputTokens: 1, outputTokens: 1, toolCalls: 1, costMinorUnits: 1 };
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['running', WORKPLACE],
  ['heartbeat', {}],
  ['fail', { error: { code: 'broken', message: 'Broken.', retryable: true }, usage }],
  [
    'complete',
    {
      output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', artifacts: [] } },
      usage,
      receipts: [],
    },
  ],
];

async function changesNothing(): Promise<void> {
  const before = await rowsOf(app, run);
  for (const [call, body] of CALLS) {
    const { status, body: answer } = await onRun(app, run, call, body);
    expect([call, status, answer.error?.code]).toEqual([call, 409, 'run_lease_expired']);
  }
  expect(await rowsOf(app, run)).toEqual(before);
}

describe('a worker that wakes after its lease', () => {
  it('changes nothing before the sweep has come', async () => {
    await lapseRun(app, run);
    await changesNothing();
  });

  it('changes nothing after it', async () => {
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    await changesNothing();
  });

  it('changes nothing of the run that took its place', async () => {
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    await app.db.query(`update run_request set available_at = clock_timestamp() where organization_id = $1`, [
      organization.id,
    ]);
    await app.runJob('run-requests-due');
    const next = await startClaimed(app, organization.id);
    expect(next.runRequestId).toBe(run.runRequestId);
    await changesNothing();
    expect((await onRun(app, next, 'heartbeat')).status).toBe(200);
  });

  it('changes nothing with a beat that waited for a lock until the lease was over', async () => {
    const client = await app.db.connect();
    try {
      await client.query('begin');
      await client.query(
        `update run set lease_expires_at = clock_timestamp() + interval '300 ms' where organization_id = $1 and id = $2`,
        [organization.id, run.runId],
      );
      const beat = onRun(app, run, 'heartbeat');
      await until('the beat waits', async () => {
        const { rows } = await app.db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%heartbeat_at%'`,
        );
        return rows.length > 0;
      });
      await until('the lease is over', async () => {
        const { rows } = await client.query<{ over: boolean }>(
          `select lease_expires_at <= clock_timestamp() as over from run where organization_id = $1 and id = $2`,
          [organization.id, run.runId],
        );
        return rows[0]!.over;
      });
      await client.query('commit');
      expect((await beat).body.error.code).toBe('run_lease_expired');
    } finally {
      client.release();
    }
  });
});
