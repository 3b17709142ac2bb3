import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { awaitedAnswer, chunkRow, createChat, HELD, changeAnswer } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let chatId: string;
let answer: string;
beforeEach(async () => {
  chatId = await createChat(owner, organization.id, 'Launch');
  answer = await awaitedAnswer(owner, organization.id, chatId);
});

const cancel = (id: string, headers = {}) =>
  owner.post(`/organizations/${organization.id}/chats/${chatId}/messages/${id}/cancel`, undefined, headers);

describe('POST /organizations/{organizationId}/chats/{chatId}/messages/{messageId}/cancel: 200', () => {
  it('asks for the end of an answer that nobody has claimed', async () => {
    const before = (await owner.get(`/organizations/${organization.id}/messages/${answer}`)).body.data;
    const { status, body } = await cancel(answer);
    expect([status, body.message]).toEqual([200, 'Cancellation requested']);
    expect(body.data).toEqual({ ...before, status: 'cancelling', revision: 2, updatedAt: body.data.updatedAt });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
  });

  it('leaves a held answer to who writes it, with the text so far', async () => {
    await changeAnswer(app, answer, { ...HELD, status: 'streaming', revision: 2 });
    await chunkRow(app, organization.id, answer, { part_id: 'p1', part_offset: 0, revision: 2, text: 'So far' });
    const { body } = await cancel(answer);
    expect(body.data).toMatchObject({ status: 'cancelling', revision: 3, parts: [{ id: 'p1', text: 'So far' }] });
    const { rows } = await app.db.query(
      `select leased, worker_id, cancel_requested_at is not null as asked from message where id = $1`,
      [answer],
    );
    expect(rows).toEqual([{ leased: true, worker_id: 'worker-1', asked: true }]);
  });

  it('answers the same when it is asked again, and changes nothing', async () => {
    const first = await cancel(answer);
    const again = await cancel(answer);
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    const log = await owner.get(
      `/organizations/${organization.id}/activity?verb=message.cancel_requested&subjectId=${answer}`,
    );
    expect(log.body.data).toMatchObject([
      { actor: { name: 'Ada' }, subject: { kind: 'message', id: answer, label: 'Launch' }, details: { chatId } },
    ]);
  });

  it('has one answer for two at once', async () => {
    const [one, other] = await Promise.all([cancel(answer), cancel(answer)]);
    expect([one.status, one.body.data]).toEqual([200, other.body.data]);
    expect(one.body.data.revision).toBe(2);
  });

  it('still keeps the chat to one answer', async () => {
    await cancel(answer);
    await expect(awaitedAnswer(owner, organization.id, chatId)).rejects.toThrow('chat_turn_active');
  });

  it('tells who follows the chat, once', async () => {
    const told: unknown[] = [];
    app.app.get(ChatSignalsService).onMessage((signal) => told.push(signal));
    await cancel(answer);
    await cancel(answer);
    expect(told).toEqual([{ organizationId: organization.id, chatId, messageId: answer, revision: 2, delta: null }]);
  });

  it('answers a repeat of an Idempotency-Key when the turn has ended since', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const one = await cancel(answer, headers);
    await changeAnswer(app, answer, { status: 'cancelled' });
    const again = await cancel(answer, headers);
    expect([again.status, again.body.data]).toEqual([200, one.body.data]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('POST /organizations/{organizationId}/chats/{chatId}/messages/{messageId}/cancel: 404', () => {
  it('for a message that is unknown, or of another chat or organization', async () => {
    const other = await createChat(owner, organization.id);
    const elsewhere = await organizationOf(owner);
    const theirs = await createChat(owner, elsewhere);
    for (const id of [
      randomUUID(),
      await awaitedAnswer(owner, organization.id, other),
      await awaitedAnswer(owner, elsewhere, theirs),
    ]) {
      const { status, body } = await cancel(id);
      expect([status, body.error.code]).toEqual([404, 'message_not_found']);
    }
    const { rows } = await app.db.query(`select status from message where chat_id in ($1, $2) and role = 'assistant'`, [
      other,
      theirs,
    ]);
    expect(rows).toEqual([{ status: 'pending' }, { status: 'pending' }]);
  });

  it('for a chat that is unknown', async () => {
    const path = `/organizations/${organization.id}/chats/${randomUUID()}/messages/${answer}/cancel`;
    const { status, body } = await owner.post(path);
    expect([status, body.error.code]).toEqual([404, 'message_not_found']);
  });
});

describe('POST /organizations/{organizationId}/chats/{chatId}/messages/{messageId}/cancel: 409', () => {
  it.each(['complete', 'failed', 'cancelled'])('for an answer that is %s', async (status) => {
    await changeAnswer(app, answer, { status });
    const before = (await owner.get(`/organizations/${organization.id}/messages/${answer}`)).body.data;
    const refused = await cancel(answer);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'message_not_cancellable']);
    expect((await owner.get(`/organizations/${organization.id}/messages/${answer}`)).body.data).toEqual(before);
  });

  it('for what a person said', async () => {
    const { replyToMessageId } = (await owner.get(`/organizations/${organization.id}/messages/${answer}`)).body.data;
    const { status, body } = await cancel(replyToMessageId);
    expect([status, body.error.code]).toEqual([409, 'message_not_cancellable']);
  });
});
