import { beforeEach, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import { itemRow } from '../../support/factories/inbox.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { COMPLETED, onRun, rowsOf, startClaimed, startedRun, type StartedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A run hands off to a question while a person answers it: the task continues once, and with the answer. */
const { app, owner, organization } = useOrganization();
let run: StartedRun;
let inboxItemId: string;
beforeEach(async () => {
  await ask();
});

async function ask(): Promise<void> {
  run = await startedRun(app, organization.id);
  inboxItemId = await itemRow(app, organization.id, { task_id: run.taskId, run_id: run.runId });
}
const handOff = (): Promise<Answer> => {
  const result = { kind: 'handoff', summary: 'Which one?', inboxItemId };
  return onRun(app, run, 'complete', { output: { kind: 'task_result', result } });
};
const respond = (response: string): Promise<Answer> =>
  owner.post(`/organizations/${organization.id}/human-inbox/${inboxItemId}/respond`, { response });
const expire = () =>
  app.db.query(`update inbox_item set expires_at = clock_timestamp() where organization_id = $1 and id = $2`, [
    organization.id,
    inboxItemId,
  ]);

/** Exactly one continuation: it finds the answer word for word, and completes the task. */
async function continuesOnce(answer: { readonly status: string; readonly response: string | null }): Promise<boolean> {
  const { task } = await rowsOf(app, run);
  expect([task.status, task.blockers]).toEqual(['pending', []]);
  const { rows } = await app.db.query<{ status: string }>(
    'select status from run_request where organization_id = $1 and task_id = $2 order by id',
    [organization.id, run.taskId],
  );
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'queued']);
  const next = await startClaimed(app, organization.id);
  expect(next.taskId).toBe(run.taskId);
  const agent = app.client(next.executionToken);
  const manifest = await agent.get(`/internal/agent/organizations/${organization.id}/execution`);
  expect(manifest.body.data.answers).toMatchObject([{ inboxItemId, ...answer }]);
  expect((await onRun(app, next, 'complete', COMPLETED)).body.data.taskStatus).toBe('completed');
  return task.consumed_agent_run_count === 1;
}

it('waits, and goes on with the answer, when the completion is first', async () => {
  const calls = [handOff, () => respond('Yes,\n "exactly" so.')];
  const [completion, answer] = await meetAtLock(app, taskLock(run), calls);
  expect([completion!.body.data.taskStatus, answer!.status]).toEqual(['blocked', 200]);
  expect(await continuesOnce({ status: 'answered', response: 'Yes,\n "exactly" so.' })).toBe(true);
});

it('goes on at once, with its credit back, when the answer is first', async () => {
  const [answer, completion] = await meetAtLock(app, taskLock(run), [() => respond('Yes.'), handOff]);
  expect([completion!.body.data.taskStatus, answer!.status]).toEqual(['pending', 200]);
  expect(await continuesOnce({ status: 'answered', response: 'Yes.' })).toBe(false);
});

it('continues exactly once whenever both come at once', async () => {
  const waited = { before: 0, after: 0 };
  for (let round = 0; round < 64; round += 1) {
    if (round > 0) await ask();
    const response = `Answer ${round}: "ja" – ${'ü'.repeat(round)}\n`;
    const calls = [handOff, () => respond(response)];
    const answers = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    waited[(await continuesOnce({ status: 'answered', response })) ? 'before' : 'after'] += 1;
  }
  expect(waited.before + waited.after).toBe(64);
}, 60_000);

it('continues exactly once when the answer, the end of its time and the completion meet', async () => {
  for (let round = 0; round < 16; round += 1) {
    if (round > 0) await ask();
    const calls = [handOff, () => respond('Yes.'), () => expire().then(() => app.runJob('inbox-expiry'))];
    const shifted = [...calls.slice(round % 3), ...calls.slice(0, round % 3)];
    await Promise.all(shifted.map((call) => call()));
    await app.runJob('inbox-expiry');
    const { rows } = await app.db.query<{ status: string; response: string | null }>(
      `select status, response->>'text' as response from inbox_item where organization_id = $1 and id = $2`,
      [organization.id, inboxItemId],
    );
    await continuesOnce(rows[0]!);
  }
}, 60_000);
