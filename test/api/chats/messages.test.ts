import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { awaitedAnswer, chunkRow, createChat, messageRow, changeAnswer } from '../../support/factories/chats.ts';
import { type Answer, organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let chatId: string;
let path: string;
let answer: string;

beforeAll(async () => {
  chatId = await createChat(owner, organization.id);
  path = `/organizations/${organization.id}/chats/${chatId}/messages`;
  // Ids that do not grow: the clock decides.
  for (const [minute, role, status] of [
    [3, 'user', 'complete'],
    [1, 'user', 'complete'],
    [2, 'assistant', 'failed'],
  ] as const) {
    const at = `2026-03-01T09:0${minute}:00Z`;
    const parts = [{ id: 'p1', kind: 'text', text: `at ${minute}` }];
    await messageRow(app, organization.id, chatId, { role, status, parts, created_at: at, updated_at: at });
  }
  answer = await awaitedAnswer(owner, organization.id, chatId);
  await changeAnswer(app, answer, { status: 'streaming', revision: 3 });
  await chunkRow(app, organization.id, answer, { part_id: 'p1', part_offset: 0, revision: 2, text: 'So ' });
  await chunkRow(app, organization.id, answer, { part_id: 'p1', part_offset: 3, revision: 3, text: 'far' });
});

const texts = ({ body }: Answer) =>
  body.data.map(({ parts }: { parts: { text: string }[] }) => parts.map(({ text }) => text).join());
const ALL = ['So far', 'Hello', 'at 3', 'at 2', 'at 1'];

describe('GET /organizations/{organizationId}/chats/{chatId}/messages: 200', () => {
  it('lists the newest first, as each is read, an answer as far as it has come', async () => {
    const listed = await owner.get(path);
    expect(texts(listed)).toEqual(ALL);
    for (const message of listed.body.data) {
      const read = await owner.get(`/organizations/${organization.id}/messages/${message.id}`);
      expect([read.status, read.body.data]).toEqual([200, message]);
    }
    const [streaming, said] = listed.body.data;
    expect(streaming).toMatchObject({ id: answer, status: 'streaming', revision: 3, replyToMessageId: said.id });
    expect(listed.body.pagination).toMatchObject({ limit: 50, hasNextPage: false, hasPreviousPage: false });
  });

  it('lists the oldest first where that is asked for, page by page and back', async () => {
    const page = (cursor = '') => owner.get(`${path}?order=asc&limit=2${cursor && `&cursor=${cursor}`}`);
    const first = await page();
    const second = await page(first.body.pagination.nextCursor);
    const third = await page(second.body.pagination.nextCursor);
    expect([first, second, third].flatMap(texts)).toEqual(ALL.toReversed());
    expect(third.body.pagination).toMatchObject({ nextCursor: null, hasNextPage: false, hasPreviousPage: true });
    expect(texts(await page(third.body.pagination.previousCursor))).toEqual(texts(second));
  });

  it.each<[string, string[]]>([
    ['role=assistant', ['So far', 'at 2']],
    ['role=assistant&role=user', ALL],
    ['status=failed&status=streaming', ['So far', 'at 2']],
    ['status=cancelled', []],
    ['createdAfter=2026-03-01T09:01:00Z&createdBefore=2026-03-01T10:03:00%2B01:00', ['at 2']],
    ['updatedBefore=2026-03-01T09:03:00Z&order=asc', ['at 1', 'at 2']],
    ['updatedAfter=2026-03-02T00:00:00Z&role=user', ['Hello']],
  ])('filters by %s', async (query, expected) => {
    expect(texts(await owner.get(`${path}?${query}`))).toEqual(expected);
  });
});

describe('GET /organizations/{organizationId}/chats/{chatId}/messages: 400 and 404', () => {
  it.each([
    ['role=system', 'role', 'invalid_item'],
    ['status=open', 'status', 'invalid_item'],
    ['createdAfter=yesterday', 'createdAfter', 'invalid_timestamp'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    ['search=x', 'search', 'unknown_property'],
  ])('refuses %s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path}?${query}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
  });

  it('refuses a cursor of another chat', async () => {
    const { nextCursor } = (await owner.get(`${path}?limit=1`)).body.pagination;
    const other = await createChat(owner, organization.id);
    const { status } = await owner.get(
      `/organizations/${organization.id}/chats/${other}/messages?limit=1&cursor=${nextCursor}`,
    );
    expect(status).toBe(400);
  });

  it('knows no chat that is unknown, or another organization’s', async () => {
    const elsewhere = await createChat(owner, await organizationOf(owner));
    for (const id of [randomUUID(), elsewhere]) {
      const { status, body } = await owner.get(`/organizations/${organization.id}/chats/${id}/messages`);
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
    }
  });
});

describe('GET /organizations/{organizationId}/messages/{id}: 401 and 404', () => {
  it('wants an owner', async () => {
    expect((await app.service.get(`/organizations/${organization.id}/messages/${answer}`)).status).toBe(401);
  });

  it('knows none that is unknown, or another organization’s', async () => {
    const elsewhere = await organizationOf(owner);
    const theirs = await messageRow(app, elsewhere, await createChat(owner, elsewhere));
    for (const id of [randomUUID(), theirs]) {
      const { status, body } = await owner.get(`/organizations/${organization.id}/messages/${id}`);
      expect([status, body.error.code]).toEqual([404, 'message_not_found']);
    }
  });
});
