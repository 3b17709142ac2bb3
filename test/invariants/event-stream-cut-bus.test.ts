import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Answer } from '../support/answers.ts';
import { firstChat } from '../support/chats.ts';
import { organizationOf } from '../support/client.ts';
import { EventReader, eventsPath, listening, transcript } from '../support/event-reader.ts';
import { Line } from '../support/line.ts';
import { TestApp } from '../support/test-app.ts';
import { workerDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

/** Writes, and tells of it. */
let writer: TestApp;
/** Streams; it listens over a line that can be cut, and reads past it. */
let streamer: TestApp;
let line: Line;
let baseUrl: string;

beforeAll(async () => {
  line = await Line.to(await workerDatabase());
  writer = await TestApp.start();
  streamer = await TestApp.start({ env: { DATABASE_DIRECT_URL: line.url } });
  baseUrl = await listening(streamer);
});
afterAll(async () => {
  await Promise.all([writer.close(), streamer.close()]);
  line.close();
});

describe('a process that hears nothing of the others', () => {
  it('loses no revision of an answer, and goes on as before once it hears again', async () => {
    const owner = await writer.person();
    const organizationId = await organizationOf(owner);
    const place = { organizationId, chatId: await firstChat(writer, organizationId) };
    const answer = await Answer.post(writer, place);
    const reader = await EventReader.open(baseUrl, eventsPath(place), { token: owner.token });
    await reader.reaches(answer.eventId);

    line.cut();
    const words: string[] = [];
    for (let burst = 0; burst < 3; burst += 1) {
      for (let append = 0; append < 20; append += 1) {
        words.push(`${burst}.${append} `);
        await answer.append(words.at(-1)!);
      }
      await reader.reaches(answer.eventId);
    }
    await answer.complete();
    await reader.reaches(answer.eventId);
    const next = await Answer.post(writer, place);
    await reader.reaches(next.eventId);
    expect(line.connections).toBe(0);

    line.mend();
    await until('it listens again', () => line.connections > 0, 10_000);
    await next.append('Heard.');
    await reader.reaches(next.eventId);
    reader.close();
    expect(reader.ids).toEqual([
      ...Array.from({ length: 62 }, (_, index) => `${answer.id}:${index + 1}`),
      `${next.id}:1`,
      `${next.id}:2`,
    ]);
    expect(transcript(reader.events)).toEqual({
      [answer.id]: { status: 'complete', revision: 62, text: { p1: words.join('') } },
      [next.id]: { status: 'streaming', revision: 2, text: { p1: 'Heard.' } },
    });
  });

  it('reads what it may have missed at once when it listens again', async () => {
    const owner = await writer.person();
    const organizationId = await organizationOf(owner);
    const place = { organizationId, chatId: await firstChat(writer, organizationId) };
    const answer = await Answer.post(writer, place);
    const reader = await EventReader.open(baseUrl, eventsPath(place), { token: owner.token });
    await reader.reaches(answer.eventId);
    for (let cut = 0; cut < 3; cut += 1) {
      line.cut();
      for (let append = 0; append < 5; append += 1) await answer.append(`${append} `);
      line.mend();
      await reader.reaches(answer.eventId);
    }
    reader.close();
    expect(reader.ids).toEqual(Array.from({ length: 16 }, (_, index) => `${answer.id}:${index + 1}`));
  });
});
