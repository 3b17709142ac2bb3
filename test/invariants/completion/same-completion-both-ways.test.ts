import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PlainCompletionsService } from '../../../src/modules/runs/completion/plain-completions.service.ts';
import type { Answer, Client } from '../../support/client.ts';
import { organizationOf } from '../../support/client.ts';
import { rowsOfOrganization, twinOf, withoutNewIdsAndTimes } from '../../support/database/twins.ts';
import {
  lapseRun,
  onRun,
  queueTask,
  queueTasks,
  startClaimed,
  startedRun,
  type StartedRun,
  WORKPLACE,
} from '../../support/factories/work.ts';
import { TestApp } from '../../support/test-app.ts';

/**
 * Completions that move nothing but themselves take a path of their own, which those that arrive together share. What it
 * writes is what the path of all other completions writes: the same calls are made in two organizations with the same rows,
 * down one path in each, and all rows of all tables are compared afterwards.
 */
let batched: TestApp;
let single: TestApp;
let owner: Client;
let organizationId: string;
let plain: jest.SpiedFunction<PlainCompletionsService['complete']>;

beforeAll(async () => {
  batched = await TestApp.start();
  single = await TestApp.start();
  owner = await batched.person();
});
beforeEach(async () => {
  organizationId = await organizationOf(owner);
  plain = jest.spyOn(batched.app.get(PlainCompletionsService), 'complete');
  jest.spyOn(single.app.get(PlainCompletionsService), 'complete').mockResolvedValue(undefined);
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await single.close();
  await batched.close();
});

type Body = Record<string, unknown>;
const SHA256 = 'a'.repeat(64);
const artifact = { kind: 'report', name: 'Report', path: 'out/report.md' };
const receipt = { kind: 'command', id: 'c1', commandHash: SHA256, status: 'completed', exitCode: 0 };
const usage = { inputTokens: 1, outputTokens: 2, toolCalls: 3, costMinorUnits: 4 };

function completed(result: Body = {}, report: Body = {}): Body {
  return { output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', ...result } }, ...report };
}

const shown = ({ status, body }: Answer) => ({
  status,
  data: body.data,
  code: body.error?.code,
  issues: body.error?.issues,
});
const set = (sql: string, ...values: unknown[]) => batched.db.query(sql, [organizationId, ...values]);

/** Makes the calls of each round together, both ways. Answers what came of the batched path, of each call in turn. */
async function bothWays(runs: readonly StartedRun[], rounds: readonly Body[]) {
  const twin = await twinOf(batched, organizationId);
  const before = await rowsOfOrganization(batched, organizationId);
  expect(await rowsOfOrganization(batched, twin)).toEqual(before);
  const answers = async (app: TestApp, organization: string) => {
    const all: Answer[] = [];
    for (const body of rounds)
      all.push(
        ...(await Promise.all(
          runs.map((run) => onRun(app, { ...run, organizationId: organization }, 'complete', body)),
        )),
      );
    return all.map(shown);
  };
  const answered = await answers(batched, organizationId);
  expect(await answers(single, twin)).toEqual(answered);
  const rows = await rowsOfOrganization(batched, organizationId);
  const moved = withoutNewIdsAndTimes(rows, before);
  expect(withoutNewIdsAndTimes(await rowsOfOrganization(batched, twin), before)).toEqual(moved);
  const ways = await Promise.all(plain.mock.results.map(async ({ value }) => ((await value) ? 'batched' : 'left')));
  return {
    statuses: answered.map(({ status }) => status),
    ways,
    moved: JSON.stringify(moved) !== JSON.stringify(withoutNewIdsAndTimes(before, before)),
  };
}

const BATCHED = { statuses: [200], ways: ['batched'], moved: true };

describe('a plain completion writes the same both ways', () => {
  it.each<[string, Body]>([
    ['the least', completed()],
    ['an empty list of artifacts', completed({ artifacts: [] })],
    ['artifacts', completed({ artifacts: [artifact, { ...artifact, path: 'out/other.md', name: 'Other' }] })],
    ['usage', completed({}, { usage })],
    ['receipts', completed({}, { receipts: [receipt] })],
    ['no receipts', completed({}, { receipts: [] })],
    ['harness and workspace', completed({}, { harness: 'harness/2', workspaceUri: 'file:///w' })],
    ['the state of its log', completed({}, { logState: 'partial' })],
    [
      'everything at once',
      completed(
        { artifacts: [artifact] },
        { usage, receipts: [receipt], harness: 'h', workspaceUri: 'w', logState: 'complete' },
      ),
    ],
    ['text that is replaced and cut', completed({ summary: `a\0b${'m'.repeat(4_000)}` }, { harness: 'h'.repeat(201) })],
  ])('with %s', async (_what, body) => {
    const run = await startedRun(batched, organizationId);
    expect(await bothWays([run], [body])).toEqual(BATCHED);
  });

  it('with bytes that its run stored', async () => {
    const run = await startedRun(batched, organizationId);
    await set(
      `insert into run_artifact (organization_id, run_id, sha256, size_bytes) values ($1, $2, $3, 7)`,
      run.runId,
      SHA256,
    );
    const artifacts = [
      { ...artifact, sha256: SHA256, sizeBytes: 1 },
      { ...artifact, path: 'b' },
      { ...artifact, path: 'c', sha256: SHA256.toUpperCase() },
    ];
    expect(await bothWays([run], [completed({ artifacts })])).toEqual(BATCHED);
  });

  it('of a run that said where it works, logged, and was asked to stop', async () => {
    const run = await startedRun(batched, organizationId);
    await onRun(batched, run, 'running', WORKPLACE);
    const entry = {
      sequence: 1,
      category: 'execution',
      status: 'info',
      label: 'Works',
      occurredAt: '2026-01-01T00:00:00.000Z',
    };
    expect((await onRun(batched, run, 'logs', { entries: [entry] })).status).toBe(200);
    expect((await owner.post(`/organizations/${organizationId}/runs/${run.runId}/cancel`)).status).toBe(200);
    expect(await bothWays([run], [completed()])).toEqual(BATCHED);
  });

  it('of a second attempt', async () => {
    const run = await startedRun(batched, organizationId);
    const error = { code: 'broken', message: 'It broke.', retryable: true, retryAfterSeconds: 0 };
    expect((await onRun(batched, run, 'fail', { error })).status).toBe(200);
    await batched.runJob('run-requests-due');
    expect(await bothWays([await startClaimed(batched, organizationId)], [completed()])).toEqual(BATCHED);
  });

  it('of several that arrive together', async () => {
    const runs: StartedRun[] = [];
    for (let run = 0; run < 3; run += 1) runs.push(await startedRun(batched, organizationId));
    expect(await bothWays(runs, [completed({ artifacts: [artifact] })])).toEqual({
      statuses: [200, 200, 200],
      ways: ['batched', 'batched', 'batched'],
      moved: true,
    });
  });

  it('where work is ready in an organization that left the lines of claims', async () => {
    const run = await startedRun(batched, organizationId);
    await queueTasks(batched, organizationId, 2);
    await queueTask(batched, organizationId, { profile: 'support' });
    for (const table of ['organization_dispatch', 'profile_dispatch'])
      await set(`update ${table} set next_ready_at = null, left_at = clock_timestamp() where organization_id = $1`);
    expect(await bothWays([run], [completed()])).toEqual(BATCHED);
    for (const table of ['organization_dispatch', 'profile_dispatch']) {
      const { rows } = await set(`select from ${table} where organization_id = $1 and next_ready_at is not null`);
      expect(rows.length).toBeGreaterThan(0);
    }
  });
});

describe('a call that is repeated or refused answers the same both ways, and writes nothing more', () => {
  it('the same call again, and another body', async () => {
    const run = await startedRun(batched, organizationId);
    expect(await bothWays([run], [completed(), completed(), completed({ summary: 'Otherwise.' })])).toEqual({
      statuses: [200, 200, 409],
      ways: ['batched', 'left', 'left'],
      moved: true,
    });
  });

  it('under a lease that lapsed', async () => {
    const run = await startedRun(batched, organizationId);
    await lapseRun(batched, run);
    expect(await bothWays([run], [completed()])).toEqual({ statuses: [409], ways: ['left'], moved: false });
  });

  it('under another token', async () => {
    const run = { ...(await startedRun(batched, organizationId)), leaseToken: 'another' };
    expect(await bothWays([run], [completed()])).toEqual({ statuses: [409], ways: ['left'], moved: false });
  });

  it('with bytes that its run did not store', async () => {
    const run = await startedRun(batched, organizationId);
    const body = completed({ artifacts: [{ ...artifact, sha256: SHA256 }] });
    expect(await bothWays([run], [body])).toEqual({ statuses: [400], ways: ['left'], moved: false });
  });
});

describe('what is not plain is left to the other path', () => {
  it.each<[string, (run: StartedRun) => Promise<unknown>]>([
    [
      'a result to verify',
      ({ taskId }) => set(`update task set verification = 'required' where organization_id = $1 and id = $2`, taskId),
    ],
    [
      'a task that another waits for',
      async ({ taskId }) => {
        const waiting = await queueTask(batched, organizationId);
        await set(
          `insert into task_dependency (organization_id, task_id, depends_on_task_id, condition, required)
           values ($1, $2, $3, '{"kind":"completion"}', true)`,
          waiting.taskId,
          taskId,
        );
        const blockers = [{ kind: 'dependency', dependsOnTaskId: taskId, since: '2026-01-01T00:00:00.000000Z' }];
        await set(
          `update run_request set status = 'superseded' where organization_id = $1 and task_id = $2`,
          waiting.taskId,
        );
        await set(
          `update task set status = 'blocked', blockers = $3::jsonb where organization_id = $1 and id = $2`,
          waiting.taskId,
          JSON.stringify(blockers),
        );
      },
    ],
    [
      'a task that was cancelled',
      ({ taskId }) => owner.post(`/organizations/${organizationId}/tasks/${taskId}/cancel`),
    ],
  ])('%s', async (_what, prepare) => {
    const run = await startedRun(batched, organizationId);
    await prepare(run);
    expect(await bothWays([run], [completed({ artifacts: [artifact] })])).toEqual({ ...BATCHED, ways: ['left'] });
  });
});
