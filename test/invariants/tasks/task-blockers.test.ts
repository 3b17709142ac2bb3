import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type BlockerKey, lockForEnd, TaskBlockersService } from '../../../src/modules/tasks/index.ts';
import { inOrganization, readTask, requestsOf } from '../../support/factories/tasks.ts';
import { queueTask } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A task that waits for several things goes on once, with the last of them. */
const { app, owner, organization } = useOrganization();
const blockers = () => app.app.get(TaskBlockersService);

/** A task that waits for so many actions, as the end of a run leaves it. */
async function waitingTask(...waits: readonly BlockerKey[]): Promise<string> {
  const { taskId } = await queueTask(app, organization.id);
  await app.db.query(`update run_request set status = 'completed' where organization_id = $1 and task_id = $2`, [
    organization.id,
    taskId,
  ]);
  await inOrganization(app, organization.id, async (tx) => {
    await lockForEnd(tx, [taskId]);
    await blockers().add(tx, taskId, ...waits);
  });
  return taskId;
}
const release = (taskId: string, blocker: BlockerKey) =>
  inOrganization(app, organization.id, async (tx) =>
    blockers().remove(tx, await lockForEnd(tx, [taskId]), taskId, blocker),
  );
const action = (): BlockerKey => ({ kind: 'action', actionId: randomUUID() });
const question = (): BlockerKey => ({ kind: 'handoff', inboxItemId: randomUUID() });

it('goes on once, however simultaneous they are', async () => {
  for (let round = 0; round < 30; round += 1) {
    const waits = [action(), question(), action()];
    const taskId = await waitingTask(...waits);
    expect((await readTask(owner, organization.id, taskId)).state.blockers).toMatchObject(waits);
    // The first is told of twice.
    await Promise.all([...waits, waits[0]!].map((wait) => release(taskId, wait)));
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({
      status: 'pending',
      version: 5,
      state: { blockers: [] },
    });
    expect(await requestsOf(app, taskId)).toEqual(['completed', 'queued']);
  }
});

it('waits on while one is left, and for nothing that it does not wait for', async () => {
  const [first, second] = [action(), question()];
  const taskId = await waitingTask(first, second);
  await release(taskId, first);
  await release(taskId, { kind: 'operator', inboxItemId: (second as { inboxItemId: string }).inboxItemId });
  expect(await readTask(owner, organization.id, taskId)).toMatchObject({
    status: 'blocked',
    version: 3,
    state: { blockers: [second] },
  });
  expect(await requestsOf(app, taskId)).toEqual(['completed']);
});

it('fails with its last blocker where no run budget is left', async () => {
  const wait = action();
  const taskId = await waitingTask(wait);
  await app.db.query('update task set consumed_agent_run_count = max_agent_runs where id = $1', [taskId]);
  await release(taskId, wait);
  expect(await readTask(owner, organization.id, taskId)).toMatchObject({
    status: 'failed',
    result: { code: 'budget_exhausted' },
  });
});
