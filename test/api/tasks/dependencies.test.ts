import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask, endTask, readTask, requestsOf, type ShownTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let path: string;

beforeAll(() => {
  path = `/organizations/${organization.id}/task-dependencies`;
});

async function edge(more: object = {}): Promise<{ task: ShownTask; prerequisite: ShownTask; at: string }> {
  const prerequisite = await createTask(owner, organization.id);
  const task = await createTask(owner, organization.id, { dependsOn: [{ taskRef: prerequisite.id, ...more }] });
  return { task, prerequisite, at: `${path}/${task.id}/${prerequisite.id}` };
}

describe('GET /organizations/{organizationId}/task-dependencies', () => {
  it('pages by <taskId>:<dependsOnTaskId>, in both directions and behind a row that is gone', async () => {
    const elsewhere = await organizationOf(owner);
    const list = `/organizations/${elsewhere}/task-dependencies`;
    const [a, b] = [await createTask(owner, elsewhere), await createTask(owner, elsewhere)];
    const one = await createTask(owner, elsewhere, { dependsOn: [{ taskRef: a.id }, { taskRef: b.id }] });
    const two = await createTask(owner, elsewhere, { dependsOn: [{ taskRef: a.id }] });
    const all = (await owner.get(`${list}?order=asc`)).body.data as { taskId: string; dependsOnTaskId: string }[];
    const keys = all.map(({ taskId, dependsOnTaskId }) => `${taskId}:${dependsOnTaskId}`);
    const expected = [one, one, two].map(({ id }, n) => `${id}:${[a, b, a][n]!.id}`);
    expect([...keys].sort()).toEqual([...expected].sort());
    const first = (await owner.get(`${list}?order=asc&limit=1`)).body;
    expect(first.pagination.nextCursor).toBe(keys[0]);
    const second = (await owner.get(`${list}?order=asc&limit=1&cursor=${keys[0]!.toUpperCase()}`)).body;
    expect(second.pagination).toMatchObject({ nextCursor: keys[1], hasPreviousPage: true });
    await app.db.query('delete from task_dependency where organization_id = $1 and task_id = $2', [elsewhere, one.id]);
    const rest = (await owner.get(`${list}?order=asc&cursor=${keys[0]}`)).body.data as { taskId: string }[];
    expect(rest.map(({ taskId }) => taskId)).toEqual(two.id > one.id ? [two.id] : []);
  });

  it('filters', async () => {
    const { task, prerequisite } = await edge();
    const count = async (query: string) => (await owner.get(`${path}?${query}`)).body.data.length as number;
    expect(await count(`taskId=${task.id}`)).toBe(1);
    expect(await count(`dependsOnTaskId=${prerequisite.id}&status=pending&status=failed`)).toBe(1);
    expect(await count(`dependsOnTaskId=${prerequisite.id}&status=satisfied`)).toBe(0);
    expect(await count(`taskId=${prerequisite.id}`)).toBe(0);
    expect(await count(`taskId=${task.id}&createdAfter=2999-01-01T00:00:00Z`)).toBe(0);
  });

  it.each([`cursor=${randomUUID()}`, 'cursor=a:b', 'cursor=:', `cursor=${randomUUID()}:x`])(
    'refuses %s',
    async (query) => {
      const { status, body } = await owner.get(`${path}?${query}`);
      expect([status, body.error.issues]).toMatchObject([400, [{ path: 'cursor', code: 'invalid_cursor' }]]);
    },
  );
});

describe('GET /organizations/{organizationId}/task-dependencies/{taskId}/{dependsOnTaskId}', () => {
  it('shows one as it settles', async () => {
    const { task, prerequisite, at } = await edge({ condition: { kind: 'artifact', artifactKind: 'report' } });
    expect((await owner.get(at)).body.data).toEqual({
      organizationId: organization.id,
      taskId: task.id,
      dependsOnTaskId: prerequisite.id,
      status: 'pending',
      required: true,
      condition: { kind: 'artifact', artifactKind: 'report' },
      failure: null,
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      satisfiedAt: null,
      failedAt: null,
    });
    await endTask(app, organization.id, prerequisite.id, 'completed', ['picture']);
    expect((await owner.get(at)).body.data).toMatchObject({
      status: 'failed',
      failure: { code: 'condition_unmet', message: expect.any(String) },
      failedAt: expect.any(String),
    });
    const met = await edge({ condition: { kind: 'artifact', artifactKind: 'report' } });
    await endTask(app, organization.id, met.prerequisite.id, 'completed', ['picture', 'report']);
    expect((await owner.get(met.at)).body.data).toMatchObject({ status: 'satisfied', satisfiedAt: expect.any(String) });
  });

  it('knows none that is not there', async () => {
    const { task, prerequisite } = await edge();
    for (const at of [`${prerequisite.id}/${task.id}`, `${task.id}/${randomUUID()}`]) {
      const { status, body } = await owner.get(`${path}/${at}`);
      expect([status, body.error.code]).toEqual([404, 'task_dependency_not_found']);
    }
  });
});

describe('POST /organizations/{organizationId}/task-dependencies/{taskId}/{dependsOnTaskId}/waive: 200', () => {
  it('lets the task go on, once', async () => {
    const { task, prerequisite, at } = await edge();
    const { status, body } = await owner.post(`${at}/waive`);
    expect([status, body.data]).toMatchObject([200, { status: 'waived', failure: null, satisfiedAt: null }]);
    expect(await readTask(owner, organization.id, task.id)).toMatchObject({ status: 'pending', graphRevision: 2 });
    expect((await owner.post(`${at}/waive`)).body.data).toEqual(body.data);
    expect(await requestsOf(app, task.id)).toEqual(['queued']);
    // What the prerequisite does later is nothing to it.
    await endTask(app, organization.id, prerequisite.id, 'failed');
    expect((await owner.get(at)).body.data.status).toBe('waived');
    expect(await readTask(owner, organization.id, task.id)).toMatchObject({ status: 'pending' });
    // Nor is it refused once its task has ended: it stands as asked for.
    await endTask(app, organization.id, task.id);
    const again = await owner.post(`${at}/waive`);
    expect([again.status, again.body.data.status]).toEqual([200, 'waived']);
    const activity = await owner.get(
      `/organizations/${organization.id}/activity?verb=task_dependency.waived&subjectId=${task.id}`,
    );
    expect(activity.body.data).toMatchObject([{ details: { dependsOnTaskId: prerequisite.id } }]);
  });

  it('of a failed one, and of one among several', async () => {
    const { task, prerequisite, at } = await edge();
    await endTask(app, organization.id, prerequisite.id, 'failed');
    expect((await owner.post(`${at}/waive`)).body.data).toMatchObject({ status: 'waived', failedAt: null });
    expect(await readTask(owner, organization.id, task.id)).toMatchObject({ status: 'pending' });

    const [one, other] = [await createTask(owner, organization.id), await createTask(owner, organization.id)];
    const both = await createTask(owner, organization.id, { dependsOn: [{ taskRef: one.id }, { taskRef: other.id }] });
    const waive = (id: string) => owner.post(`${path}/${both.id}/${id}/waive`);
    await waive(one.id);
    expect(await readTask(owner, organization.id, both.id)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ dependsOnTaskId: other.id }] },
    });
    await waive(other.id);
    expect(await requestsOf(app, both.id)).toEqual(['queued']);
  });
});

describe('POST …/waive: 404 and 409', () => {
  it('knows none that is not there', async () => {
    const { task } = await edge();
    for (const at of [`${task.id}/${randomUUID()}`, `${randomUUID()}/${task.id}`]) {
      const { status, body } = await owner.post(`${path}/${at}/waive`);
      expect([status, body.error.code]).toEqual([404, 'task_dependency_not_found']);
    }
  });

  it('of a satisfied one, or of a task that runs or has ended', async () => {
    const satisfied = await edge();
    await endTask(app, organization.id, satisfied.prerequisite.id);
    const [running, ended] = [await edge(), await edge()];
    await app.db.query(`update task set status = 'running' where id = $1`, [running.task.id]);
    await endTask(app, organization.id, ended.task.id, 'failed');
    for (const { at } of [satisfied, running, ended]) {
      const { status, body } = await owner.post(`${at}/waive`);
      expect([status, body.error.code]).toEqual([409, 'state_conflict']);
    }
  });
});
