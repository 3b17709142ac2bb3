import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { createTask, endTask, readTask, type ShownTask, taskBody } from '../../support/factories/tasks.ts';
import { startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let path: string;
let operatorRun: StartedRun;
let operator: Client;
let growth: Client;
let mine: ShownTask;
let others: ShownTask;

beforeAll(async () => {
  path = `/internal/agent/organizations/${organization.id}/tasks`;
  operatorRun = await startedRun(app, organization.id, { profile: 'operator' });
  operator = app.client(operatorRun.executionToken);
  growth = app.client((await startedRun(app, organization.id, { profile: 'growth' })).executionToken);
  mine = await createTask(owner, organization.id, { title: 'Mine', ownerAgentProfileKey: 'growth' });
  others = await createTask(owner, organization.id, {
    title: 'Others',
    ownerAgentProfileKey: 'support',
    dependsOn: [{ taskRef: mine.id }],
  });
});

describe('POST /internal/agent/organizations/{organizationId}/tasks: 400', () => {
  it('knows no parent: children come from plans', async () => {
    const { status, body } = await operator.post(path, taskBody({ parentRef: mine.id }));
    expect([status, body.error.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'parentRef', code: 'unknown_property' })],
    ]);
  });
});

describe('GET /internal/agent/organizations/{organizationId}/tasks', () => {
  it('shows a department its own, the operator all', async () => {
    const titles = async (client: Client) =>
      new Set((await client.get(path)).body.data.map(({ title }: ShownTask & { title: string }) => title));
    expect(await titles(growth)).toEqual(new Set(['Mine', 'A task']));
    expect(await titles(operator)).toEqual(new Set(['Mine', 'Others', 'A task']));
    const asOwner = (await owner.get(`/organizations/${organization.id}/tasks?search=mine`)).body.data;
    expect((await growth.get(`${path}?search=mine`)).body.data).toEqual(asOwner);
  });

  it('reads one, and its graph, as far as they are seen', async () => {
    expect((await growth.get(`${path}/${mine.identifier}`)).body.data.id).toBe(mine.id);
    const hidden = await growth.get(`${path}/${others.id}`);
    const unknown = await growth.get(`${path}/${randomUUID()}`);
    expect([hidden.status, hidden.body.error]).toEqual([404, { code: 'not_found' }]);
    expect(unknown.body.error).toEqual(hidden.body.error);
    expect((await growth.get(`${path}/${others.id}/graph`)).body.error.code).toBe('not_found');
    expect((await growth.get(`${path}/${mine.id}/graph`)).body.data).toMatchObject({
      relatedTasks: [],
      dependencies: [],
    });
    expect((await operator.get(`${path}/${mine.id}/graph`)).body.data).toMatchObject({
      relatedTasks: [{ id: others.id }],
      dependencies: [{ taskId: others.id }],
    });
  });

  it('lets in nobody but executions', async () => {
    for (const client of [app.anonymous, app.service, owner])
      expect((await client.get(path)).body.error.code).toBe('agent_unauthorized');
  });
});

describe('POST /internal/agent/organizations/{organizationId}/tasks', () => {
  it('makes a task of the operator’s run', async () => {
    const { status, body } = await operator.post(
      path,
      taskBody({ dedupeKey: 'agent', dependsOn: [{ taskRef: mine.id }] }),
    );
    expect([status, body.data]).toMatchObject([
      201,
      { createdByRunId: operatorRun.runId, status: 'blocked', sourceChatId: null },
    ]);
    const again = await operator.post(path, taskBody({ dedupeKey: 'agent' }));
    expect([again.status, again.body.data.id]).toEqual([200, body.data.id]);
    const activity = await owner.get(
      `/organizations/${organization.id}/activity?verb=task.created&subjectId=${body.data.id}`,
    );
    expect(activity.body.data).toMatchObject([{ actor: { kind: 'agent' } }]);
  });

  it('not of a department’s run, nor of one that verifies', async () => {
    const verifying = await organizationOf(owner);
    const run = await startedRun(app, verifying, { profile: 'operator', phase: 'verify' });
    const elsewhere = `/internal/agent/organizations/${verifying}/tasks`;
    for (const answer of [
      await growth.post(path, taskBody()),
      await app.client(run.executionToken).post(elsewhere, taskBody()),
      await growth.post(`${path}/${mine.id}/cancel`),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([401, 'agent_unauthorized']);
  });

  it('refuses provenance that the caller makes up', async () => {
    const { body } = await operator.post(path, taskBody({ createdByRunId: randomUUID() }));
    expect(body.error.issues).toMatchObject([{ path: 'createdByRunId', code: 'unknown_property' }]);
  });

  it('makes none while the profile is disabled, nor after the run’s end', async () => {
    const elsewhere = await organizationOf(owner);
    const run = await startedRun(app, elsewhere, { profile: 'operator' });
    const agent = app.client(run.executionToken);
    const tasks = `/internal/agent/organizations/${elsewhere}/tasks`;
    await owner.patch(`/organizations/${elsewhere}/agent-profiles/${run.agentProfileId}`, { status: 'disabled' });
    expect((await agent.get(tasks)).status).toBe(200);
    expect((await agent.post(tasks, taskBody())).body.error.code).toBe('state_conflict');
    await app.db.query(`update run set lease_expires_at = now() where id = $1`, [run.runId]);
    expect((await agent.get(tasks)).body.error.code).toBe('state_conflict');
  });
});

describe('POST /internal/agent/organizations/{organizationId}/tasks/{taskRef}/cancel', () => {
  it('cancels as an owner does', async () => {
    const { id, identifier } = await createTask(owner, organization.id);
    const { status, body } = await operator.post(`${path}/${identifier}/cancel`);
    expect([status, body.data]).toMatchObject([200, { id, status: 'cancelled' }]);
    expect((await operator.post(`${path}/${id}/cancel`)).status).toBe(200);
    const done = await createTask(owner, organization.id);
    await endTask(app, organization.id, done.id);
    expect((await operator.post(`${path}/${done.id}/cancel`)).body.error.code).toBe('state_conflict');
    expect(await readTask(owner, organization.id, done.id)).toMatchObject({ status: 'completed' });
    expect((await operator.post(`${path}/OPS-999/cancel`)).body.error.code).toBe('not_found');
  });
});
