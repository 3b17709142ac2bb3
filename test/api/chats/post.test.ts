import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { createChat, postMessage, saying, changeAnswer } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let chatId: string;
let path: string;
beforeEach(async () => {
  chatId = await createChat(owner, organization.id, 'Launch');
  path = `/organizations/${organization.id}/chats/${chatId}/messages`;
});

const messagesOf = async (chat = chatId) => {
  const { rows } = await app.db.query<{ role: string; status: string }>(
    'select role, status from message where chat_id = $1 order by created_at, id',
    [chat],
  );
  return rows;
};

describe('POST /organizations/{organizationId}/chats/{chatId}/messages: 202', () => {
  it('stores the message, and the answer that waits to be written', async () => {
    const { status, body } = await postMessage(owner, organization.id, chatId, 'What is left?', '😀 ');
    expect([status, body.message]).toEqual([202, 'Message accepted']);
    const { userMessage, assistantMessage } = body.data;
    const common = { organizationId: organization.id, chatId, revision: 1, error: null };
    expect(userMessage).toEqual({
      ...common,
      id: expect.any(String),
      replyToMessageId: null,
      role: 'user',
      status: 'complete',
      author: { kind: 'human', displayName: 'Ada' },
      parts: [
        { id: 'p1', kind: 'text', text: 'What is left?' },
        { id: 'p2', kind: 'text', text: '😀 ' },
      ],
      completedAt: userMessage.createdAt,
      createdAt: expect.any(String),
      updatedAt: userMessage.createdAt,
    });
    expect(assistantMessage).toEqual({
      ...common,
      id: expect.any(String),
      replyToMessageId: userMessage.id,
      role: 'assistant',
      status: 'pending',
      author: null,
      parts: [],
      completedAt: null,
      createdAt: expect.any(String),
      updatedAt: assistantMessage.createdAt,
    });
    expect((await owner.get(path)).body.data).toEqual([assistantMessage, userMessage]);
    const chat = (await owner.get(`/organizations/${organization.id}/chats/${chatId}`)).body.data;
    expect(chat).toMatchObject({ lastMessageAt: assistantMessage.createdAt, updatedAt: assistantMessage.createdAt });
  });

  it('gives the turn to the chat profile', async () => {
    const { id } = (await postMessage(owner, organization.id, chatId, 'x')).body.data.assistantMessage;
    const { rows } = await app.db.query(`select agent_profile_id, leased, attempt from message where id = $1`, [id]);
    expect(rows).toEqual([
      { agent_profile_id: await profileOf(app, organization.id, 'chat'), leased: false, attempt: 0 },
    ]);
  });

  it('takes the next message once the answer has ended, whichever way', async () => {
    for (const status of ['complete', 'failed', 'cancelled']) {
      const { body } = await postMessage(owner, organization.id, chatId, 'x');
      await changeAnswer(app, body.data.assistantMessage.id, { status });
    }
    expect((await postMessage(owner, organization.id, chatId, 'x')).status).toBe(202);
    expect(await messagesOf()).toHaveLength(8);
  });

  it('takes one in each chat', async () => {
    const other = await createChat(owner, organization.id);
    const answers = [chatId, other].map((id) => postMessage(owner, organization.id, id, 'x'));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202]);
  });

  it('takes as much as it says it does', async () => {
    const parts = Array.from({ length: 20 }, () => ({ kind: 'text', text: 'x' }));
    const long = { kind: 'text', text: '😀'.repeat(32_000) };
    const author = { kind: 'human', displayName: 'n'.repeat(200) };
    const { status, body } = await owner.post(path, { author, parts: [...parts.slice(1), long] });
    expect([status, body.data.userMessage.parts.at(-1)]).toEqual([202, { id: 'p20', ...long }]);
  });

  it('tells everybody, once it is committed', async () => {
    const told: unknown[] = [];
    const signals = app.app.get(ChatSignalsService);
    signals.onMessage((signal) => told.push(signal));
    signals.onTurnReady((ready) => told.push(ready));
    const { id: messageId } = (await postMessage(owner, organization.id, chatId, 'x')).body.data.assistantMessage;
    expect((await postMessage(owner, organization.id, chatId, 'x')).status).toBe(409);
    expect(told).toEqual([
      { organizationId: organization.id, chatId, messageId, revision: 1, delta: null },
      organization.id,
    ]);
  });

  it('stands in the activity log, without its text', async () => {
    const { id } = (await postMessage(owner, organization.id, chatId, 'CONFIDENTIAL')).body.data.userMessage;
    const log = await owner.get(`/organizations/${organization.id}/activity?verb=message.posted&subjectId=${id}`);
    expect(log.body.data).toMatchObject([
      { actor: { name: 'Ada' }, subject: { kind: 'message', id, label: 'Launch' }, details: { chatId } },
    ]);
    expect(log.text).not.toContain('CONFIDENTIAL');
  });

  it('is done once for one Idempotency-Key, also when the answer has ended since', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const one = await owner.post(path, saying('Hello'), headers);
    await changeAnswer(app, one.body.data.assistantMessage.id, { status: 'complete' });
    const again = await owner.post(path, saying('Hello'), headers);
    expect([again.status, again.body.data]).toEqual([202, one.body.data]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await owner.post(path, saying('Bye'), headers)).body.error.code).toBe('state_conflict');
    expect(await messagesOf()).toHaveLength(2);
  });

  it('leaves a key unused when it is refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await postMessage(owner, organization.id, chatId, 'x');
    expect((await owner.post(path, saying('Hello'), headers)).status).toBe(409);
    await changeAnswer(app, first.body.data.assistantMessage.id, { status: 'complete' });
    const taken = await owner.post(path, saying('Hello'), headers);
    expect([taken.status, taken.headers['idempotent-replayed']]).toEqual([202, undefined]);
  });
});

describe('POST /organizations/{organizationId}/chats/{chatId}/messages: 400', () => {
  const text = { kind: 'text', text: 'x' };
  const author = { kind: 'human', displayName: 'Ada' };
  it.each([
    ['no author', { parts: [text] }, 'author', 'required'],
    ['an agent as author', { author: { ...author, kind: 'agent' }, parts: [text] }, 'author.kind', 'unknown_value'],
    [
      'a blank name',
      { author: { ...author, displayName: ' ' }, parts: [text] },
      'author.displayName',
      'invalid_length',
    ],
    ['no parts', { author }, 'parts', 'required'],
    ['an empty list of them', { author, parts: [] }, 'parts', 'invalid_length'],
    ['too many', { author, parts: Array.from({ length: 21 }, () => text) }, 'parts', 'invalid_length'],
    ['another kind', { author, parts: [{ ...text, kind: 'image' }] }, 'parts.0.kind', 'unknown_value'],
    ['an empty text', { author, parts: [text, { ...text, text: '' }] }, 'parts.1.text', 'invalid_length'],
    ['a long text', { author, parts: [{ ...text, text: 'x'.repeat(32_001) }] }, 'parts.0.text', 'invalid_length'],
    ['an id of its own', { author, parts: [{ ...text, id: 'p1' }] }, 'parts.0.id', 'unknown_property'],
    ['a role', { author, parts: [text], role: 'assistant' }, 'role', 'unknown_property'],
  ])('for %s', async (_what, body, at, code) => {
    const answer = await owner.post(path, body);
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { code: 'validation_failed', issues: [{ path: at, code }] },
    ]);
    expect(await messagesOf()).toEqual([]);
  });
});

describe('POST /organizations/{organizationId}/chats/{chatId}/messages: 404', () => {
  it('for a chat that is unknown, or another organization’s', async () => {
    const elsewhere = await createChat(owner, await organizationOf(owner));
    for (const id of [randomUUID(), elsewhere]) {
      const { status, body } = await postMessage(owner, organization.id, id, 'x');
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
    }
    expect(await messagesOf(elsewhere)).toEqual([]);
  });
});

describe('POST /organizations/{organizationId}/chats/{chatId}/messages: 409', () => {
  const refused = async (code: string, at = path) => {
    const { status, body } = await owner.post(at, saying('Refused'));
    expect([status, body.error.code]).toEqual([409, code]);
  };

  it.each(['pending', 'streaming', 'cancelling'])('chat_turn_active while an answer is %s', async (status) => {
    const { body } = await postMessage(owner, organization.id, chatId, 'x');
    await changeAnswer(app, body.data.assistantMessage.id, { status });
    await refused('chat_turn_active');
    expect(await messagesOf()).toHaveLength(2);
  });

  it('state_conflict for an archived chat', async () => {
    await owner.patch(`/organizations/${organization.id}/chats/${chatId}`, { status: 'archived' });
    await refused('state_conflict');
    expect(await messagesOf()).toEqual([]);
  });

  it('state_conflict while the chat profile is disabled', async () => {
    const elsewhere = await organizationOf(owner);
    const profile = `/organizations/${elsewhere}/agent-profiles/${await profileOf(app, elsewhere, 'chat')}`;
    const chat = await createChat(owner, elsewhere);
    const at = `/organizations/${elsewhere}/chats/${chat}/messages`;
    await owner.patch(profile, { status: 'disabled' });
    await refused('state_conflict', at);
    expect(await messagesOf(chat)).toEqual([]);
    await owner.patch(profile, { status: 'enabled' });
    expect((await owner.post(at, saying('x'))).status).toBe(202);
  });

  it('onboarding_chat_immutable for the onboarding chat, during the onboarding and after it', async () => {
    const shell = await organizationOf(owner);
    const chat = await createChat(owner, shell);
    await app.db.query(`update chat set is_onboarding_chat = true where id = $1`, [chat]);
    for (const status of ['active', 'onboarding']) {
      await app.db.query(`update organization set status = $2 where id = $1`, [shell, status]);
      await refused('onboarding_chat_immutable', `/organizations/${shell}/chats/${chat}/messages`);
    }
    expect(await messagesOf(chat)).toEqual([]);
  });
});

describe('while work dispatch is stopped', () => {
  it('messages are taken as ever: a person is waiting', async () => {
    const elsewhere = await organizationOf(owner);
    const chat = await createChat(owner, elsewhere);
    await owner.put(`/organizations/${elsewhere}/work-dispatch`, { status: 'stopped' });
    expect((await postMessage(owner, elsewhere, chat, 'x')).status).toBe(202);
  });
});
