import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ChatFeed } from '../../../src/modules/chats/events/chat-feed.ts';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat, postMessage } from '../../support/factories/chats.ts';
import { type Client, organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, listening, transcript } from '../../support/event-reader.ts';
import { turnIntervalsByHand } from '../../support/intervals.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { useTestApp, useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let baseUrl: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  baseUrl = await listening(app);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

/** The first head of an answer throws. */
function breakHead(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead = () => {
    Reflect.deleteProperty(response, 'writeHead');
    throw new Error('expected by the test');
  };
}

/** A chat of its own for each test. */
async function newChat(): Promise<{ organizationId: string; chatId: string }> {
  const own = await organizationOf(owner);
  return { organizationId: own, chatId: await firstChat(app, own) };
}

async function follow(place: { organizationId: string; chatId: string }, lastEventId?: string): Promise<EventReader> {
  const reader = await EventReader.open(baseUrl, eventsPath(place), { token: owner.token, lastEventId });
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

describe('two owners of one chat', () => {
  it('see what each other says, before its answer, and miss none of it wherever they lose the connection', async () => {
    const place = await newChat();
    const { organizationId, chatId } = place;
    const [mine, theirs] = [await follow(place), await follow(place)];
    const first = await postMessage(owner, organizationId, chatId, 'Hello');
    await Promise.all([mine, theirs].map((reader) => reader.count(2)));
    await Answer.of(app, place, first.body.data.assistantMessage.id).complete();
    const second = await postMessage(owner, organizationId, chatId, 'Again');
    await Promise.all([mine, theirs].map((reader) => reader.count(5)));
    const [one, other] = [first, second].map(({ body }) => body.data);
    expect(theirs.events.map(({ id, event, data }) => [id, event, data.message!.role])).toEqual([
      [`${one.assistantMessage.id}:0`, 'chat.message', 'user'],
      [`${one.assistantMessage.id}:1`, 'chat.snapshot', 'assistant'],
      [`${one.assistantMessage.id}:2`, 'chat.message', 'assistant'],
      [`${other.assistantMessage.id}:0`, 'chat.message', 'user'],
      [`${other.assistantMessage.id}:1`, 'chat.message', 'assistant'],
    ]);
    expect([0, 3].map((nth) => theirs.events[nth]!.data.message)).toEqual([one.userMessage, other.userMessage]);
    expect(mine.events).toEqual(theirs.events);
    const back = await follow(place, theirs.ids[3]);
    await back.count(1);
    expect(back.events).toEqual(theirs.events.slice(4));
  });
});

describe('an open stream', () => {
  let ticking: TestApp;
  beforeAll(async () => {
    turnIntervalsByHand();
    ticking = await TestApp.start();
  });
  afterAll(async () => {
    jest.useRealTimers();
    await ticking.close();
  });

  it('gets a comment every 15 s', async () => {
    const reader = await EventReader.open(await listening(ticking), eventsPath(await newChat()), {
      token: owner.token,
    });
    readers.push(reader);
    for (let comments = 1; comments <= 3; comments += 1) {
      jest.advanceTimersByTime(15_000);
      await until('the comment is here', () => reader.comments.length === comments);
    }
    expect([reader.comments, reader.events]).toEqual([['keep-alive', 'keep-alive', 'keep-alive'], []]);
  });
});

describe('404', () => {
  it.each([
    ['chat_not_found', () => ({ organizationId: organization.id, chatId: randomUUID() })],
    ['organization_not_found', () => ({ organizationId: randomUUID(), chatId: randomUUID() })],
  ])('%s', async (code, place) => {
    const { status, body } = await owner.peek(eventsPath(place()));
    expect([status, body.error.code]).toEqual([404, code]);
  });

  it('chat_not_found for one that was deleted', async () => {
    const place = await newChat();
    await app.db.query('update chat set deleted_at = clock_timestamp() where id = $1', [place.chatId]);
    const { status, body } = await owner.peek(eventsPath(place));
    expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
  });
});

describe('503', () => {
  const small = useTestApp({ env: { EVENT_STREAMS_PER_SUBJECT: '2', EVENT_STREAMS_MAX: '3' } });

  it('service_unavailable with Retry-After, for too many of one subject and for too many in all', async () => {
    const address = await listening(small);
    const path = eventsPath(await newChat());
    const open = async (token = owner.token) => {
      const reader = await EventReader.open(address, path, { token });
      readers.push(reader);
      return reader;
    };
    const refused = async (client: Client, message: string) => {
      const { status, headers, body } = await small.client(client.token).peek(path);
      expect([status, body.error.code, body.message]).toEqual([503, 'service_unavailable', message]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    };
    const [first] = [await open(), await open()];
    await refused(owner, 'You have too many open event streams; close one first.');
    const { status } = await open(app.bootstrap.token);
    expect(status).toBe(200);
    await refused(app.bootstrap, 'This process has too many open event streams; try again later.');
    // A place that was given back is free, and what is refused takes none.
    first.close();
    await until('its place is free', async () => (await open()).status === 200);
  });

  it('is not what calls that fail leave behind', async () => {
    const alone = await app.person();
    for (let call = 0; call < 25; call += 1) {
      const { status } = await alone.peek(eventsPath({ organizationId: organization.id, chatId: randomUUID() }));
      expect([call, status]).toEqual([call, 404]);
    }
  });

  it('is not what answers that could not begin leave behind; nobody follows for them', async () => {
    const alone = await app.person();
    const place = await newChat();
    await owner.put(`/organizations/${place.organizationId}/members/${alone.subject}`, { role: 'owner' });
    const server = app.app.getHttpServer();
    const left = jest.spyOn(ChatFeed.prototype, 'leave');
    server.prependListener('request', breakHead);
    for (let call = 0; call < 25; call += 1) {
      const { status } = await EventReader.open(baseUrl, eventsPath(place), { token: alone.token });
      expect([call, status]).toEqual([call, 500]);
    }
    server.off('request', breakHead);
    expect((left.mock.contexts as ChatFeed[]).filter(({ chatId }) => chatId === place.chatId)).toHaveLength(25);
    left.mockRestore();
    expect((await alone.peek(eventsPath(place))).status).toBe(200);
  });
});
