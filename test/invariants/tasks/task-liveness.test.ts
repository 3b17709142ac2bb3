import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { createTask, endTask, readTask, requestsOf, taskBody } from '../../support/factories/tasks.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

let app: TestApp;
let owner: Client;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterAll(() => app.close());

describe('a task that nobody would move', () => {
  const lose = (id: string) =>
    app.db.query(
      `with gone as (update run_request set status = 'superseded' where task_id = $1)
       update task set updated_at = now() - interval '1 minute' where id = $1`,
      [id],
    );

  it('gets a new request, and fails honestly when that happens again', async () => {
    const { id } = await createTask(owner, organizationId);
    const untouched = await createTask(owner, organizationId);
    await lose(id);
    await app.runJob('task-liveness');
    expect(await requestsOf(app, id)).toEqual(['superseded', 'queued']);
    expect(await readTask(owner, organizationId, id)).toMatchObject({ status: 'pending', version: 2 });
    await lose(id);
    await app.runJob('task-liveness');
    expect(await readTask(owner, organizationId, id)).toMatchObject({
      status: 'failed',
      result: { kind: 'failed', code: 'liveness_violation', runId: null },
    });
    expect(await requestsOf(app, untouched.id)).toEqual(['queued']);
    // An owner may let it try again, with a first repair of its own.
    await owner.post(`/organizations/${organizationId}/tasks/${id}/retry`);
    await lose(id);
    await app.runJob('task-liveness');
    expect(await readTask(owner, organizationId, id)).toMatchObject({ status: 'pending' });
  });

  it('is none that is blocked, or waits for its time', async () => {
    const prerequisite = await createTask(owner, organizationId);
    const blocked = await createTask(owner, organizationId, { dependsOn: [{ taskRef: prerequisite.id }] });
    const later = await createTask(owner, organizationId, { scheduledAt: '2999-01-01T00:00:00Z' });
    await app.db.query(`update task set updated_at = now() - interval '1 minute' where organization_id = $1`, [
      organizationId,
    ]);
    await app.runJob('task-liveness');
    expect(await requestsOf(app, blocked.id)).toEqual([]);
    expect(await requestsOf(app, later.id)).toEqual(['queued']);
  });
});

describe('the tasks of a deleted profile', () => {
  it('are cancelled, with their descendants', async () => {
    const profiles = `/organizations/${organizationId}/agent-profiles`;
    const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const { id: ownerAgentProfileId } = (await owner.post(profiles, profile)).body.data;
    const tasks = `/organizations/${organizationId}/tasks`;
    const mine = await createTask(owner, organizationId, { ownerAgentProfileId });
    const below = await createTask(owner, organizationId, { parentRef: mine.id });
    const done = await createTask(owner, organizationId, { ownerAgentProfileId });
    await endTask(app, organizationId, done.id);
    const others = await createTask(owner, organizationId);
    await owner.delete(`${profiles}/${ownerAgentProfileId}`);
    await app.runJob('tasks-of-deleted-profiles');
    const result = { kind: 'cancelled', code: 'profile_deleted' };
    expect(await readTask(owner, organizationId, mine.id)).toMatchObject({ status: 'cancelled', result });
    expect(await readTask(owner, organizationId, below.id)).toMatchObject({ status: 'cancelled', result });
    expect(await readTask(owner, organizationId, done.id)).toMatchObject({ status: 'completed' });
    expect(await readTask(owner, organizationId, others.id)).toMatchObject({ status: 'pending' });
    const refused = await owner.post(tasks, taskBody({ ownerAgentProfileId }));
    expect(refused.body.error.issues).toMatchObject([{ path: 'ownerAgentProfileId', code: 'unknown_reference' }]);
  });
});
