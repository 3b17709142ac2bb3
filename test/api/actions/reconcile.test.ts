import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import { createChat } from '../../support/factories/chats.ts';
import {
  actionRow,
  approved,
  awaiting,
  carriedOut,
  onAction,
  postingExecutor,
  type Proposer,
  proposer,
} from '../../support/factories/posted-actions.ts';
import { claimTurn, waitingTurn } from '../../support/factories/turns.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ ownDatabase: true });
let by: Proposer;
let id: string;
beforeAll(async () => {
  postingExecutor(app, receiver);
  by = await proposer(app, owner, organization.id);
});
/** An action that was sent, and of which nobody knows what became. */
beforeEach(async () => {
  receiver.reply = 'drop';
  id = await approved(app, owner, by);
  await carriedOut(app, id, 'reconciliation_required');
});

const SUCCEEDED = { outcome: 'succeeded', note: 'It is on the site.' };
const reconcile = (body: object = SUCCEEDED, of = id): Promise<Answer> =>
  onAction(owner, by.run, of, 'reconcile', body);
const itemOf = async (of: string) =>
  (
    await app.db.query(
      `select status, body, closure from inbox_item where action_id = $1 and kind = 'reconciliation'`,
      [of],
    )
  ).rows;

describe('200', () => {
  it.each(['succeeded', 'failed', 'not_executed'])('takes a person’s word that it %s', async (outcome) => {
    const { reference } = await actionRow(app, id);
    const [item] = await itemOf(id);
    expect(item.status).toBe('open');
    expect(item.body).toContain(`/reconcile ${reference} succeeded`);
    const { status, body } = await reconcile({ outcome, note: 'I looked.' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      status: outcome,
      reconciliation: { outcome, note: 'I looked.', channel: 'owner', messageId: null, by: { kind: 'owner' } },
      finishedAt: expect.any(String),
    });
    expect((await itemOf(id)).map((each) => [each.status, each.closure.reason])).toEqual([['resolved', 'I looked.']]);
  });

  it('answers the same outcome again as the first time, whoever says it and however', async () => {
    const first = await reconcile();
    const again = await reconcile({ ...SUCCEEDED, note: 'As I said.' });
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
  });
});

describe('409 state_conflict', () => {
  const refused = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  };

  it('takes no other outcome once there is one', async () => {
    await reconcile();
    await refused(reconcile({ ...SUCCEEDED, outcome: 'failed' }));
  });

  it('takes none of what is not ambiguous: awaits approval, or ended by itself', async () => {
    await refused(reconcile(SUCCEEDED, await awaiting(app, by)));
    receiver.reply = { status: 200 };
    const done = await approved(app, owner, by);
    await carriedOut(app, done, 'succeeded');
    await refused(reconcile(SUCCEEDED, done));
  });
});

it('answers 404 for an unknown action', async () => {
  const { status, body } = await reconcile(SUCCEEDED, randomUUID());
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

it.each([
  [{ outcome: 'cancelled', note: 'No.' }, 'outcome'],
  [{ outcome: 'succeeded', note: '' }, 'note'],
  [{ outcome: 'succeeded', note: 'x'.repeat(2_001) }, 'note'],
  [{ outcome: 'succeeded' }, 'note'],
])('answers 400 for %j', async (body, path) => {
  const answer = await reconcile(body);
  expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
});

describe('in a chat', () => {
  const inChat = async (change = '') => {
    const chatId = await createChat(owner, organization.id);
    const { userMessageId } = await waitingTurn(app, organization.id, { chatId });
    if (change) await app.db.query(`update message set created_at = ${change} where id = $1`, [userMessageId]);
    const { executionToken } = await claimTurn(app, organization.id);
    return (body: object, of = id) =>
      app.client(executionToken).post(`/internal/agent/organizations/${organization.id}/actions/${of}/reconcile`, body);
  };

  it('takes the word of the person whose message the turn answers', async () => {
    const call = await inChat();
    const { status, body } = await call(SUCCEEDED);
    expect([status, body.data.reconciliation]).toEqual([
      200,
      expect.objectContaining({ channel: 'chat', by: { kind: 'human', id: null, name: 'Ada' } }),
    ]);
    expect((await call(SUCCEEDED)).status).toBe(200);
  });

  it('answers 409 where nobody knew of it before the message', async () => {
    const call = await inChat(`clock_timestamp() - interval '1 hour'`);
    const { status, body } = await call(SUCCEEDED);
    expect([status, body.error.issues[0].code]).toEqual([409, 'newer_than_message']);
    expect((await actionRow(app, id)).status).toBe('reconciliation_required');
  });

  it('answers 401 to the run of a task', async () => {
    const answer = await app
      .client(by.run.executionToken)
      .post(`/internal/agent/organizations/${organization.id}/actions/${id}/reconcile`, SUCCEEDED);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});
