import { describe, expect, it } from '@jest/globals';
import { onRun, rowsOf, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });

const error = { code: 'tests_failed', message: 'Three tests fail.', retryable: true };
const fail = (run: StartedRun, change: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) =>
  onRun(app, run, 'fail', { error: { ...error, ...change }, ...rest });

describe('POST /internal/runs/{runId}/fail: 200', () => {
  it('queues the request again with backoff while attempts are left', async () => {
    const run = await startedRun(app, organization.id);
    const usage = { inputTokens: 9, outputTokens: 8, toolCalls: 7, costMinorUnits: 6 };
    const { status, body } = await fail(run, {}, { usage, logState: 'partial', harness: 'h' });
    expect([status, body.data]).toEqual([
      200,
      { runId: run.runId, status: 'failed', taskId: run.taskId, taskStatus: 'pending', runRequestStatus: 'queued' },
    ]);
    const { task, request, runs } = await rowsOf(app, run);
    const stored = { ...error, class: 'agent', retryAfterSeconds: null, at: expect.stringMatching(/\.\d{6}Z$/) };
    expect(runs[0]).toMatchObject({ status: 'failed', usage, harness: 'h', log_state: 'partial' });
    expect(runs[0].error).toEqual(stored);
    expect(request).toMatchObject({ status: 'queued', ready: false, attempt_count: 1, claim_token_hash: null });
    expect(request.last_error).toEqual({ ...stored, runId: run.runId });
    expect(task).toMatchObject({ status: 'pending', execute_failures: 1, consumed_agent_run_count: 1 });
  });

  it('waits as long as the failure says', async () => {
    const run = await startedRun(app, organization.id);
    await fail(run, { class: 'quota', retryAfterSeconds: 3_600 });
    const { rows } = await app.db.query(
      `select extract(epoch from available_at - clock_timestamp()) as seconds from run_request where id = $1`,
      [run.runRequestId],
    );
    expect(Number(rows[0].seconds)).toBeGreaterThan(3_500);
    expect(Number(rows[0].seconds)).toBeLessThanOrEqual(3_600);
  });

  it('gives the credit of an infrastructure failure back', async () => {
    const run = await startedRun(app, organization.id);
    await fail(run, { class: 'infrastructure' });
    expect((await rowsOf(app, run)).task).toMatchObject({
      agent_run_count: 1,
      consumed_agent_run_count: 0,
      execute_failures: 0,
      refund_streak: 1,
    });
  });

  it.each([
    ['it may not be retried', { retryable: false }, {}, 'run_failed', 'Three tests fail.'],
    ['the attempts of the phase are used up', {}, { execute_failures: 2 }, 'attempts_exhausted', undefined],
    ['the run budget is used up', {}, { max_agent_runs: 1 }, 'budget_exhausted', undefined],
  ])('fails the task when %s', async (_when, change, task, code, message) => {
    const run = await startedRun(app, organization.id);
    for (const [column, value] of Object.entries(task))
      await app.db.query(`update task set ${column} = $2 where id = $1`, [run.taskId, value]);
    const { body } = await fail(run, change);
    expect(body.data).toMatchObject({ status: 'failed', taskStatus: 'failed', runRequestStatus: 'failed' });
    const rows = await rowsOf(app, run);
    expect(rows.task.result).toEqual({
      kind: 'failed',
      code,
      message: message ?? expect.any(String),
      runId: run.runId,
    });
    expect(rows.request.status).toBe('failed');
  });

  it('fails the task when the attempts of the request are used up', async () => {
    const run = await startedRun(app, organization.id);
    await app.db.query(`update run_request set attempt_count = 3 where id = $1`, [run.runRequestId]);
    await fail(run, { class: 'infrastructure' });
    expect((await rowsOf(app, run)).task.result.code).toBe('attempts_exhausted');
  });

  it('asks a person when credit was given back three times in a row', async () => {
    const run = await startedRun(app, organization.id);
    await app.db.query(`update task set refund_streak = 3 where id = $1`, [run.taskId]);
    await fail(run, { class: 'infrastructure' });
    expect((await rowsOf(app, run)).task).toMatchObject({ status: 'blocked', blockers: [{ kind: 'operator' }] });
    const { body } = await owner.get(`/organizations/${organization.id}/human-inbox?taskId=${run.taskId}`);
    expect(body.data).toMatchObject([{ kind: 'question', blocking: true, openedBy: { kind: 'system' } }]);
  });

  it('gives a repeat the stored answer', async () => {
    const run = await startedRun(app, organization.id);
    const first = await fail(run);
    const rows = await rowsOf(app, run);
    const again = await fail(run);
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect(await rowsOf(app, run)).toEqual(rows);
  });

  it('ends a run that an owner cancelled as cancelled, and its task as failed', async () => {
    const run = await startedRun(app, organization.id);
    await owner.post(`/organizations/${organization.id}/runs/${run.runId}/cancel`, {});
    const { body } = await fail(run);
    expect(body.data).toMatchObject({ status: 'cancelled', taskStatus: 'failed', runRequestStatus: 'cancelled' });
    expect((await rowsOf(app, run)).task.result.code).toBe('run_cancelled');
  });

  it('gives the task another run where the owner wanted that', async () => {
    const run = await startedRun(app, organization.id);
    await owner.post(`/organizations/${organization.id}/runs/${run.runId}/cancel`, { requeue: true });
    const { body } = await fail(run);
    expect(body.data).toMatchObject({ status: 'cancelled', taskStatus: 'pending', runRequestStatus: 'cancelled' });
    const { request } = await rowsOf(app, run);
    expect(request).toMatchObject({ status: 'queued', attempt_count: 0 });
    expect(request.id).not.toBe(run.runRequestId);
  });
});

describe('POST /internal/runs/{runId}/fail: 400', () => {
  it.each<[string, object, string, string]>([
    ['no error', { error: undefined }, 'error', 'required'],
    ['a code that is no text', { error: { ...error, code: 5 } }, 'error.code', 'wrong_type'],
    ['an unknown class', { error: { ...error, class: 'mood' } }, 'error.class', 'unknown_value'],
    ['the class of cancellations', { error: { ...error, class: 'cancelled' } }, 'error.class', 'unknown_value'],
    ['more than a day', { error: { ...error, retryAfterSeconds: 86_401 } }, 'error.retryAfterSeconds', 'out_of_range'],
  ])('refuses %s', async (_what, body, path, code) => {
    const run = await startedRun(app, organization.id);
    const before = await rowsOf(app, run);
    const answer = await onRun(app, run, 'fail', { error, ...body });
    expect([answer.status, answer.body.error.issues]).toEqual([400, [expect.objectContaining({ path, code })]]);
    expect(await rowsOf(app, run)).toEqual(before);
  });
});

describe('POST /internal/runs/{runId}/fail: 409', () => {
  it('`run_lease_expired` for another token, and after expiry', async () => {
    const run = await startedRun(app, organization.id);
    expect((await fail({ ...run, leaseToken: 'other' })).body.error.code).toBe('run_lease_expired');
    await app.db.query(`update run set lease_expires_at = clock_timestamp() where id = $1`, [run.runId]);
    await app.runJob('runs-expire');
    expect((await fail(run)).body.error.code).toBe('run_lease_expired');
    const { task, request, runs } = await rowsOf(app, run);
    expect(runs[0]).toMatchObject({ status: 'expired', error: { code: 'lease_expired', class: 'infrastructure' } });
    expect(request.status).toBe('queued');
    expect(task).toMatchObject({ status: 'pending', consumed_agent_run_count: 0, agent_run_count: 1 });
  });
});
