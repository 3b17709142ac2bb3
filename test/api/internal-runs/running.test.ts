import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { lapseRun, onRun, rowsOf, type StartedRun, startedRun, WORKPLACE } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let run: StartedRun;
beforeEach(async () => {
  run = await startedRun(app, organization.id);
});

const running = (overrides: Record<string, unknown> = {}, of = run) =>
  onRun(app, of, 'running', { ...WORKPLACE, ...overrides });

describe('POST /internal/runs/{runId}/running: 200', () => {
  it('notes where the run runs', async () => {
    const { status, body } = await running();
    expect([status, body.data]).toEqual([200, { status: 'running', cancelRequested: false }]);
    const [row] = (await rowsOf(app, run)).runs;
    expect(row).toMatchObject({
      status: 'running',
      harness: WORKPLACE.harness,
      model: WORKPLACE.model,
      workspace_uri: WORKPLACE.workspaceUri,
    });
  });

  it('says that the run was asked to stop', async () => {
    await owner.post(`/organizations/${organization.id}/runs/${run.runId}/cancel`, {});
    expect((await running()).body.data).toEqual({ status: 'running', cancelRequested: true });
  });

  it('takes a repeat, and leaves request, task and lease alone', async () => {
    const before = await rowsOf(app, run);
    await running();
    const once = await rowsOf(app, run);
    expect((await running()).status).toBe(200);
    const twice = await rowsOf(app, run);
    expect(twice).toEqual(once);
    expect([once.task, once.request]).toEqual([before.task, before.request]);
    expect(once.runs[0].lease_expires_at).toEqual(before.runs[0].lease_expires_at);
  });
});

describe('POST /internal/runs/{runId}/running: 400', () => {
  it.each(['harness', 'model', 'workspaceUri', 'leaseToken'])('refuses a body without %s', async (path) => {
    const { status, body } = await running({ [path]: undefined });
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code: 'required' })]]);
  });
});

describe('POST /internal/runs/{runId}/running: 401', () => {
  it('refuses an owner', async () => {
    const { status, body } = await owner.post(`/internal/runs/${run.runId}/running`, {});
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('POST /internal/runs/{runId}/running: 409', () => {
  it('refuses to run elsewhere a second time', async () => {
    await running();
    const { status, body } = await running({ model: 'another' });
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'already_running']);
    expect((await rowsOf(app, run)).runs[0].model).toBe(WORKPLACE.model);
  });

  it.each<[string, () => Promise<StartedRun>]>([
    ['another token', async () => ({ ...run, leaseToken: 'x'.repeat(43) })],
    ['an unknown run', async () => ({ ...run, runId: randomUUID() })],
    ['an unknown organization', async () => ({ ...run, organizationId: randomUUID() })],
    ['a lapsed lease', async () => (await lapseRun(app, run), run)],
  ])('refuses %s', async (_what, given) => {
    const { status, body } = await running({}, await given());
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect((await rowsOf(app, run)).runs[0].status).toBe('starting');
  });
});
