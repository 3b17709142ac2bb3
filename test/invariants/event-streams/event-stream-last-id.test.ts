import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat, messageRow } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { eventsPath } from '../../support/event-reader.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let path: string;
let older: Answer;
let answer: Answer;
let foreign: Answer;
let userMessageId: string;

beforeAll(async () => {
  const placeOf = async (client: typeof owner) => {
    const organizationId = await organizationOf(client);
    return { organizationId, chatId: await firstChat(app, organizationId) };
  };
  const place = await placeOf(owner);
  path = eventsPath(place);
  foreign = await Answer.post(app, await placeOf(await app.person()));
  userMessageId = await messageRow(app, place.organizationId, place.chatId);
  older = await Answer.post(app, place);
  await older.append('Older.');
  await older.complete();
  answer = await Answer.post(app, place);
  for (let append = 0; append < 8; append += 1) await answer.append(`${append} `);
});

/** Ids of the events that a client gets at once which says that it has seen this. */
async function eventsAfter(lastEventId: string): Promise<string[]> {
  const { status, text } = await owner.peek(path, { 'last-event-id': lastEventId });
  expect([lastEventId, status]).toEqual([lastEventId, 200]);
  return [...text.matchAll(/^id: (.+)\nevent: (.+)$/gm)].map(([, id, event]) => `${event} ${id}`);
}

/** Numbers that are the same in each run (a linear congruence). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe('Last-Event-ID', () => {
  it('goes on exactly behind any revision of the latest answer', async () => {
    for (let seen = 1; seen <= answer.revision; seen += 1) {
      const rest = Array.from(
        { length: answer.revision - seen },
        (_, index) => `chat.delta ${answer.id}:${seen + 1 + index}`,
      );
      expect(await eventsAfter(`${answer.id}:${seen}`)).toEqual(rest);
      expect(await eventsAfter(`${answer.id.toUpperCase()}:${seen}`)).toEqual(rest);
    }
  });

  it('of anything else begins with a snapshot of the latest answer, whatever it is', async () => {
    const { id, revision } = answer;
    const others = [
      '',
      ' ',
      ':',
      id,
      `${id}:`,
      `:${revision}`,
      `${id}:0`,
      `${id}:-1`,
      `${id}:+1`,
      `${id}:01`,
      `${id}:1.0`,
      `${id}:1e1`,
      `${id}:0x1`,
      `${id}:1:1`,
      `${id}: 1`,
      `${id}:1 1`,
      `${id}:${revision + 1}`,
      `${id}:2147483647`,
      `${id}:2147483648`,
      `${id}:9999999999`,
      `${id}:${'9'.repeat(400)}`,
      `${id}:NaN`,
      `{${id}}:1`,
      `${id.replaceAll('-', '')}:1`,
      `${randomUUID()}:1`,
      `${userMessageId}:1`,
      `${foreign.id}:1`,
      `${older.id}:1`,
      older.eventId,
      `${id}:1, ${id}:2`,
      `' or 1=1 --`,
      `${id}:1'; select 1; --`,
      '\u00ff\u00e9',
      'x'.repeat(4_000),
    ];
    for (const other of others)
      expect([other, await eventsAfter(other)]).toEqual([other, [`chat.snapshot ${answer.eventId}`]]);
  });

  it('of any kind of mutation is followed by what is missing, or by a snapshot', async () => {
    const number = numbers(20_261_128);
    const alphabet = '0123456789abcdefABCDEF-:. ,;{}%\'"x\u00e9';
    for (let round = 0; round < 300; round += 1) {
      const letters = [...`${answer.id}:${1 + number(answer.revision)}`];
      for (let changes = 1 + number(3); changes > 0; changes -= 1) {
        const at = number(letters.length + 1);
        const replacement = number(4) === 0 ? [] : [alphabet[number(alphabet.length)]!];
        letters.splice(at, number(2), ...replacement);
      }
      const mutated = letters.join('');
      const [, id, seen] = /^(.{36}):([1-9]\d*)$/.exec(mutated) ?? [];
      const isExact = id?.toLowerCase() === answer.id && Number(seen) <= answer.revision;
      const events = await eventsAfter(mutated);
      expect([mutated, events.length, events.at(-1)]).toEqual(
        isExact
          ? [mutated, answer.revision - Number(seen), events.length > 0 ? `chat.delta ${answer.eventId}` : undefined]
          : [mutated, 1, `chat.snapshot ${answer.eventId}`],
      );
    }
  });
});
