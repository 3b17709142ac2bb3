import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask, endTask, readTask, requestsOf } from '../../support/factories/tasks.ts';
import { startClaimed } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const cancel = (ref: string, headers = {}) =>
  owner.post(`/organizations/${organization.id}/tasks/${ref}/cancel`, undefined, headers);

describe('POST /organizations/{organizationId}/tasks/{taskRef}/cancel: 200', () => {
  it('cancels a task with its request, once', async () => {
    const task = await createTask(owner, organization.id);
    const { status, body } = await cancel(task.identifier.toLowerCase());
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: task.id,
      status: 'cancelled',
      version: 2,
      result: { kind: 'cancelled', code: 'cancelled', message: 'The task was cancelled.', runId: null },
      completedAt: expect.any(String),
    });
    expect(await requestsOf(app, task.id)).toEqual(['cancelled']);
    const again = await cancel(task.id);
    expect([again.status, again.body.data]).toEqual([200, body.data]);
    const path = `/organizations/${organization.id}/activity?verb=task.cancelled&subjectId=${task.id}`;
    expect((await owner.get(path)).body.data).toMatchObject([
      { actor: { kind: 'owner' }, details: { code: 'cancelled' } },
    ]);
  });

  it('with its unfinished descendants, and settles who waits for them', async () => {
    const root = await createTask(owner, organization.id);
    const child = await createTask(owner, organization.id, { parentRef: root.id });
    const done = await createTask(owner, organization.id, { parentRef: root.id });
    const grandchild = await createTask(owner, organization.id, {
      parentRef: done.id,
      dependsOn: [{ taskRef: child.id }],
    });
    await endTask(app, organization.id, done.id);
    const [needs, wants] = [
      await createTask(owner, organization.id, { dependsOn: [{ taskRef: grandchild.id }] }),
      await createTask(owner, organization.id, { dependsOn: [{ taskRef: grandchild.id, required: false }] }),
    ];
    await cancel(root.id);
    const read = async (id: string) => (await readTask(owner, organization.id, id)).status;
    expect(await Promise.all([root, child, done, grandchild].map(({ id }) => read(id)))).toEqual([
      'cancelled',
      'cancelled',
      'completed',
      'cancelled',
    ]);
    expect(await readTask(owner, organization.id, needs.id)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ kind: 'dependency_failed', dependsOnTaskId: grandchild.id }] },
    });
    expect(await read(wants.id)).toBe('pending');
    const edge = await owner.get(`/organizations/${organization.id}/task-dependencies/${needs.id}/${grandchild.id}`);
    expect(edge.body.data).toMatchObject({
      status: 'failed',
      failure: { code: 'prerequisite_cancelled', message: expect.any(String) },
      failedAt: expect.any(String),
    });
  });

  it('asks a live run to stop, and leaves its request to it', async () => {
    const elsewhere = await organizationOf(owner);
    const { id } = await createTask(owner, elsewhere);
    const { runRequestId, runId } = await startClaimed(app, elsewhere);
    const running = (await owner.get(`/organizations/${elsewhere}/tasks/${id}`)).body.data;
    expect(running).toMatchObject({
      status: 'running',
      state: { activeRunIds: [runId] },
      startedAt: expect.any(String),
    });
    await owner.post(`/organizations/${elsewhere}/tasks/${id}/cancel`);
    const request = (await owner.get(`/organizations/${elsewhere}/run-requests/${runRequestId}`)).body.data;
    expect(request).toMatchObject({ status: 'running', cancelRequestedAt: expect.any(String) });
  });

  it('cancels once for two at once, and finds children that come in meanwhile', async () => {
    const root = await createTask(owner, organization.id);
    const children = Array.from({ length: 4 }, () =>
      owner.post(`/organizations/${organization.id}/tasks`, {
        title: 'x',
        spec: { objective: 'x' },
        parentRef: root.id,
      }),
    );
    const answers = await Promise.all([cancel(root.id), cancel(root.id), ...children]);
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    const { rows } = await app.db.query('select status, version from task where root_task_id = $1 and id <> $1', [
      root.id,
    ]);
    expect(rows.filter(({ status, version }) => status !== 'cancelled' || version !== 2)).toEqual([]);
    for (const { status } of answers.slice(2)) expect([201, 409]).toContain(status);
  });

  it('answers a repeat of an Idempotency-Key', async () => {
    const { id } = await createTask(owner, organization.id);
    const key = { 'idempotency-key': randomUUID() };
    const [one, again] = [await cancel(id, key), await cancel(id, key)];
    expect(again.body.data).toEqual(one.body.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('POST /organizations/{organizationId}/tasks/{taskRef}/cancel: 404 and 409', () => {
  it('knows no such task', async () => {
    for (const ref of [randomUUID(), 'OPS-999']) {
      const { status, body } = await cancel(ref);
      expect([status, body.error.code]).toEqual([404, 'task_not_found']);
    }
  });

  it.each(['completed', 'failed'] as const)('for one that has %s', async (end) => {
    const { id } = await createTask(owner, organization.id);
    await endTask(app, organization.id, id, end);
    const { status, body } = await cancel(id);
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});
