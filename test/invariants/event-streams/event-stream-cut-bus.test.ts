import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, listening, transcript } from '../../support/event-reader.ts';
import { turnIntervalsByHand } from '../../support/intervals.ts';
import { Line } from '../../support/peers/line.ts';
import { TestApp } from '../../support/test-app.ts';
import { workerDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

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
afterEach(() => void jest.useRealTimers());
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

  it('loses no revision in a minute of looks at the chat, keep-alives and removals of chunks', async () => {
    turnIntervalsByHand();
    const deaf = await TestApp.start({ env: { DATABASE_DIRECT_URL: line.url } });
    const owner = await writer.person();
    const organizationId = await organizationOf(owner);
    const place = { organizationId, chatId: await firstChat(writer, organizationId) };
    const answer = await Answer.post(writer, place);
    const reader = await EventReader.open(await listening(deaf), eventsPath(place), { token: owner.token });
    await reader.reaches(answer.eventId);

    // The clock of all that goes by minutes is turned; pauses before it connects again grow to 5 s at most.
    line.cut();
    for (let second = 0; second < 60; second += 2) {
      await answer.append(`${second} `);
      await answer.append(`${second + 1} `);
      jest.advanceTimersByTime(2_000);
      await reader.reaches(answer.eventId);
      if (second % 20 === 0) await writer.runJob('message-chunks-remove');
    }
    expect([line.connections, reader.comments]).toEqual([0, Array.from({ length: 4 }, () => 'keep-alive')]);

    line.mend();
    for (const word of ['Heard ', 'again.']) {
      await answer.append(word);
      await until('it hears without a look', () => reader.ids.includes(answer.eventId), 10_000);
    }
    reader.close();
    await deaf.close();
    const words = Array.from({ length: 60 }, (_, second) => `${second} `);
    expect(reader.ids).toEqual(Array.from({ length: 63 }, (_, index) => `${answer.id}:${index + 1}`));
    expect(transcript(reader.events)).toEqual({
      [answer.id]: { status: 'streaming', revision: 63, text: { p1: `${words.join('')}Heard again.` } },
    });
  }, 60_000);
});
