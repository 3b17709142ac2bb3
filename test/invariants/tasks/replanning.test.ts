import { expect, it } from '@jest/globals';
import { createTask, readTask } from '../../support/factories/tasks.ts';
import { COMPLETED, onRun, startClaimed, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const agent = (run: StartedRun) => app.client(run.executionToken);
const execution = () => `/internal/agent/organizations/${organization.id}/execution`;

/** Stages a plan at the revision that the manifest shows, and completes with it. */
async function plan(run: StartedRun, operations: object[]): Promise<void> {
  const manifest = (await agent(run).get(execution())).body.data;
  const { graphRevision: expectedGraphRevision } = manifest.plan;
  const outcome = { kind: 'planned', summary: 'A plan.', expectedGraphRevision, operations };
  const staged = await agent(run).put(`${execution()}/outcome`, outcome);
  expect([staged.status, staged.body.error]).toEqual([200, undefined]);
  const result = { kind: 'planned', summary: 'A plan.' };
  const { status, body } = await onRun(app, run, 'complete', { output: { kind: 'task_result', result } });
  expect([status, body.error]).toEqual([200, undefined]);
}

const create = (ref: string, more: object = {}) => ({
  kind: 'create_task',
  ref,
  title: ref,
  spec: { objective: ref },
  ...more,
});

it('lets a parent replan when all its children that are left wait for one that failed', async () => {
  const parent = await createTask(owner, organization.id, { phase: 'plan' });
  await plan(await startClaimed(app, organization.id), [
    create('first', { ownerAgentProfileKey: 'growth' }),
    create('second', { ownerAgentProfileKey: 'growth', dependsOn: [{ taskRef: 'first' }] }),
    create('third', { ownerAgentProfileKey: 'growth', dependsOn: [{ taskRef: 'second' }] }),
  ]);
  expect((await readTask(owner, organization.id, parent.id)).status).toBe('blocked');

  const first = await startClaimed(app, organization.id);
  await onRun(app, first, 'fail', { error: { code: 'no', message: 'No.', retryable: false } });

  const again = await startClaimed(app, organization.id);
  expect(again.taskId).toBe(parent.id);
  const { children, plan: planning } = (await agent(again).get(execution())).body.data;
  expect(children.map(({ title, status }: { title: string; status: string }) => [title, status])).toEqual([
    ['first', 'failed'],
    ['second', 'blocked'],
    ['third', 'blocked'],
  ]);
  expect(planning.graphRevision).toBeGreaterThan(1);
  const edges = await owner.get(`/organizations/${organization.id}/task-dependencies?taskId=${parent.id}`);
  expect(edges.body.data.map(({ failure }: { failure: { code: string } }) => failure.code).sort()).toEqual([
    'prerequisite_blocked',
    'prerequisite_blocked',
    'prerequisite_failed',
  ]);

  const [failed, second] = children;
  await plan(again, [
    { kind: 'waive_dependency', task: second.taskId, dependsOn: failed.taskId },
    create('watch', { ownerAgentProfileKey: 'growth', dependsOn: [{ taskRef: children[2].taskId }] }),
  ]);
  for (const title of ['second', 'third', 'watch']) {
    const run = await startClaimed(app, organization.id);
    expect((await readTask(owner, organization.id, run.taskId)) as unknown).toMatchObject({ title });
    expect((await onRun(app, run, 'complete', COMPLETED)).status).toBe(200);
  }
  const last = await startClaimed(app, organization.id);
  expect(last).toMatchObject({ taskId: parent.id, mode: 'execute' });
  expect((await onRun(app, last, 'complete', COMPLETED)).body.data.taskStatus).toBe('completed');
});

it('keeps a department to its own tasks, in its plans too', async () => {
  await createTask(owner, organization.id, { ownerAgentProfileKey: 'growth', phase: 'plan' });
  const other = await createTask(owner, organization.id, { ownerAgentProfileKey: 'support', priority: -1 });
  const run = await startClaimed(app, organization.id);
  const { graphRevision } = (await agent(run).get(execution())).body.data.plan;
  const stage = (operation: object) =>
    agent(run).put(`${execution()}/outcome`, {
      kind: 'planned',
      summary: 'A plan.',
      expectedGraphRevision: graphRevision,
      operations: [operation],
    });
  const theirs = await stage(create('theirs', { ownerAgentProfileKey: 'support' }));
  expect([theirs.status, theirs.body.error.issues]).toEqual([
    409,
    [expect.objectContaining({ path: 'operations.0.ownerAgentProfileKey', code: 'other_department' })],
  ]);
  // Without a named owner it is the department's own.
  expect((await stage(create('nobodys'))).status).toBe(200);
  expect(
    (await stage(create('ours', { ownerAgentProfileKey: 'growth', dependsOn: [{ taskRef: other.id }] }))).status,
  ).toBe(200);
});
