import { expect, it } from '@jest/globals';
import { type Answer } from '../../support/client.ts';
import { createTask, readTask } from '../../support/factories/tasks.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { COMPLETED, onRun, rowsOf, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const complete = (run: StartedRun) => onRun(app, run, 'complete', COMPLETED);
const cancel = (run: StartedRun) => owner.post(`/organizations/${organization.id}/tasks/${run.taskId}/cancel`);

/** The first commit wins: these are the only two outcomes. */
async function outcome(run: StartedRun, completion: Answer, cancellation: Answer): Promise<'completed' | 'cancelled'> {
  const { task, request, runs } = await rowsOf(app, run);
  const found = {
    complete: [completion.status, completion.body.data?.status],
    cancel: cancellation.status,
    task: task.status,
    request: request.status,
    runs: runs.map(({ status }: { status: string }) => status),
    output: runs[0].output.result.summary,
  };
  const kept = { output: COMPLETED.output.result.summary };
  if (task.status === 'completed')
    expect(found).toEqual({
      complete: [200, 'succeeded'],
      cancel: 409,
      task: 'completed',
      request: 'completed',
      runs: ['succeeded'],
      ...kept,
    });
  else
    expect(found).toEqual({
      complete: [200, 'cancelled'],
      cancel: 200,
      task: 'cancelled',
      request: 'cancelled',
      runs: ['cancelled'],
      ...kept,
    });
  return task.status;
}

it('completes when the completion is first', async () => {
  const run = await startedRun(app, organization.id);
  const [completion, cancellation] = await meetAtLock(app, taskLock(run), [() => complete(run), () => cancel(run)]);
  expect(await outcome(run, completion!, cancellation!)).toBe('completed');
});

it('cancels when the cancel is first', async () => {
  const run = await startedRun(app, organization.id);
  const [cancellation, completion] = await meetAtLock(app, taskLock(run), [() => cancel(run), () => complete(run)]);
  expect(await outcome(run, completion!, cancellation!)).toBe('cancelled');
});

it('has one serial outcome whenever both come at once', async () => {
  for (let round = 0; round < 40; round += 1) {
    const run = await startedRun(app, organization.id);
    const calls = round % 2 === 0 ? [complete(run), cancel(run)] : [cancel(run), complete(run)].reverse();
    const [completion, cancellation] = await Promise.all(calls);
    await outcome(run, completion!, cancellation!);
  }
});

it('has one serial outcome for a child whose whole tree is cancelled', async () => {
  for (let round = 0; round < 12; round += 1) {
    const run = await startedRun(app, organization.id);
    const parent = await createTask(owner, organization.id, { scheduledAt: '2999-01-01T00:00:00Z' });
    await app.db.query('update task set parent_id = $2, root_task_id = $2, depth = 1 where id = $1', [
      run.taskId,
      parent.id,
    ]);
    const calls = [
      () => complete(run),
      () => owner.post(`/organizations/${organization.id}/tasks/${parent.id}/cancel`),
    ];
    const [completion, cancellation] =
      round % 2 === 0
        ? await Promise.all(calls.map((call) => call()))
        : (await Promise.all(calls.toReversed().map((call) => call()))).toReversed();
    const { task, runs } = await rowsOf(app, run);
    // The parent is cancelled whatever became of its child.
    expect([cancellation!.status, completion!.status]).toEqual([200, 200]);
    expect((await readTask(owner, organization.id, parent.id)).status).toBe('cancelled');
    const ends = [task.status, completion!.body.data.status, runs[0].status];
    expect([
      ['completed', 'succeeded', 'succeeded'],
      ['cancelled', 'cancelled', 'cancelled'],
    ]).toContainEqual(ends);
  }
});
