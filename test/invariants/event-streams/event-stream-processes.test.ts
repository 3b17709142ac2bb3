import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Reads } from '../../../src/kernel/database/index.ts';
import { ChatEventsService } from '../../../src/modules/chats/events/chat-events.service.ts';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { Answer } from '../../support/factories/answers.ts';
import { chunkRow, firstChat } from '../../support/factories/chats.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { EventReader, eventsPath, listening, transcript } from '../../support/event-reader.ts';
import type { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Two processes of a deployment: their event buses meet in the database only. */
const app = useTestApp();
const other = useTestApp();
let baseUrls: readonly string[];
let owner: Person;
let place: { organizationId: string; chatId: string };
let readers: EventReader[];

beforeAll(async () => {
  baseUrls = [await listening(app), await listening(other)];
  // No looks at open chats meanwhile: what is counted here is what signals cause.
  for (const each of [app, other]) each.app.get(ChatEventsService).beforeApplicationShutdown();
});
beforeEach(async () => {
  owner = await app.person();
  const organizationId = await organizationOf(owner);
  place = { organizationId, chatId: await firstChat(app, organizationId) };
  readers = [];
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const reader of readers) reader.close();
});

/** So many readers on each process, all of whom have what there is. */
async function follow(answer: Answer, onEach = 3): Promise<EventReader[]> {
  for (const baseUrl of baseUrls)
    for (let reader = 0; reader < onEach; reader += 1)
      readers.push(await EventReader.open(baseUrl, eventsPath(place), { token: owner.token }));
  await Promise.all(readers.map((reader) => reader.reaches(answer.eventId)));
  return readers;
}

/** Reads of the database that each process makes from now on for those who are on its streams already. */
function readsOf(...apps: TestApp[]): () => number[] {
  const spies = apps.map((each) => jest.spyOn(each.app.get(Reads), 'through'));
  return () => spies.map(({ mock }) => mock.calls.length);
}

const reachAll = (answer: Answer) => Promise.all(readers.map((reader) => reader.reaches(answer.eventId)));

describe('an answer that is written through one process', () => {
  it('reaches every stream on every process, append by append, without the database', async () => {
    const answer = await Answer.post(app, place);
    await follow(answer);
    const reads = readsOf(app, other);
    for (let append = 0; append < 20; append += 1) await answer.append(`word ${append} `);
    await reachAll(answer);
    expect(reads()).toEqual([0, 0]);
    for (const reader of readers) expect(reader.events).toEqual(readers[0]!.events);
    expect(readers[0]!.ids).toEqual(Array.from({ length: 21 }, (_, index) => `${answer.id}:${index + 1}`));
  });

  it('is read once a process for a change that is no append, and for an append that is too long to tell', async () => {
    const answer = await Answer.post(app, place);
    await follow(answer);
    const reads = readsOf(app, other);
    await answer.append('é'.repeat(30_000));
    await reachAll(answer);
    expect(reads()).toEqual([1, 1]);
    await answer.append('Short.', { by: other });
    await reachAll(answer);
    expect(reads()).toEqual([1, 1]);
    await answer.complete({ by: other });
    await reachAll(answer);
    expect(reads()).toEqual([2, 2]);
    expect(readers.map(({ last }) => last.event)).toEqual(readers.map(() => 'chat.message'));
    for (const reader of readers) expect(reader.events).toEqual(readers[0]!.events);
  });

  it('comes in order when it is told out of order', async () => {
    const answer = await Answer.post(app, place);
    await follow(answer, 1);
    const reads = readsOf(app, other);
    const texts = ['one ', 'two ', 'three '];
    for (const text of texts) await answer.append(text, { by: null });
    const tell = (index: number) => {
      const offset = texts.slice(0, index).join('').length;
      const delta = { partId: 'p1', offset, text: texts[index]! };
      app.app.get(ChatSignalsService).message({ ...place, messageId: answer.id, revision: index + 2, delta });
    };
    for (const late of [2, 1, 0]) tell(late);
    await reachAll(answer);
    // Told again it changes nothing.
    for (const again of [0, 2]) tell(again);
    await answer.append('four');
    await reachAll(answer);
    expect(reads()).toEqual([0, 0]);
    for (const reader of readers)
      expect(transcript(reader.events)).toMatchObject({ [answer.id]: { text: { p1: 'one two three four' } } });
  });

  it('is read where a revision is told and the one before it is not', async () => {
    const answer = await Answer.post(app, place);
    await follow(answer, 1);
    const reads = readsOf(app, other);
    await answer.append('lost ', { by: null });
    await answer.append('told ');
    await answer.append('told too');
    await reachAll(answer);
    expect(reads()).toEqual([1, 1]);
    for (const reader of readers)
      expect(reader.events.map(({ event }) => event)).toEqual([
        'chat.snapshot',
        'chat.delta',
        'chat.delta',
        'chat.delta',
      ]);
  });

  it('is not missed by those who open a stream in the middle of it', async () => {
    const answer = await Answer.post(app, place);
    const written = (async () => {
      for (let append = 0; append < 60; append += 1)
        await answer.append(`${append} `, { by: append % 2 === 0 ? other : app });
    })();
    while (readers.length < 30)
      readers.push(await EventReader.open(baseUrls[readers.length % 2]!, eventsPath(place), { token: owner.token }));
    await written;
    await reachAll(answer);
    expect(readers.length).toBeGreaterThan(2);
    const text = Array.from({ length: 60 }, (_, append) => `${append} `).join('');
    for (const reader of readers) {
      const first = Number(reader.ids[0]!.split(':')[1]);
      expect(reader.ids).toEqual(Array.from({ length: 62 - first }, (_, index) => `${answer.id}:${first + index}`));
      expect(transcript(reader.events)).toMatchObject({ [answer.id]: { text: { p1: text } } });
    }
  });

  it('is followed by the next one, whose end and beginning are read once a process', async () => {
    const first = await Answer.post(app, place);
    await follow(first, 2);
    const reads = readsOf(app, other);
    await first.append('First.', { by: other });
    await first.complete({ by: null });
    const next = await Answer.post(app, place);
    await reachAll(next);
    expect(reads()).toEqual([1, 1]);
    for (const reader of readers)
      expect(reader.events.map(({ id, event }) => [id, event])).toEqual([
        [`${first.id}:1`, 'chat.snapshot'],
        [`${first.id}:2`, 'chat.delta'],
        [`${first.id}:3`, 'chat.message'],
        [`${next.id}:1`, 'chat.message'],
      ]);
  });
});

describe('a chat without an answer', () => {
  it('sends nothing until the first one, which it begins with', async () => {
    for (const baseUrl of baseUrls)
      readers.push(await EventReader.open(baseUrl, eventsPath(place), { token: owner.token }));
    const answer = await Answer.post(app, place, { by: other });
    await reachAll(answer);
    for (const reader of readers)
      expect(reader.events.map(({ id, event }) => [id, event])).toEqual([[answer.eventId, 'chat.snapshot']]);
  });
});

describe('streams of others', () => {
  it('are told nothing of it', async () => {
    const stranger = await app.person();
    const organizationId = await organizationOf(stranger);
    const theirs = { organizationId, chatId: await firstChat(app, organizationId) };
    const answer = await Answer.post(app, place);
    const their = await Answer.post(app, theirs);
    const reader = await EventReader.open(baseUrls[0]!, eventsPath(theirs), { token: stranger.token });
    readers.push(reader);
    await reader.reaches(their.eventId);
    await answer.append('Not for them.');
    await chunkRow(app, organizationId, answer.id, { part_id: 'p', part_offset: 0, revision: 2, text: 'x' }).catch(
      () => undefined,
    );
    await their.append('For them.');
    await reader.reaches(their.eventId);
    expect(reader.ids).toEqual([`${their.id}:1`, `${their.id}:2`]);
  });
});
