import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createChat, postMessage, saying } from '../../support/factories/chats.ts';
import { type Answer, type Client, organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { meetAtLock } from '../../support/database/waiting-calls.ts';

/** However many post to a chat at once and through whichever process, one message is taken and one answer waits. */
let apps: TestApp[];
let owners: Client[];
let organizationId: string;
let chatId: string;

beforeAll(async () => {
  apps = [await TestApp.start(), await TestApp.start()];
  const { token } = await apps[0]!.person();
  owners = apps.map((app) => app.client(token));
  organizationId = await organizationOf(owners[0]!);
});
afterAll(() => Promise.all(apps.map((app) => app.close())));
beforeEach(async () => {
  chatId = await createChat(owners[0]!, organizationId);
});

const outcome = ({ status, body }: Answer) => [status, body.error?.code];
const rows = async () => {
  const { rows: messages } = await apps[0]!.db.query(
    'select role, status from message where chat_id = $1 order by created_at, id',
    [chatId],
  );
  return messages;
};
const ONE_TURN = [
  { role: 'user', status: 'complete' },
  { role: 'assistant', status: 'pending' },
];

describe('posts at once', () => {
  it('are one 202 and one 409, in the order in which they came to the chat', async () => {
    const [first, second] = await meetAtLock(
      apps[0]!,
      { sql: 'select from chat where id = $1 for update', values: [chatId] },
      owners.map((owner) => () => postMessage(owner, organizationId, chatId, 'Hello')),
    );
    expect([outcome(first!), outcome(second!)]).toEqual([
      [202, undefined],
      [409, 'chat_turn_active'],
    ]);
    expect(await rows()).toEqual(ONE_TURN);
  });

  it('are one 202 among many', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => postMessage(owners[n % 2]!, organizationId, chatId, `${n}`)),
    );
    const taken = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(taken).toHaveLength(1);
    expect(new Set(refused.map((answer) => outcome(answer).join()))).toEqual(new Set(['409,chat_turn_active']));
    expect(await rows()).toEqual(ONE_TURN);
  });

  it('under one Idempotency-Key are one message, which both are answered with', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/organizations/${organizationId}/chats/${chatId}/messages`;
    const [one, other] = await Promise.all(owners.map((owner) => owner.post(path, saying('Hello'), headers)));
    expect([one!.status, one!.body.data]).toEqual([202, other!.body.data]);
    expect(await rows()).toEqual(ONE_TURN);
  });
});
