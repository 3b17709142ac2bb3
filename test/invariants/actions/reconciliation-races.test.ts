import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  actionRow,
  approved,
  carriedOut,
  idle,
  lapseExecutor,
  onAction,
  postingExecutor,
  type Proposer,
  proposer,
} from '../../support/factories/posted-actions.ts';
import type { PostingExecutor } from '../../support/factories/posting-executor.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ ownDatabase: true });
let executor: PostingExecutor;
let by: Proposer;
beforeAll(async () => {
  executor = postingExecutor(app, receiver);
  by = await proposer(app, owner, organization.id);
});
beforeEach(() => {
  executor.reset();
  receiver.reply = { status: 200 };
  receiver.hold = undefined;
});

const SUCCEEDED = { outcome: 'succeeded', note: 'It is there.' };
const reconcile = (id: string, body: object = SUCCEEDED) => onAction(owner, by.run, id, 'reconcile', body);
const endsOf = async (id: string) =>
  (
    await app.db.query<{ verb: string }>(
      `select verb from activity where subject_id = $1
         and verb in ('action.reconciled', 'action.succeeded', 'action.failed', 'action.not_executed')`,
      [id],
    )
  ).rows.map(({ verb }) => verb);

it('lets one of a reconciliation and a look of the executor end the action', async () => {
  receiver.reply = 'drop';
  executor.settling();
  executor.settled = { outcome: 'failed', error: { code: 'not_there', message: 'It is not there.' } };
  for (let round = 0; round < 30; round += 1) {
    const id = await approved(app, owner, by);
    await carriedOut(app, id, 'reconciliation_required');
    const [answer] = await Promise.all([reconcile(id), app.runJob('actions-settle')]);
    const { status } = await actionRow(app, id);
    expect([
      [200, 'succeeded', ['action.reconciled']],
      [409, 'failed', ['action.failed']],
    ]).toContainEqual([answer.status, status, await endsOf(id)]);
    expect([receiver.countOf(id), (await reconcile(id, { ...SUCCEEDED, outcome: status })).status]).toEqual([1, 200]);
  }
}, 120_000);

it('looks at 0 s, 30 s, 2 min and 10 min, and then never again', async () => {
  receiver.reply = 'drop';
  executor.settling();
  const id = await approved(app, owner, by);
  await carriedOut(app, id, 'reconciliation_required');
  for (const [looks, seconds] of [
    [1, 30],
    [2, 90],
    [3, 480],
    [4, null],
  ] as const) {
    await app.runJob('actions-settle');
    await app.runJob('actions-settle');
    expect([executor.looks, executor.lookedLast]).toEqual([looks, seconds === null]);
    const { rows } = await app.db.query(
      `select status, extract(epoch from settle_at - updated_at)::int as seconds from action where id = $1`,
      [id],
    );
    expect(rows).toEqual([{ status: 'reconciliation_required', seconds }]);
    await app.db.query(`update action set settle_at = clock_timestamp() where id = $1 and settle_at is not null`, [id]);
  }
  await app.runJob('actions-settle');
  expect(executor.looks).toBe(4);
});

it('only notes an answer that comes when the action was parked, or reconciled', async () => {
  for (const reconciled of [false, true]) {
    const answer = Promise.withResolvers<void>();
    receiver.hold = answer.promise;
    const id = await approved(app, owner, by);
    await app.runJob('actions-take');
    await until('it has arrived', () => receiver.countOf(id) === 1);
    await lapseExecutor(app, id);
    await app.runJob('actions-lapse');
    const outcome = { outcome: 'failed', note: 'It is not there.' };
    if (reconciled) expect((await reconcile(id, outcome)).status).toBe(200);
    const before = await actionRow(app, id);
    answer.resolve();
    await idle(app);
    const { error, updated_at: _, ...after } = await actionRow(app, id);
    const observed = { outcome: 'succeeded', result: { done: true } };
    expect({ ...after, error, updated_at: null }).toEqual({
      ...before,
      updated_at: null,
      error: { ...before.error, observed },
    });
    expect(after.status).toBe(reconciled ? 'failed' : 'reconciliation_required');
    expect(receiver.countOf(id)).toBe(1);
  }
});
