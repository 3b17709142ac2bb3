import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, listening, type Received, transcript } from '../../support/event-reader.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
let baseUrl: string;
let owner: Awaited<ReturnType<TestApp['person']>>;
let place: { organizationId: string; chatId: string };
let path: string;

beforeAll(async () => {
  baseUrl = await listening(app);
});
beforeEach(async () => {
  owner = await app.person();
  const organizationId = await organizationOf(owner);
  place = { organizationId, chatId: await firstChat(app, organizationId) };
  path = eventsPath(place);
});

const open = (lastEventId?: string) => EventReader.open(baseUrl, path, { token: owner.token, lastEventId });

/** What an answer goes through, one step a revision. */
const COURSE: readonly ((answer: Answer) => Promise<void>)[] = [
  (answer) => answer.change(`status = 'streaming'`),
  (answer) => answer.append('The '),
  (answer) => answer.append('first 🌍 try\n\n: no comment'),
  (answer) => answer.retry(),
  (answer) => answer.append('Once '),
  (answer) => answer.append('more', { partId: 'p2' }),
  (answer) => answer.append('again.'),
  (answer) => answer.append('x'.repeat(8_000)),
  (answer) => answer.change(`status = 'cancelling'`),
  (answer) => answer.append(' Done.', { partId: 'p2' }),
  (answer) => answer.complete(),
];

/** What somebody sees who never loses the connection. */
async function seenThroughout(): Promise<{ answer: Answer; events: Received[] }> {
  const answer = await Answer.post(app, place);
  const reader = await open();
  for (const step of COURSE) {
    await step(answer);
    await reader.reaches(answer.eventId);
  }
  reader.close();
  expect(reader.ids).toEqual(reader.ids.map((_, index) => `${answer.id}:${index + 1}`));
  return { answer, events: reader.events };
}

describe('a client that comes back', () => {
  it('ends up with the same text and status, wherever it lost the connection', async () => {
    const { answer, events } = await seenThroughout();
    for (let seen = 1; seen <= events.length; seen += 1) {
      const reader = await open(events[seen - 1]!.id);
      if (seen < events.length) await reader.reaches(answer.eventId);
      reader.close();
      const rejoined = [...events.slice(0, seen), ...reader.events];
      expect([seen, transcript(rejoined)]).toEqual([seen, transcript(events)]);
    }
  });

  it('gets every append that it missed, each once, and nothing else before the last change', async () => {
    const { answer, events } = await seenThroughout();
    const lastChange = events.findLastIndex(({ event }, index) => event !== 'chat.delta' && index < events.length - 1);
    for (let seen = lastChange + 1; seen < events.length; seen += 1) {
      const reader = await open(events[seen - 1]!.id);
      await reader.reaches(answer.eventId);
      reader.close();
      expect(reader.events).toEqual(events.slice(seen));
    }
  });

  it('loses nothing when it loses the connection after every event, while the answer is written', async () => {
    const answer = await Answer.post(app, place);
    const events: Received[] = [];
    for (const step of [async () => undefined, ...COURSE]) {
      // Nobody reads meanwhile.
      await step(answer);
      const reader = await open(events.at(-1)?.id);
      await reader.reaches(answer.eventId);
      reader.close();
      events.push(...reader.events);
    }
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${answer.id}:${index + 1}`));
    const whole = await open();
    await whole.count(1);
    whole.close();
    expect(transcript(events)).toEqual(transcript(whole.events));
  });

  it('goes on with the next answer, from the end of the one that it has seen', async () => {
    const { events } = await seenThroughout();
    const reader = await open(events.at(-1)!.id);
    const next = await Answer.post(app, place);
    await next.append('Next');
    await reader.reaches(next.eventId);
    reader.close();
    expect(reader.ids.at(-1)).toBe(`${next.id}:2`);
    expect(transcript([...events, ...reader.events])).toMatchObject({
      ...transcript(events),
      [next.id]: { status: 'streaming', text: { p1: 'Next' } },
    });
  });

  it('gets a snapshot once the appends are not kept any more', async () => {
    const { answer, events } = await seenThroughout();
    await app.db.query('delete from message_chunk where message_id = $1', [answer.id]);
    const reader = await open(events.at(-3)!.id);
    await reader.count(1);
    reader.close();
    expect(reader.events.map(({ id, event }) => [id, event])).toEqual([[answer.eventId, 'chat.snapshot']]);
    expect(transcript(reader.events)).toEqual(transcript(events));
  });

  it('gets a snapshot of the latest answer where it has seen an older one only', async () => {
    const { answer } = await seenThroughout();
    const next = await Answer.post(app, place);
    const reader = await open(answer.eventId);
    await reader.count(1);
    reader.close();
    expect(reader.events.map(({ id, event }) => [id, event])).toEqual([[next.eventId, 'chat.snapshot']]);
  });
});
