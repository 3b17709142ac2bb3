import { describe, expect, it } from '@jest/globals';
import { createTask, endTask, readTask, requestsOf, taskBody } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownDatabase: true });

describe('a task that nobody would move', () => {
  const lose = (id: string) =>
    app.db.query(
      `with gone as (update run_request set status = 'superseded' where task_id = $1)
       update task set updated_at = now() - interval '1 minute' where id = $1`,
      [id],
    );

  const questionOf = async (id: string) => {
    const { body } = await owner.get(`/organizations/${organization.id}/human-inbox?taskId=${id}&status=open`);
    expect(body.data).toMatchObject([{ kind: 'question', blocking: true, openedBy: { kind: 'system' } }]);
    return body.data[0].id as string;
  };
  const answer = (item: string, response: string) =>
    owner.post(`/organizations/${organization.id}/human-inbox/${item}/respond`, { response });

  it('gets a new request, and is put before a person when that happens again', async () => {
    const { id } = await createTask(owner, organization.id);
    const untouched = await createTask(owner, organization.id);
    await lose(id);
    await app.runJob('task-liveness');
    expect(await requestsOf(app, id)).toEqual(['superseded', 'queued']);
    expect(await readTask(owner, organization.id, id)).toMatchObject({ status: 'pending', version: 2 });
    await lose(id);
    await app.runJob('task-liveness');
    const question = await questionOf(id);
    expect(await readTask(owner, organization.id, id)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ kind: 'operator', inboxItemId: question }] },
    });
    expect(await requestsOf(app, untouched.id)).toEqual(['queued']);
    // A person lets it try again, with a first repair of its own.
    expect((await answer(question, 'retry')).status).toBe(200);
    expect(await requestsOf(app, id)).toEqual(['superseded', 'superseded', 'queued']);
    await lose(id);
    await app.runJob('task-liveness');
    expect(await readTask(owner, organization.id, id)).toMatchObject({ status: 'pending', state: { blockers: [] } });
    await lose(id);
    await app.runJob('task-liveness');
    expect((await answer(await questionOf(id), 'cancel')).body.data).toMatchObject({ status: 'answered' });
    expect(await readTask(owner, organization.id, id)).toMatchObject({ status: 'cancelled' });
  });

  it('is none that is blocked, or waits for its time', async () => {
    const prerequisite = await createTask(owner, organization.id);
    const blocked = await createTask(owner, organization.id, { dependsOn: [{ taskRef: prerequisite.id }] });
    const later = await createTask(owner, organization.id, { scheduledAt: '2999-01-01T00:00:00Z' });
    await app.db.query(`update task set updated_at = now() - interval '1 minute' where organization_id = $1`, [
      organization.id,
    ]);
    await app.runJob('task-liveness');
    expect(await requestsOf(app, blocked.id)).toEqual([]);
    expect(await requestsOf(app, later.id)).toEqual(['queued']);
  });
});

describe('the tasks of a deleted profile', () => {
  it('are cancelled, with their descendants', async () => {
    const profiles = `/organizations/${organization.id}/agent-profiles`;
    const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const { id: ownerAgentProfileId } = (await owner.post(profiles, profile)).body.data;
    const tasks = `/organizations/${organization.id}/tasks`;
    const mine = await createTask(owner, organization.id, { ownerAgentProfileId });
    const below = await createTask(owner, organization.id, { parentRef: mine.id });
    const done = await createTask(owner, organization.id, { ownerAgentProfileId });
    await endTask(app, organization.id, done.id);
    const others = await createTask(owner, organization.id);
    await owner.delete(`${profiles}/${ownerAgentProfileId}`);
    await app.runJob('tasks-of-deleted-profiles');
    const result = { kind: 'cancelled', code: 'profile_deleted' };
    expect(await readTask(owner, organization.id, mine.id)).toMatchObject({ status: 'cancelled', result });
    expect(await readTask(owner, organization.id, below.id)).toMatchObject({ status: 'cancelled', result });
    expect(await readTask(owner, organization.id, done.id)).toMatchObject({ status: 'completed' });
    expect(await readTask(owner, organization.id, others.id)).toMatchObject({ status: 'pending' });
    const refused = await owner.post(tasks, taskBody({ ownerAgentProfileId }));
    expect(refused.body.error.issues).toMatchObject([{ path: 'ownerAgentProfileId', code: 'unknown_reference' }]);
  });
});
