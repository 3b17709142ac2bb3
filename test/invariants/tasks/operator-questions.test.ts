import { describe, expect, it } from '@jest/globals';
import { itemRow } from '../../support/factories/inbox.ts';
import { createTask, endTask, readTask } from '../../support/factories/tasks.ts';
import { lapseRun, onRun, rowsOf, startClaimed, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A task that does not get on waits for a person, whose answer moves it. */
const { app, owner, organization } = useOrganization({ ownDatabase: true, per: 'test' });

async function openQuestions(): Promise<{ id: string; taskId: string }[]> {
  const { body } = await owner.get(`/organizations/${organization.id}/human-inbox?status=open&kind=question`);
  return body.data;
}
const respond = (id: string, response: string) =>
  owner.post(`/organizations/${organization.id}/human-inbox/${id}/respond`, { response });

function handOff(run: StartedRun, inboxItemId: string) {
  const result = { kind: 'handoff', summary: 'Which one?', inboxItemId };
  return onRun(app, run, 'complete', { output: { kind: 'task_result', result } });
}

describe('a failed task that nobody plans anew', () => {
  const notices = async (status: string) =>
    (await owner.get(`/organizations/${organization.id}/human-inbox?status=${status}&kind=notification`)).body.data;

  it('is told of once, until it is retried', async () => {
    const { id } = await createTask(owner, organization.id);
    const child = await createTask(owner, organization.id, { parentRef: id });
    await endTask(app, organization.id, child.id, 'failed');
    expect(await notices('open')).toEqual([]);
    await endTask(app, organization.id, id, 'failed');
    expect(await notices('open')).toMatchObject([
      { taskId: id, severity: 'attention', title: expect.stringContaining('failed'), openedBy: { kind: 'system' } },
    ]);
    expect((await owner.post(`/organizations/${organization.id}/tasks/${id}/retry`)).status).toBe(200);
    expect([await notices('open'), await notices('withdrawn')]).toMatchObject([[], [{ taskId: id }]]);
  });

  it('is told of where its run budget is used up, and not where its run was cancelled', async () => {
    const run = await startedRun(app, organization.id, { maxAgentRuns: 1 });
    const inboxItemId = await itemRow(app, organization.id, { task_id: run.taskId });
    expect((await handOff(run, inboxItemId)).body.data.taskStatus).toBe('blocked');
    expect((await respond(inboxItemId, 'Yes.')).status).toBe(200);
    expect(await readTask(owner, organization.id, run.taskId)).toMatchObject({ result: { code: 'budget_exhausted' } });
    const other = await startedRun(app, organization.id);
    await owner.post(`/organizations/${organization.id}/runs/${other.runId}/cancel`);
    await onRun(app, other, 'fail', { error: { code: 'cancelled', message: 'Stopped.', retryable: true } });
    expect(await readTask(owner, organization.id, other.taskId)).toMatchObject({ result: { code: 'run_cancelled' } });
    expect(await notices('open')).toMatchObject([{ taskId: run.taskId }]);
  });
});

describe('a task whose runs end again and again without having done anything', () => {
  it('waits for a person, and goes on by `retry` with fresh attempts', async () => {
    let run = await startedRun(app, organization.id);
    const closed = await itemRow(app, organization.id, { task_id: run.taskId, status: 'answered' });
    for (let time = 0; time < 3; time += 1) {
      expect((await handOff(run, closed)).body.data.taskStatus).toBe('pending');
      run = await startClaimed(app, organization.id);
    }
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    const [question] = await openQuestions();
    expect(await readTask(owner, organization.id, run.taskId)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ kind: 'operator', inboxItemId: question!.id }] },
    });
    expect((await respond(question!.id, 'retry')).status).toBe(200);
    const { task, request } = await rowsOf(app, run);
    expect([task.status, task.refund_streak, task.consumed_agent_run_count]).toEqual(['pending', 0, 0]);
    expect([request.status, request.attempt_count]).toEqual(['queued', 0]);
    // The next refunds count from the beginning.
    run = await startClaimed(app, organization.id);
    expect((await handOff(run, closed)).body.data.taskStatus).toBe('pending');
    run = await startClaimed(app, organization.id);
    await app.db.query('update task set refund_streak = 3 where id = $1', [run.taskId]);
    expect((await handOff(run, closed)).body.data.taskStatus).toBe('blocked');
  });
});
