import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { owner, organization } = useOrganization();
let path: string;

beforeAll(() => {
  path = `/organizations/${organization.id}/run-requests`;
});

describe('GET /organizations/{organizationId}/run-requests', () => {
  it('lists the newest first, as each is read', async () => {
    const [one, two] = [
      await createTask(owner, organization.id),
      await createTask(owner, organization.id, { priority: 9 }),
    ];
    const { body } = await owner.get(path);
    expect(body.data.map(({ taskId }: { taskId: string }) => taskId)).toEqual([two.id, one.id]);
    expect(body.data[0]).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      taskId: two.id,
      agentProfileId: expect.any(String),
      mode: 'execute',
      status: 'queued',
      executionClass: 'standard',
      priority: 9,
      dedupeKey: `${two.id}:execute:1`,
      taskVersion: 1,
      taskGraphRevision: 1,
      state: { waitingOn: [], releaseCount: 0 },
      availableAt: expect.stringMatching(/\.\d{6}Z$/),
      claimedAt: null,
      cancelRequestedAt: null,
      attemptCount: 0,
      maxAttempts: 3,
      lastRunId: null,
      lastError: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    for (const request of body.data) expect((await owner.get(`${path}/${request.id}`)).body.data).toEqual(request);
  });

  it('filters and pages by id', async () => {
    const task = await createTask(owner, organization.id, { priority: -3, scheduledAt: '2999-01-01T00:00:00Z' });
    await owner.post(`/organizations/${organization.id}/tasks/${(await createTask(owner, organization.id)).id}/cancel`);
    const list = async (query: string) => (await owner.get(`${path}?${query}`)).body;
    const [request] = (await list(`taskId=${task.id}`)).data;
    expect((await list('priority=-3')).data).toEqual([request]);
    expect((await list('status=cancelled')).data).toHaveLength(1);
    expect(
      (await list(`agentProfileId=${request.agentProfileId}&status=queued&availableBefore=2998-01-01T00:00:00Z`)).data,
    ).not.toContainEqual(request);
    expect((await list(`agentProfileId=${randomUUID()}`)).data).toEqual([]);
    const first = await list('limit=1');
    expect(first.pagination.nextCursor).toBe(first.data[0].id);
    expect((await list(`limit=1&cursor=${first.data[0].id}`)).data).toEqual([request]);
  });

  it.each([
    ['status=gone', 'status', 'invalid_item'],
    ['cursor=1', 'cursor', 'invalid_uuid'],
    ['taskId=OPS-1', 'taskId', 'invalid_uuid'],
    ['availableBefore=soon', 'availableBefore', 'invalid_timestamp'],
  ])('refuses %s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path}?${query}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
  });

  it('counts what waits in the work dispatch', async () => {
    const elsewhere = await organizationOf(owner);
    await createTask(owner, elsewhere);
    await createTask(owner, elsewhere, { scheduledAt: '2999-01-01T00:00:00Z' });
    const { body } = await owner.get(`/organizations/${elsewhere}/work-dispatch`);
    expect(body.data).toMatchObject({ queuedRunRequests: 2, runningRuns: 0 });
  });
});

describe('GET /organizations/{organizationId}/run-requests/{id}: 404', () => {
  it('for what is not there', async () => {
    const { status, body } = await owner.get(`${path}/${randomUUID()}`);
    expect([status, body.error.code]).toEqual([404, 'run_request_not_found']);
  });
});
