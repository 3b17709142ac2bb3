import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import {
  actionRow,
  approved,
  awaiting,
  idle,
  postingExecutor,
  proposer,
} from '../../support/factories/posted-actions.ts';
import type { PostingExecutor } from '../../support/factories/posting-executor.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { onRun, rowsOf, type StartedRun } from '../../support/factories/work.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ per: 'test', ownDatabase: true });
let executor: PostingExecutor;
beforeAll(() => {
  executor = postingExecutor(app, receiver);
});
beforeEach(() => executor.reset());

const cancel = ({ taskId }: StartedRun) => owner.post(`/organizations/${organization.id}/tasks/${taskId}/cancel`);

/** A task that waits for an approved action. */
async function waiting() {
  const by = await proposer(app, owner, organization.id);
  const id = await approved(app, owner, by);
  const result = { kind: 'action_wait', summary: 'Waits.', actionIds: [id] };
  expect((await onRun(app, by.run, 'complete', { output: { kind: 'task_result', result } })).status).toBe(200);
  return { run: by.run, id };
}

it('cancels before the release, or sends and records without going on', async () => {
  let cancelled = 0;
  for (let round = 0; round < 40; round += 1) {
    const { run, id } = await waiting();
    // Beside the release, or beside the taking that releases too.
    const called = Promise.withResolvers<Answer>();
    const call = () => void cancel(run).then(called.resolve, called.reject);
    if (round % 2 === 0) executor.preparing(() => Promise.resolve(call()));
    else executor.reset();
    await app.runJob('actions-take');
    if (round % 2 === 1) call();
    expect((await called.promise).status).toBe(200);
    await idle(app);
    const { status, sent_at: sentAt } = await actionRow(app, id);
    const { task, request } = await rowsOf(app, run);
    // Nothing goes on; where the action had ended before the cancel, the request that it queued is cancelled too.
    const queued = request.id !== run.runRequestId;
    expect([task.status, request.status]).toEqual(['cancelled', queued ? 'cancelled' : 'completed']);
    if (queued) expect(sentAt).not.toBeNull();
    expect([status, receiver.countOf(id)]).toEqual(sentAt === null ? ['cancelled', 0] : ['succeeded', 1]);
    if (sentAt === null) cancelled += 1;
  }
  console.info(`${cancelled} of 40 were cancelled before their release`);
}, 120_000);

it('releases nothing of a task whose cancel came first', async () => {
  const { run, id } = await waiting();
  executor.preparing(() =>
    meetAtLock(app, taskLock(run), [() => cancel(run)]).then(([answer]) => expect(answer!.status).toBe(200)),
  );
  await app.runJob('actions-take');
  await idle(app);
  expect([(await actionRow(app, id)).status, receiver.countOf(id)]).toEqual(['cancelled', 0]);
});

it('withdraws the question for an approval with its task, and cancels all that was not sent', async () => {
  const by = await proposer(app, owner, organization.id);
  const ids = [await awaiting(app, by), await approved(app, owner, by)];
  expect((await cancel(by.run)).status).toBe(200);
  for (const id of ids)
    expect(await actionRow(app, id)).toMatchObject({ status: 'cancelled', error: { code: 'task_ended' } });
  const { rows } = await app.db.query(`select status from inbox_item where action_id = any($1) order by id`, [ids]);
  expect(rows.map(({ status }) => status)).toEqual(['withdrawn', 'resolved']);
});
