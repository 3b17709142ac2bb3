import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, transcript } from '../../support/event-reader.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
/** A local socket, which keeps little on the way. */
let address: string;
let owner: Awaited<ReturnType<TestApp['person']>>;
let place: { organizationId: string; chatId: string };
/** The service's ends of all connections, oldest first. */
const sockets: Socket[] = [];

/** A stretch of text that is read by each process, since no signal carries so much. */
const STRETCH = 'x'.repeat(20_000);
const QUEUED_LIMIT = 128 * 1024;
/** More than a socket keeps on the way, and the limit at which a client is cut off. */
const MANY = 200;

beforeAll(async () => {
  const server: Server = app.app.getHttpServer();
  server.on('connection', (socket: Socket) => sockets.push(socket));
  address = join(process.env.TEST_FOLDER!, `${randomUUID()}.sock`);
  await new Promise<void>((resolve) => server.listen(address, resolve));
});
beforeEach(async () => {
  owner = await app.person();
  const organizationId = await organizationOf(owner);
  place = { organizationId, chatId: await firstChat(app, organizationId) };
});

const open = (lastEventId?: string) =>
  EventReader.open(address, eventsPath(place), { token: owner.token, lastEventId });

/** A reader that stands still, one that reads, and what the service has for the first. */
async function twoReaders(answer: Answer) {
  const still = await open();
  await still.reaches(answer.eventId);
  still.stopReading();
  const socket = sockets.at(-1)!;
  const reading = await open();
  await reading.reaches(answer.eventId);
  return { still, socket, reading };
}

describe('a client that does not read', () => {
  it('is cut off, takes little memory until then, and finds everything when it comes back', async () => {
    const answer = await Answer.post(app, place);
    const { still, socket, reading } = await twoReaders(answer);
    let most = 0;
    for (let append = 0; !socket.destroyed; append += 1) {
      expect(append).toBeLessThan(MANY);
      await answer.append(STRETCH);
      await reading.reaches(answer.eventId);
      most = Math.max(most, socket.writableLength);
    }
    // One more is written where the one before just fitted.
    expect(most).toBeLessThan(QUEUED_LIMIT + 2 * STRETCH.length);
    await answer.complete();
    await reading.reaches(answer.eventId);
    still.readOn();
    await still.untilEnded();
    const back = await open(still.last.id);
    await back.reaches(answer.eventId);
    for (const reader of [back, reading]) reader.close();
    expect(still.ids).toEqual(reading.ids.slice(0, still.events.length));
    expect(transcript([...still.events, ...back.events])).toEqual(transcript(reading.events));
  });
});

describe('a client that lags', () => {
  it('gets one snapshot in place of the appends that did not fit, and then goes on', async () => {
    const answer = await Answer.post(app, place);
    const { still, socket, reading } = await twoReaders(answer);
    for (let append = 0; socket.writableLength <= QUEUED_LIMIT; append += 1) {
      expect(append).toBeLessThan(MANY);
      await answer.append(STRETCH);
      await reading.reaches(answer.eventId);
    }
    const queued = answer.revision;
    for (const text of ['left ', 'out']) {
      await answer.append(text);
      await reading.reaches(answer.eventId);
    }
    expect(still.events.length).toBeLessThan(queued);
    still.readOn();
    await still.reaches(answer.eventId);
    await until('nothing waits', () => socket.writableLength === 0);
    await answer.append('told');
    await still.reaches(answer.eventId);
    for (const reader of [still, reading]) reader.close();
    expect(still.ids).toEqual([
      ...reading.ids.slice(0, queued),
      `${answer.id}:${queued + 2}`,
      `${answer.id}:${queued + 3}`,
    ]);
    expect(still.events.slice(queued).map(({ event }) => event)).toEqual(['chat.snapshot', 'chat.delta']);
    expect(transcript(still.events)).toEqual(transcript(reading.events));
  });

  it('gets no snapshot where everything fitted', async () => {
    const answer = await Answer.post(app, place);
    const { still, reading } = await twoReaders(answer);
    for (let append = 0; append < 5; append += 1) await answer.append('fits ');
    await reading.reaches(answer.eventId);
    still.readOn();
    await still.reaches(answer.eventId);
    for (const reader of [still, reading]) reader.close();
    expect(still.events).toEqual(reading.events);
  });

  it('is told the end of an answer too, when the next one has begun meanwhile', async () => {
    const answer = await Answer.post(app, place);
    const { still, socket, reading } = await twoReaders(answer);
    for (let append = 0; socket.writableLength <= QUEUED_LIMIT; append += 1) {
      expect(append).toBeLessThan(MANY);
      await answer.append(STRETCH);
      await reading.reaches(answer.eventId);
    }
    await answer.complete();
    const next = await Answer.post(app, place);
    await next.append('Next');
    await reading.reaches(next.eventId);
    still.readOn();
    await still.reaches(next.eventId);
    for (const reader of [still, reading]) reader.close();
    expect(still.events.slice(-2).map(({ id, event }) => [id, event])).toEqual([
      [answer.eventId, 'chat.snapshot'],
      [next.eventId, 'chat.snapshot'],
    ]);
    expect(transcript(still.events)).toEqual(transcript(reading.events));
  });
});
