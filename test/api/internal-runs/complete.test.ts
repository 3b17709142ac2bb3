import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { lapseRun, onRun, rowsOf, startClaimed, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });

const artifact = { kind: 'report', name: 'Report', path: 'out/report.md' };
const receipt = { kind: 'command', id: 'c1', commandHash: 'a'.repeat(64), status: 'completed', exitCode: 0 };
const usage = { inputTokens: 1, outputTokens: 2, toolCalls: 3, costMinorUnits: 4 };

function completed(overrides: Record<string, unknown> = {}) {
  return { output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', ...overrides } } };
}
const plan = {
  kind: 'planned',
  summary: 'One step.',
  expectedGraphRevision: 1,
  operations: [{ kind: 'create_task', ref: 'step', title: 'A step', spec: { objective: 'Do it' } }],
};
const resultOf = ({ kind, summary }: { kind: string; summary: string }) => ({
  output: { kind: 'task_result', result: { kind, summary } },
});
async function stage(run: StartedRun, outcome: Record<string, unknown>): Promise<void> {
  const agent = app.client(run.executionToken);
  const { text, status } = await agent.put(
    `/internal/agent/organizations/${organization.id}/execution/outcome`,
    outcome,
  );
  if (status !== 200) throw new Error(`Not staged: ${text}`);
}
const complete = (run: StartedRun, body: Record<string, unknown> = completed()) => onRun(app, run, 'complete', body);

async function waitingForLocks(): Promise<number> {
  const { rows } = await app.db.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]!.n;
}

async function activity(): Promise<unknown[]> {
  const { body } = await owner.get(`/organizations/${organization.id}/activity?order=asc`);
  return body.data
    .filter(({ subject }: { subject: { kind: string } }) => ['task', 'run'].includes(subject.kind))
    .map(({ verb, actor }: { verb: string; actor: { kind: string } }) => [verb, actor.kind]);
}

describe('POST /internal/runs/{runId}/complete: 200', () => {
  it('ends run, request and task with the result, and keeps what the worker reported', async () => {
    const run = await startedRun(app, organization.id);
    const { status, body } = await complete(run, {
      ...completed({ artifacts: [artifact] }),
      usage,
      receipts: [receipt],
      harness: 'harness/2',
      workspaceUri: 'file:///w',
      logState: 'complete',
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      runId: run.runId,
      status: 'succeeded',
      taskId: run.taskId,
      taskStatus: 'completed',
      runRequestStatus: 'completed',
    });
    const { task, request, runs } = await rowsOf(app, run);
    const result = { kind: 'completed', summary: 'Done.', artifacts: [artifact] };
    expect(task).toMatchObject({ status: 'completed', result, blockers: [] });
    expect(task.completed_at).not.toBeNull();
    expect(request.status).toBe('completed');
    expect(runs).toEqual([
      expect.objectContaining({
        status: 'succeeded',
        output: { kind: 'task_result', result },
        usage,
        harness: 'harness/2',
        workspace_uri: 'file:///w',
        log_state: 'complete',
        receipts: [expect.objectContaining({ id: 'c1' })],
      }),
    ]);
    expect(runs[0].finished_at).not.toBeNull();
    expect(await activity()).toEqual([
      ['run.succeeded', 'agent'],
      ['task.completed', 'agent'],
    ]);
  });

  it('gives a repeat with the same body the stored answer, and changes nothing', async () => {
    const run = await startedRun(app, organization.id);
    const first = await complete(run);
    const rows = await rowsOf(app, run);
    const again = await complete(run);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(first.body.data);
    expect(await rowsOf(app, run)).toEqual(rows);
  });

  it('ends the run as cancelled when the task was cancelled before, and keeps its output', async () => {
    const run = await startedRun(app, organization.id);
    await owner.post(`/organizations/${organization.id}/tasks/${run.taskId}/cancel`);
    const { status, body } = await complete(run);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'cancelled', taskStatus: 'cancelled', runRequestStatus: 'cancelled' });
    const { task, runs } = await rowsOf(app, run);
    expect(task).toMatchObject({ status: 'cancelled', result: { kind: 'cancelled' } });
    expect(runs[0]).toMatchObject({ status: 'cancelled', output: { result: { summary: 'Done.' } } });
  });
});

describe('POST /internal/runs/{runId}/complete: verification', () => {
  async function verifying(): Promise<StartedRun> {
    const run = await startedRun(app, organization.id);
    await app.db.query(`update task set verification = 'required' where id = $1`, [run.taskId]);
    const { body } = await complete(run, completed({ artifacts: [artifact] }));
    expect(body.data).toMatchObject({ status: 'succeeded', taskStatus: 'pending', runRequestStatus: 'completed' });
    return startClaimed(app, organization.id);
  }
  const checked = { kind: 'verification', summary: 'Checked.' };
  const verdict = resultOf(checked);

  it('lets another run judge the result, which completes the task when it is accepted', async () => {
    const verifier = await verifying();
    expect(verifier.mode).toBe('verify');
    await stage(verifier, { ...checked, verdict: 'accepted', findings: [] });
    const { body } = await complete(verifier, verdict);
    expect(body.data).toMatchObject({ status: 'succeeded', taskStatus: 'completed' });
    const { task } = await rowsOf(app, verifier);
    expect(task.result).toEqual({ kind: 'completed', summary: 'Done.', artifacts: [artifact] });
  });

  it('sends the task back when it is rejected, as a failed attempt there', async () => {
    const verifier = await verifying();
    const finding = { criterion: 'It is right', verdict: 'rejected', note: 'It is wrong.' };
    await stage(verifier, { ...checked, verdict: 'rejected', findings: [finding] });
    const { body } = await complete(verifier, verdict);
    expect(body.data).toMatchObject({ status: 'succeeded', taskStatus: 'pending' });
    const { task } = await rowsOf(app, verifier);
    expect(task).toMatchObject({ phase: 'execute', execute_failures: 1, unverified_result: null });
  });

  it('fails the task when the last attempt is rejected', async () => {
    const verifier = await verifying();
    await app.db.query(`update task set execute_failures = 2 where id = $1`, [verifier.taskId]);
    await stage(verifier, { ...checked, verdict: 'rejected', findings: [] });
    expect((await complete(verifier, verdict)).body.data).toMatchObject({ taskStatus: 'failed' });
    expect((await rowsOf(app, verifier)).task.result.code).toBe('attempts_exhausted');
  });
});

describe('POST /internal/runs/{runId}/complete: 400', () => {
  const result = (change: Record<string, unknown>) => ({
    output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', ...change } },
  });
  it.each<[string, Record<string, unknown>, string, string]>([
    ['no output', {}, 'output', 'required'],
    ['an unknown kind', result({ kind: 'done' }), 'output.result.kind', 'unknown_value'],
    ['no summary', result({ summary: undefined }), 'output.result.summary', 'required'],
    ...[5, 'x', [], true, null].map((staged): [string, Record<string, unknown>, string, string] => [
      `${JSON.stringify(staged)} as staged`,
      result({ staged }),
      'output.result.staged',
      'wrong_type',
    ]),
    [
      'an exit code of more than 32 bits',
      { ...completed(), receipts: [{ ...receipt, exitCode: 2 ** 32 }] },
      'receipts.0.exitCode',
      'out_of_range',
    ],
    [
      'a digest that is none',
      result({ artifacts: [{ ...artifact, sha256: 'z'.repeat(64) }] }),
      'output.result.artifacts.0.sha256',
      'invalid_digest',
    ],
    [
      'bytes that the run did not store',
      result({ artifacts: [{ ...artifact, sha256: 'a'.repeat(64) }] }),
      'output.result.artifacts.0.sha256',
      'unknown_reference',
    ],
    [
      'a path that leads out',
      result({ artifacts: [{ ...artifact, path: '../x' }] }),
      'output.result.artifacts.0.path',
      'invalid_path',
    ],
    [
      'a repeated path',
      result({ artifacts: [artifact, artifact] }),
      'output.result.artifacts.1.path',
      'duplicate_item',
    ],
    ['a field of another kind', result({ actionIds: [randomUUID()] }), 'output.result.actionIds', 'not_of_kind'],
    [
      'an action that there is not',
      result({ kind: 'action_wait', actionIds: [randomUUID()] }),
      'output.result.actionIds.0',
      'unknown_reference',
    ],
    [
      'an inbox item that there is not',
      result({ kind: 'handoff', inboxItemId: randomUUID() }),
      'output.result.inboxItemId',
      'unknown_reference',
    ],
    ['negative usage', { ...completed(), usage: { ...usage, toolCalls: -1 } }, 'usage.toolCalls', 'out_of_range'],
  ])('refuses %s, and the run lives on', async (_what, body, path, code) => {
    const run = await startedRun(app, organization.id);
    const before = await rowsOf(app, run);
    const answer = await complete(run, body);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      { code: 'validation_failed', issues: [expect.objectContaining({ path, code })] },
    ]);
    expect(await rowsOf(app, run)).toEqual(before);
    expect((await complete(run)).status).toBe(200);
  });
});

describe('POST /internal/runs/{runId}/complete: 409', () => {
  it('`run_lease_expired` for a token that is wrong, a lease that lapsed, and what there is not', async () => {
    const run = await startedRun(app, organization.id);
    const elsewhere = await organizationOf(owner);
    const wrong = [
      { ...run, leaseToken: 'wrong' },
      { ...run, runId: randomUUID() },
      { ...run, organizationId: elsewhere },
      { ...run, organizationId: randomUUID() },
    ];
    const before = await rowsOf(app, run);
    for (const each of wrong) {
      const { status, body } = await complete(each);
      expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    }
    expect(await rowsOf(app, run)).toEqual(before);
    await lapseRun(app, run);
    expect((await complete(run)).body.error.code).toBe('run_lease_expired');
    expect((await rowsOf(app, run)).task.status).toBe('running');
  });

  it('for another body after the end, and `run_lease_expired` once the end is forgotten', async () => {
    const run = await startedRun(app, organization.id);
    await complete(run);
    const before = await rowsOf(app, run);
    const other = await complete(run, completed({ summary: 'Done otherwise.' }));
    const failed = await onRun(app, run, 'fail', { error: { code: 'x', message: 'x', retryable: true } });
    for (const { status, body } of [other, failed])
      expect([status, body.error]).toEqual([
        409,
        { code: 'state_conflict', issues: [expect.objectContaining({ code: 'ended_otherwise' })] },
      ]);
    expect(await rowsOf(app, run)).toEqual(before);
    await app.db.query(`update run set finished_at = finished_at - interval '25 hours' where id = $1`, [run.runId]);
    expect((await complete(run)).body.error.code).toBe('run_lease_expired');
  });

  it('`outcome_missing` ends a run that staged nothing, as a failure that is tried again, and answers so again', async () => {
    const run = await startedRun(app, organization.id, { phase: 'plan' });
    const body = { output: { kind: 'task_result', result: { kind: 'planned', summary: 'Planned.' } } };
    for (const answer of [await complete(run, body), await complete(run, body)])
      expect([answer.status, answer.body.error]).toEqual([
        409,
        { code: 'state_conflict', issues: [expect.objectContaining({ code: 'outcome_missing' })] },
      ]);
    const { task, request, runs } = await rowsOf(app, run);
    expect(runs).toEqual([
      expect.objectContaining({
        status: 'failed',
        error: expect.objectContaining({ code: 'outcome_missing', class: 'protocol', retryable: true }),
      }),
    ]);
    expect(request).toMatchObject({ status: 'queued', ready: false, last_error: { runId: run.runId } });
    expect(task).toMatchObject({ status: 'pending', plan_failures: 1 });
  });

  it('for an outcome that the mode does not permit; the run lives on', async () => {
    const run = await startedRun(app, organization.id, { phase: 'plan' });
    const { status, body } = await complete(run);
    expect([status, body.error.issues[0].code]).toEqual([409, 'outcome_not_permitted']);
    expect((await rowsOf(app, run)).runs[0].status).toBe('starting');
  });

  it('`outcome_differs` for another kind than the staged one; the run lives on', async () => {
    const run = await startedRun(app, organization.id);
    await stage(run, plan);
    const { status, body } = await complete(run);
    expect([status, body.error.issues]).toEqual([
      409,
      [expect.objectContaining({ path: 'output.result.kind', code: 'outcome_differs' })],
    ]);
    expect((await complete(run, resultOf(plan))).body.data).toMatchObject({ taskStatus: 'blocked' });
  });

  it('for a plan that can no longer be applied; the run lives on and may stage another', async () => {
    const run = await startedRun(app, organization.id, { phase: 'plan' });
    await stage(run, plan);
    await app.db.query(`update task set graph_revision = 2 where id = $1`, [run.taskId]);
    const { status, body } = await complete(run, resultOf(plan));
    expect([status, body.error]).toEqual([
      409,
      { code: 'state_conflict', issues: [expect.objectContaining({ code: 'stale_graph_revision' })] },
    ]);
    await stage(run, { ...plan, expectedGraphRevision: 2 });
    expect((await complete(run, resultOf(plan))).body.data).toMatchObject({ taskStatus: 'blocked' });
  });

  it('`outcome_replaced` where the agent stages another outcome while the call waits; it may be repeated', async () => {
    const run = await startedRun(app, organization.id, { phase: 'plan' });
    await stage(run, plan);
    const holding = await app.db.connect();
    try {
      await holding.query('begin');
      await holding.query(`select from run where id = $1 for update`, [run.runId]);
      const waits = complete(run, resultOf(plan));
      await until('the completion waits for the run', async () => (await waitingForLocks()) === 1);
      const title = 'Another step';
      await holding.query(
        `update run_outcome set outcome = jsonb_set(outcome, '{operations,0,title}', to_jsonb($2::text)), digest = 'other'
         where run_id = $1`,
        [run.runId, title],
      );
      await holding.query('commit');
      const { status, body } = await waits;
      expect([status, body.error.issues[0].code]).toEqual([409, 'outcome_replaced']);
      expect((await complete(run, resultOf(plan))).status).toBe(200);
      const { body: children } = await owner.get(`/organizations/${organization.id}/tasks?parentId=${run.taskId}`);
      expect(children.data).toMatchObject([{ title }]);
    } finally {
      await holding.query('rollback');
      holding.release();
    }
  });

  it('for a kind that does not fit the task; the run lives on', async () => {
    const run = await startedRun(app, organization.id);
    const before = await rowsOf(app, run);
    const { status, body } = await complete(run, completed({ kind: 'learning' }));
    expect([status, body.error.issues[0].code]).toEqual([409, 'outcome_not_permitted']);
    expect(await rowsOf(app, run)).toEqual(before);
    expect((await complete(run)).status).toBe(200);
  });
});

describe('POST /internal/runs/{runId}/complete: 401', () => {
  it('for all but runtimes', async () => {
    const run = await startedRun(app, organization.id);
    for (const client of [app.anonymous, owner, app.client(run.executionToken)]) {
      const { status, body } = await client.post(`/internal/runs/${run.runId}/complete`, {
        organizationId: organization.id,
        leaseToken: run.leaseToken,
        ...completed(),
      });
      expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
    }
  });
});
