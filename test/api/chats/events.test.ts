import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Answer } from '../../support/answers.ts';
import { firstChat } from '../../support/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { EventReader, listening, transcript } from '../../support/event-reader.ts';
import { TestApp } from '../../support/test-app.ts';

let app: TestApp;
let baseUrl: string;
let owner: Awaited<ReturnType<TestApp['person']>>;
let organizationId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  app = await TestApp.start();
  baseUrl = await listening(app);
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => app.close());

/** A chat of its own for each test. */
async function newChat(): Promise<{ organizationId: string; chatId: string }> {
  const own = await organizationOf(owner);
  return { organizationId: own, chatId: await firstChat(app, own) };
}

const pathOf = (place: { organizationId: string; chatId: string }) =>
  `/organizations/${place.organizationId}/chats/${place.chatId}/events`;

async function follow(
  place: { organizationId: string; chatId: string },
  lastEventId?: string,
  token = owner.token,
): Promise<EventReader> {
  const reader = await EventReader.open(baseUrl, pathOf(place), { token, lastEventId });
  readers.push(reader);
  return reader;
}

describe('200', () => {
  it('has the headers that proxies need, and those of every answer', async () => {
    const { status, headers } = await follow(await newChat());
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-length']).toBeUndefined();
  });

  it('begins with the latest answer as it stands, and goes on with what happens to it', async () => {
    const place = await newChat();
    const answer = await Answer.post(app, place);
    await answer.append('Hel');
    const reader = await follow(place);
    await reader.count(1);
    expect(reader.retryMs).toBeGreaterThanOrEqual(1_000);
    await answer.append('lo 🌍');
    await answer.append('!', { partId: 'p2' });
    await answer.complete();
    await reader.count(4);
    expect(reader.events.map(({ id, event }) => [id, event])).toEqual([
      [`${answer.id}:2`, 'chat.snapshot'],
      [`${answer.id}:3`, 'chat.delta'],
      [`${answer.id}:4`, 'chat.delta'],
      [`${answer.id}:5`, 'chat.message'],
    ]);
    expect(reader.events[0]!.data).toMatchObject({
      type: 'chat.snapshot',
      message: { id: answer.id, chatId: place.chatId, status: 'streaming', parts: [{ id: 'p1', text: 'Hel' }] },
    });
    expect(reader.events[1]!.data).toEqual({
      type: 'chat.delta',
      messageId: answer.id,
      revision: 3,
      partId: 'p1',
      offset: 3,
      text: 'lo 🌍',
    });
    const read = await owner.get(`/organizations/${place.organizationId}/messages/${answer.id}`);
    if (read.status === 200) expect(reader.last.data.message).toEqual(read.body.data);
    expect(transcript(reader.events)).toEqual({
      [answer.id]: { status: 'complete', revision: 5, text: { p1: 'Hello 🌍', p2: '!' } },
    });
  });
});

describe('404', () => {
  it.each([
    ['chat_not_found', async () => ({ organizationId, chatId: randomUUID() })],
    ['organization_not_found', async () => ({ organizationId: randomUUID(), chatId: randomUUID() })],
  ])('%s', async (code, place) => {
    const { status, text } = await follow(await place());
    expect([status, JSON.parse(text || '{}')]).toMatchObject([404, { error: { code } }]);
  });
});
