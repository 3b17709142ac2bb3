import { expect, it } from '@jest/globals';
import { blockedTask, itemRow, openByAgent, openNotice } from '../../support/factories/inbox.ts';
import { endTask, readTask, requestsOf } from '../../support/factories/tasks.ts';
import { COMPLETED, onRun, startedRun } from '../../support/factories/work.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** An item is closed once, by the first that commits, and what waited for it goes on once. */
const { app, owner, organization } = useOrganization({ ownDatabase: true });

const path = (id: string, verb = '') => `/organizations/${organization.id}/human-inbox/${id}${verb}`;
const respond = (id: string, response: string) => owner.post(path(id, '/respond'), { response });
const read = async (id: string) => (await owner.get(path(id))).body.data;
const verbsOf = async (id: string): Promise<string[]> => {
  const { body } = await owner.get(`/organizations/${organization.id}/activity?subjectId=${id}`);
  return body.data.map(({ verb }: { verb: string }) => verb);
};
const ANSWERS = Array.from({ length: 50 }, (_, nth) => `Answer ${nth}`);
const ROUNDS = Array.from({ length: 10 }, (_, nth) => nth);

it('of 50 different answers at once one is accepted; its repetition is answered alike, the others conflict', async () => {
  const { taskId, itemId } = await blockedTask(app, organization.id);
  const answers = await Promise.all(ANSWERS.map((text) => respond(itemId, text)));
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(1);
  const { data } = accepted[0]!.body;
  expect(await read(itemId)).toEqual(data);
  const refused = answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.error.code]);
  expect(refused).toEqual(Array.from({ length: 49 }, () => [409, 'human_inbox_item_not_open']));
  const repeated = await Promise.all(ANSWERS.map((text) => respond(itemId, text)));
  const again = repeated.filter(({ status }) => status === 200).map(({ body }) => body.data);
  expect(again).toEqual([data]);
  expect(repeated.filter(({ status }) => status === 409)).toHaveLength(49);
  expect(await requestsOf(app, taskId)).toEqual(['queued']);
  expect(await verbsOf(itemId)).toEqual(['inbox_item.answered']);
});

it('of many that acknowledge at once one does', async () => {
  const id = await openNotice(app, organization.id);
  const answers = await Promise.all(ANSWERS.map(() => owner.post(path(id, '/acknowledge'))));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 49 }, () => 409),
  ]);
  expect(await verbsOf(id)).toEqual(['inbox_item.acknowledged', 'inbox_item.opened']);
});

it('an answer and an expiry at once: one closes the item, and the task is queued once', async () => {
  for (const round of ROUNDS) {
    const { taskId, itemId } = await blockedTask(app, organization.id);
    // Sooner and later, so that its time comes before, while and after the answer does.
    await app.db.query(
      `update inbox_item set expires_at = clock_timestamp() + $2::int * interval '4 ms' where id = $1`,
      [itemId, round],
    );
    const sweep = () => app.runJob('inbox-expiry');
    const [answer] = await Promise.all([respond(itemId, 'yes'), sweep(), sweep()]);
    await until('the item is closed', async () => {
      await sweep();
      return (await read(itemId)).status !== 'open';
    });
    const item = await read(itemId);
    const [status, code] = answer.status === 200 ? ['answered', undefined] : ['expired', 'human_inbox_item_not_open'];
    expect([item.status, item.response?.text, answer.body.error?.code]).toEqual([
      status,
      status === 'answered' ? 'yes' : undefined,
      code,
    ]);
    expect(await requestsOf(app, taskId)).toEqual(['queued']);
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({
      status: 'pending',
      state: { blockers: [] },
    });
    expect(await verbsOf(itemId)).toEqual([`inbox_item.${status}`]);
  }
});

it('an answer and the end of its task at once: one closes the item, and nothing runs behind the end', async () => {
  for (const round of ROUNDS) {
    const { taskId, itemId } = await blockedTask(app, organization.id);
    const cancel = () => owner.post(`/organizations/${organization.id}/tasks/${taskId}/cancel`);
    const calls = [() => respond(itemId, 'yes'), cancel];
    const [first, second] = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()));
    const answer = round % 2 === 0 ? first! : second!;
    const { status, closure } = await read(itemId);
    if (answer.status === 200) expect(status).toBe('answered');
    else expect([status, closure]).toMatchObject(['withdrawn', { by: null, reason: 'task_ended' }]);
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({ status: 'cancelled' });
    expect(await requestsOf(app, taskId)).toEqual(answer.status === 200 ? ['cancelled'] : []);
  }
});

it('an item past its time waits for no sweep: it takes no answer', async () => {
  const { taskId, itemId } = await blockedTask(app, organization.id, { expires_at: '2020-01-01T00:00:00Z' });
  expect((await respond(itemId, 'yes')).status).toBe(409);
  expect(await requestsOf(app, taskId)).toEqual([]);
  await Promise.all([app.runJob('inbox-expiry'), app.runJob('inbox-expiry'), app.runJob('inbox-expiry')]);
  expect(await read(itemId)).toMatchObject({ status: 'expired', closure: { by: null, reason: null } });
  expect(await requestsOf(app, taskId)).toEqual(['queued']);
});

it('the end of a task withdraws its open questions, and leaves what people were told and what profiles learn', async () => {
  for (const status of ['completed', 'failed'] as const) {
    const { taskId, itemId } = await blockedTask(app, organization.id);
    const of = { task_id: taskId };
    const answered = await itemRow(app, organization.id, { ...of, status: 'answered' });
    const learning = await itemRow(app, organization.id, { ...of, purpose: 'learning_input', severity: 'attention' });
    const notice = await itemRow(app, organization.id, { ...of, kind: 'notification' });
    const other = await itemRow(app, organization.id);
    await endTask(app, organization.id, taskId, status);
    const statuses = await Promise.all([itemId, answered, learning, notice, other].map(read));
    expect(statuses.map((item) => item.status)).toEqual(['withdrawn', 'answered', 'open', 'open', 'open']);
    expect(await verbsOf(itemId)).toEqual(['inbox_item.withdrawn']);
    expect((await respond(learning, 'yes')).status).toBe(200);
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({ status });
  }
});

it('a plain completion withdraws what its task still asks, and tells nobody of a task that asks nothing', async () => {
  const run = await startedRun(app, organization.id);
  const id = await openByAgent(app.client(run.executionToken), organization.id);
  expect((await onRun(app, run, 'complete', COMPLETED)).status).toBe(200);
  expect(await read(id)).toMatchObject({ status: 'withdrawn', closure: { reason: 'task_ended' } });
  expect(await readTask(owner, organization.id, run.taskId)).toMatchObject({ status: 'completed' });
});
