import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createTask, endTask, readTask, requestsOf, taskBody } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const retry = (ref: string, body?: object) => owner.post(`/organizations/${organization.id}/tasks/${ref}/retry`, body);
const read = (id: string) => readTask(owner, organization.id, id);
async function failed(overrides: Record<string, unknown> = {}) {
  const task = await createTask(owner, organization.id, overrides);
  await endTask(app, organization.id, task.id, 'failed');
  return task;
}

describe('POST /organizations/{organizationId}/tasks/{taskRef}/retry: 200', () => {
  it('makes a failed task runnable again; attempts count anew, runs do not', async () => {
    const { id } = await failed();
    await app.db.query(
      'update task set execute_failures = 3, plan_failures = 2, consumed_agent_run_count = 5, agent_run_count = 6 where id = $1',
      [id],
    );
    const { status, body } = await retry(id);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'pending',
      version: 3,
      result: null,
      completedAt: null,
      agentRunCount: 6,
      consumedAgentRunCount: 5,
    });
    expect(await requestsOf(app, id)).toEqual(['failed', 'queued']);
    const { rows } = await app.db.query('select execute_failures, plan_failures from task where id = $1', [id]);
    expect(rows).toEqual([{ execute_failures: 0, plan_failures: 2 }]);
    const activity = (await owner.get(`/organizations/${organization.id}/activity?verb=task.retried&subjectId=${id}`))
      .body;
    expect(activity.data).toHaveLength(1);
  });

  it('lets dependents wait again, unless they went on without it', async () => {
    const { id } = await createTask(owner, organization.id);
    const needs = await createTask(owner, organization.id, { dependsOn: [{ taskRef: id }] });
    const wants = await createTask(owner, organization.id, { dependsOn: [{ taskRef: id, required: false }] });
    await endTask(app, organization.id, id, 'failed');
    expect(await read(needs.id)).toMatchObject({ state: { blockers: [{ kind: 'dependency_failed' }] } });
    expect(await read(wants.id)).toMatchObject({ status: 'pending' });
    await retry(id);
    expect(await read(needs.id)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ kind: 'dependency', dependsOnTaskId: id }] },
    });
    expect(await read(wants.id)).toMatchObject({ status: 'pending', state: { blockers: [] } });
    const edges = (await owner.get(`/organizations/${organization.id}/task-dependencies?dependsOnTaskId=${id}`)).body
      .data;
    expect(edges).toMatchObject([
      { status: 'pending', failure: null, failedAt: null },
      { status: 'pending', failure: null, failedAt: null },
    ]);
    await endTask(app, organization.id, id);
    expect(await read(needs.id)).toMatchObject({ status: 'pending' });
    expect(await requestsOf(app, needs.id)).toEqual(['queued']);
    expect(await requestsOf(app, wants.id)).toEqual(['queued']);
  });

  it('takes a higher budget where the old one is used up', async () => {
    const { id } = await failed({ spec: { objective: 'x', budget: { maxAgentRuns: 2 } } });
    await app.db.query('update task set consumed_agent_run_count = 2 where id = $1', [id]);
    for (const body of [undefined, {}, { maxAgentRuns: 2 }]) {
      const refused = await retry(id, body);
      expect([refused.status, refused.body.error]).toMatchObject([
        409,
        { code: 'state_conflict', issues: [{ path: 'maxAgentRuns', code: 'budget_exhausted' }] },
      ]);
    }
    const { status, body } = await retry(id, { maxAgentRuns: 3 });
    expect([status, body.data.spec.budget.maxAgentRuns]).toEqual([200, 3]);
  });
});

describe('POST /organizations/{organizationId}/tasks/{taskRef}/retry: 400 and 404', () => {
  it.each([
    [{ maxAgentRuns: 0 }, 'maxAgentRuns', 'out_of_range'],
    [{ maxAgentRuns: '3' }, 'maxAgentRuns', 'wrong_type'],
    [{ runs: 3 }, 'runs', 'unknown_property'],
  ])('refuses %j', async (body, path, code) => {
    const answer = await retry((await failed()).id, body);
    expect([answer.status, answer.body.error.issues]).toMatchObject([400, [{ path, code }]]);
  });

  it('knows no such task', async () => {
    const { status, body } = await retry(randomUUID());
    expect([status, body.error.code]).toEqual([404, 'task_not_found']);
  });
});

describe('POST /organizations/{organizationId}/tasks/{taskRef}/retry: 409', () => {
  it('unless it has failed', async () => {
    const [pending, completed] = [await createTask(owner, organization.id), await createTask(owner, organization.id)];
    await endTask(app, organization.id, completed.id);
    const cancelled = await createTask(owner, organization.id);
    await owner.post(`/organizations/${organization.id}/tasks/${cancelled.id}/cancel`);
    for (const { id } of [pending, completed, cancelled]) expect((await retry(id)).status).toBe(409);
  });

  it('under a parent that has ended', async () => {
    const parent = await createTask(owner, organization.id);
    const child = await failed({ parentRef: parent.id });
    await endTask(app, organization.id, parent.id);
    expect((await retry(child.id)).status).toBe(409);
  });

  it('while another task has its dedupeKey, also when both come at once', async () => {
    const dedupeKey = randomUUID();
    const first = await failed({ dedupeKey });
    const second = await failed({ dedupeKey });
    const answers = await Promise.all([
      retry(first.id),
      retry(second.id),
      owner.post(`/organizations/${organization.id}/tasks`, taskBody({ dedupeKey })),
    ]);
    const { rows } = await app.db.query(
      `select status from task where dedupe_key = $1 and status in ('pending', 'blocked')`,
      [dedupeKey],
    );
    expect(rows).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200 || status === 201).length).toBeGreaterThan(0);
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
  });
});
