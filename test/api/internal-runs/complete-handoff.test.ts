import { describe, expect, it } from '@jest/globals';
import { itemRow } from '../../support/factories/inbox.ts';
import { readTask } from '../../support/factories/tasks.ts';
import { onRun, rowsOf, startClaimed, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });

const handoff = (inboxItemId: string) => ({
  output: { kind: 'task_result', result: { kind: 'handoff', summary: 'Which one?', inboxItemId } },
});
const complete = (run: StartedRun, inboxItemId: string) => onRun(app, run, 'complete', handoff(inboxItemId));
const question = ({ taskId }: StartedRun, row: object = {}) =>
  itemRow(app, organization.id, { task_id: taskId, ...row });

describe('POST /internal/runs/{runId}/complete with a handoff: 200', () => {
  it('lets the task wait for an open question, with the credit used', async () => {
    const run = await startedRun(app, organization.id);
    await app.db.query('update task set refund_streak = 2 where id = $1', [run.taskId]);
    const inboxItemId = await question(run);
    const { status, body } = await complete(run, inboxItemId);
    expect([status, body.data]).toMatchObject([200, { status: 'succeeded', taskStatus: 'blocked' }]);
    expect(await readTask(owner, organization.id, run.taskId)).toMatchObject({
      status: 'blocked',
      version: 3,
      state: { blockers: [{ kind: 'handoff', inboxItemId, since: expect.any(String) }] },
    });
    const { task, request, runs } = await rowsOf(app, run);
    expect([task.consumed_agent_run_count, task.refund_streak, request.status]).toEqual([1, 0, 'completed']);
    expect(runs[0].output.result).toEqual({ kind: 'handoff', summary: 'Which one?', inboxItemId });
    const why = await owner.get(`/organizations/${organization.id}/tasks/${run.taskId}/why`);
    expect(why.body.data.nextMover).toMatchObject({ kind: 'blocker', refs: [{ id: inboxItemId }] });
  });

  it.each(['answered', 'expired', 'withdrawn'])(
    'continues at once where it is %s, with the credit back',
    async (closed) => {
      const run = await startedRun(app, organization.id);
      const { status, body } = await complete(run, await question(run, { status: closed }));
      expect([status, body.data]).toMatchObject([200, { status: 'succeeded', taskStatus: 'pending' }]);
      const { task, request } = await rowsOf(app, run);
      expect([task.consumed_agent_run_count, task.refund_streak, task.agent_run_count]).toEqual([0, 1, 1]);
      expect([request.status, request.attempt_count]).toEqual(['queued', 0]);
      expect(task.blockers).toEqual([]);
    },
  );

  it('puts the task before a person when its credit comes back for the fourth time in a row', async () => {
    let run = await startedRun(app, organization.id);
    const inboxItemId = await question(run, { status: 'answered' });
    for (let time = 1; time < 4; time += 1) {
      expect((await complete(run, inboxItemId)).body.data.taskStatus).toBe('pending');
      run = await startClaimed(app, organization.id);
    }
    const { body } = await complete(run, inboxItemId);
    expect(body.data.taskStatus).toBe('blocked');
    const { task } = await rowsOf(app, run);
    expect([task.consumed_agent_run_count, task.blockers]).toMatchObject([0, [{ kind: 'operator' }]]);
  });

  it('of what the agent staged, whichever run asked', async () => {
    const first = await startedRun(app, organization.id, { phase: 'plan' });
    const inboxItemId = await question(first, { run_id: first.runId });
    await onRun(app, first, 'fail', { error: { code: 'x', message: 'x', retryable: true, retryAfterSeconds: 0 } });
    await app.runJob('run-requests-due');
    const run = await startClaimed(app, organization.id);
    const agent = app.client(run.executionToken);
    const path = `/internal/agent/organizations/${organization.id}/execution/outcome`;
    const staged = await agent.put(path, { kind: 'handoff', summary: 'Which one?', inboxItemId });
    expect(staged.status).toBe(200);
    const result = { kind: 'handoff', summary: 'Which one?' };
    const { body } = await onRun(app, run, 'complete', { output: { kind: 'task_result', result } });
    expect(body.data).toMatchObject({ status: 'succeeded', taskStatus: 'blocked' });
  });
});

describe('POST /internal/runs/{runId}/complete with a handoff: 400', () => {
  it('refuses what is no question of this task for its work, staged or not, and the run lives on', async () => {
    const run = await startedRun(app, organization.id);
    const before = await rowsOf(app, run);
    const foreign = [
      await itemRow(app, organization.id, {}),
      await question(run, { kind: 'notification' }),
      await question(run, { purpose: 'learning_input' }),
      organization.id,
    ];
    const agent = app.client(run.executionToken);
    const path = `/internal/agent/organizations/${organization.id}/execution/outcome`;
    for (const inboxItemId of foreign) {
      const { status, body } = await complete(run, inboxItemId);
      expect([status, body.error.issues]).toMatchObject([
        400,
        [{ path: 'output.result.inboxItemId', code: 'unknown_reference' }],
      ]);
      const staged = await agent.put(path, { kind: 'handoff', summary: 'Which one?', inboxItemId });
      expect([staged.status, staged.body.error.issues]).toMatchObject([
        400,
        [{ path: 'inboxItemId', code: 'unknown_reference' }],
      ]);
    }
    expect(await rowsOf(app, run)).toEqual(before);
  });
});
