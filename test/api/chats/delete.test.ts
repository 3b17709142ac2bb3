import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import {
  awaitedAnswer,
  chunkRow,
  createChat,
  HELD,
  messageRow,
  postMessage,
  saying,
  changeAnswer,
} from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let chatId: string;
let path: string;
beforeEach(async () => {
  chatId = await createChat(owner, organization.id, 'Gone soon');
  path = `/organizations/${organization.id}/chats/${chatId}`;
});

describe('DELETE /organizations/{organizationId}/chats/{id}: 200', () => {
  it('answers with the chat, which is gone at once with all that is in it', async () => {
    const { userMessage, assistantMessage } = (await postMessage(owner, organization.id, chatId, 'Hello')).body.data;
    const before = (await owner.get(path)).body.data;
    const { status, body } = await owner.delete(path);
    expect([status, body.message]).toEqual([200, 'Chat deleted']);
    expect(body.data).toEqual({ ...before, updatedAt: body.data.updatedAt });
    for (const [method, at] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/messages'],
      ['POST', '/messages'],
    ] as const) {
      const payload = { PATCH: { title: 'x' }, POST: saying('Hello') }[method as 'POST'];
      const gone = await owner.send(method, `${path}${at}`, payload);
      expect([method, at, gone.status, gone.body.error.code]).toEqual([method, at, 404, 'chat_not_found']);
    }
    for (const { id } of [userMessage, assistantMessage]) {
      const read = await owner.get(`/organizations/${organization.id}/messages/${id}`);
      const cancel = await owner.post(`${path}/messages/${id}/cancel`);
      for (const gone of [read, cancel])
        expect([gone.status, gone.body.error.code]).toEqual([404, 'message_not_found']);
    }
    expect((await owner.get(`/organizations/${organization.id}/chats?search=Gone`)).body.data).toEqual([]);
    const log = await owner.get(`/organizations/${organization.id}/activity?verb=chat.deleted&subjectId=${chatId}`);
    expect(log.body.data).toMatchObject([{ actor: { name: 'Ada' }, subject: { label: 'Gone soon' } }]);
  });

  it.each(['pending', 'streaming', 'cancelling'])('ends an answer that is %s, whoever holds it', async (status) => {
    const answer = await awaitedAnswer(owner, organization.id, chatId);
    await changeAnswer(app, answer, { ...HELD, status });
    expect((await owner.delete(path)).status).toBe(200);
    const { rows } = await app.db.query(
      `select status, leased, lease_token_hash, lease_expires_at, revision, completed_at is not null as ended
       from message where id = $1`,
      [answer],
    );
    expect(rows).toEqual([
      { status: 'cancelled', leased: false, lease_token_hash: null, lease_expires_at: null, revision: 2, ended: true },
    ]);
  });

  it('takes the checkpoints of its turns along, and no others', async () => {
    const kept = await createChat(owner, organization.id);
    const rows = [`chat/${kept}`, `chat/${chatId}`, `chat/${chatId}.draft`, `task/${chatId}`];
    for (const row of rows) await checkpointRow(...(row.split('/') as [string, string]));
    const seen = async () => {
      const listed = (await owner.get(`/organizations/${organization.id}/durability?limit=200`)).body.data;
      const found = new Set(listed.map((row: { namespace: string; key: string }) => `${row.namespace}/${row.key}`));
      const statuses = rows.map(
        async (row) => (await owner.get(`/organizations/${organization.id}/durability/${row}`)).status,
      );
      return [rows.map((row) => found.has(row)), await Promise.all(statuses)];
    };
    expect(await seen()).toEqual([
      [true, true, true, true],
      [200, 200, 200, 200],
    ]);
    await owner.delete(path);
    expect(await seen()).toEqual([
      [true, false, false, true],
      [200, 404, 404, 200],
    ]);
  });

  it('deletes an archived one', async () => {
    await owner.patch(path, { status: 'archived' });
    expect((await owner.delete(path)).body.data.status).toBe('archived');
  });

  it('tells who streams it, once', async () => {
    const told: unknown[] = [];
    app.app.get(ChatSignalsService).onDeleted((signal) => told.push(signal));
    await owner.delete(path);
    await owner.delete(path);
    expect(told).toEqual([{ organizationId: organization.id, chatId }]);
  });
});

const checkpointRow = (namespace: string, key: string) =>
  app.db.query(
    `insert into durability_row (organization_id, namespace, key, kind, version, payload) values ($1, $2, $3, 'draft', 1, '{}')`,
    [organization.id, namespace, key],
  );

describe('DELETE /organizations/{organizationId}/chats/{id}: 404 and 409', () => {
  it('does not find one that is unknown, or another organization’s', async () => {
    const elsewhere = await createChat(owner, await organizationOf(owner));
    for (const id of [randomUUID(), elsewhere]) {
      const { status, body } = await owner.delete(`/organizations/${organization.id}/chats/${id}`);
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
    }
  });

  it('does not delete the onboarding chat', async () => {
    const shell = await organizationOf(owner);
    const id = await createChat(owner, shell);
    await app.db.query(`update chat set is_onboarding_chat = true where id = $1`, [id]);
    for (const status of ['active', 'onboarding']) {
      await app.db.query(`update organization set status = $2 where id = $1`, [shell, status]);
      const { status: answered, body } = await owner.delete(`/organizations/${shell}/chats/${id}`);
      expect([answered, body.error.code]).toEqual([409, 'onboarding_chat_immutable']);
    }
  });
});

describe('the purge', () => {
  const folder = (id: string) => `organizations/${organization.id}/chats/${id}`;
  const store = () => app.app.get(ObjectStore);
  const put = (id: string) => store().put(`${folder(id)}/file-1`, Readable.from(['bytes']), { maxBytes: 5 });
  const stored = async (id: string) => {
    let count = 0;
    for await (const _ of store().list(folder(id))) count += 1;
    return count;
  };

  /** A chat with a message that streamed, an attachment, and an upload whose request died. */
  const filledChat = async () => {
    const id = await createChat(owner, organization.id, 'Filled');
    const message = await messageRow(app, organization.id, id, { role: 'assistant', status: 'failed' });
    for (const part_offset of [0, 1])
      await chunkRow(app, organization.id, message, {
        part_id: 'a',
        part_offset,
        revision: part_offset + 2,
        text: 'x',
      });
    await app.db.query(
      `insert into attachment (organization_id, chat_id, id, file_name, media_type, size_bytes, sha256, object_key)
       values ($1, $2, gen_random_uuid(), 'a.txt', 'text/plain', 5, repeat('0', 64), $3)`,
      [organization.id, id, `${folder(id)}/file-1`],
    );
    await app.db.query(
      `insert into attachment_upload (organization_id, id, chat_id) values ($1, gen_random_uuid(), $2)`,
      [organization.id, id],
    );
    for (const key of [id, `${id}.draft`]) await checkpointRow('chat', key);
    await put(id);
    return id;
  };
  const left = async (id: string) => {
    const { rows } = await app.db.query(
      `select (select count(*)::int from chat where id = $1) as chats,
         (select count(*)::int from message where chat_id = $1) as messages,
         (select count(*)::int from message_chunk k join message m on m.id = k.message_id where m.chat_id = $1) as chunks,
         (select count(*)::int from attachment where chat_id = $1) as attachments,
         (select count(*)::int from attachment_upload where chat_id = $1) as uploads,
         (select count(*)::int from durability_row where key like $1::text || '%') as checkpoints`,
      [id],
    );
    return { ...rows[0], objects: await stored(id) };
  };
  const age = (id: string) =>
    app.db.query(`update chat set deleted_at = deleted_at - interval '36 minutes' where id = $1`, [id]);

  it('removes rows and bytes of deleted chats, and of no others, once no upload can be under way', async () => {
    const [gone, kept, recent] = [await filledChat(), await filledChat(), await filledChat()];
    for (const id of [gone, recent]) await owner.delete(`/organizations/${organization.id}/chats/${id}`);
    await age(gone);
    await app.runJob('chat-purge');
    const full = { chats: 1, messages: 1, chunks: 2, attachments: 1, uploads: 1, checkpoints: 2, objects: 1 };
    for (const count of Object.values(await left(gone))) expect(count).toBe(0);
    expect([await left(kept), await left(recent)]).toEqual([full, full]);
  });

  it('leaves checkpoints of tasks, whatever their key', async () => {
    await checkpointRow('task', chatId);
    await owner.delete(path);
    await age(chatId);
    await app.runJob('chat-purge');
    expect(await left(chatId)).toMatchObject({ chats: 0, checkpoints: 1 });
  });

  it('goes through many messages in batches', async () => {
    await app.db.query(
      `insert into message (organization_id, id, chat_id, role, status)
       select $1, gen_random_uuid(), $2, 'user', 'complete' from generate_series(1, 2500)`,
      [organization.id, chatId],
    );
    await owner.delete(path);
    await age(chatId);
    await app.runJob('chat-purge');
    expect(await left(chatId)).toMatchObject({ chats: 0, messages: 0 });
  });

  it('leaves a deleted organization to the purge of organizations', async () => {
    const elsewhere = await organizationOf(owner);
    const id = await createChat(owner, elsewhere);
    await owner.delete(`/organizations/${elsewhere}/chats/${id}`);
    await age(id);
    await owner.delete(`/organizations/${elsewhere}`);
    await app.runJob('chat-purge');
    expect((await left(id)).chats).toBe(1);
    await app.runJob('organization-purge');
    expect((await left(id)).chats).toBe(0);
  });
});
