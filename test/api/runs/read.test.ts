import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createOrganization, organizationOf } from '../../support/client.ts';
import { runRow } from '../../support/factories/engine-rows.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;
let growth: { id: string };

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  organizationId = organization.id;
  growth = agentProfiles.find(({ key }: { key: string }) => key === 'growth');
});

const read = (id: string, client: Client = owner) => client.get(`/organizations/${organizationId}/runs/${id}`);

describe('GET /organizations/{organizationId}/runs/{id}: 200', () => {
  it('shows a live run with its lease', async () => {
    const { runId, taskId, requestId } = await runRow(app, organizationId, growth.id);
    const { status, body } = await read(runId.toUpperCase());
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: runId,
      taskId,
      runRequestId: requestId,
      agentProfile: {
        id: growth.id,
        key: 'growth',
        name: 'Growth',
        kind: 'department',
        department: 'growth',
        status: 'enabled',
      },
      attempt: 1,
      mode: 'execute',
      status: 'running',
      model: 'default',
      workerId: 'worker-1',
      harness: null,
      workspaceUri: null,
      leaseExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
      output: null,
      error: null,
      usage: { inputTokens: 0, outputTokens: 0, toolCalls: 0, costMinorUnits: 0 },
      receipts: [],
      startedAt: expect.any(String),
      finishedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(JSON.stringify(body)).not.toContain('lease-');
  });

  it('shows output, error and receipts of one that ended', async () => {
    const output = { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', artifacts: [] } };
    const receipts = [{ kind: 'command', id: '1', commandHash: 'a'.repeat(64), status: 'completed', exitCode: 0 }];
    const { runId } = await runRow(app, organizationId, growth.id, {
      request: { status: 'completed' },
      run: { status: 'succeeded', output, receipts, finished_at: '2026-03-01T09:30:00Z' },
    });
    expect((await read(runId)).body.data).toMatchObject({
      status: 'succeeded',
      output,
      receipts,
      leaseExpiresAt: null,
    });
    const error = {
      code: 'x',
      message: 'y',
      class: 'agent',
      retryable: true,
      retryAfterSeconds: null,
      at: '2026-03-01T09:30:00.000000Z',
    };
    const failed = await runRow(app, organizationId, growth.id, {
      request: { status: 'failed' },
      run: { status: 'failed', error },
    });
    expect((await read(failed.runId)).body.data).toMatchObject({ status: 'failed', error });
  });

  it('still shows a profile that was deleted', async () => {
    const profile = { key: 'growth-gone', name: 'Gone', kind: 'department', department: 'growth' };
    const { id } = (await owner.post(`/organizations/${organizationId}/agent-profiles`, profile)).body.data;
    const { runId } = await runRow(app, organizationId, id, {
      request: { status: 'failed' },
      run: { status: 'failed' },
    });
    await owner.delete(`/organizations/${organizationId}/agent-profiles/${id}`);
    expect((await read(runId)).body.data.agentProfile).toMatchObject({ key: 'growth-gone', status: 'disabled' });
  });
});

describe('GET /organizations/{organizationId}/runs/{id}: 400', () => {
  it('wants a UUID', async () => {
    expect((await read('1')).status).toBe(400);
  });
});

describe('GET /organizations/{organizationId}/runs/{id}: 401', () => {
  it('wants an owner', async () => {
    for (const client of [app.anonymous, app.service]) expect((await read(randomUUID(), client)).status).toBe(401);
  });
});

describe('GET /organizations/{organizationId}/runs/{id}: 404', () => {
  it('answers `run_not_found` for an unknown id and one of another organization', async () => {
    const { runId } = await runRow(app, organizationId, growth.id);
    const elsewhere = await organizationOf(owner);
    for (const answer of [await read(randomUUID()), await owner.get(`/organizations/${elsewhere}/runs/${runId}`)])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'run_not_found']);
  });
});
