import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, listening, transcript } from '../../support/event-reader.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';
import { claim, queueTask } from '../../support/factories/work.ts';

/** Writes, and tells of it; the other one streams and claims. */
let writer: TestApp;
let reader: TestApp;

beforeAll(async () => {
  const databaseUrl = await freshDatabase('migrated');
  [writer, reader] = [await TestApp.start({ databaseUrl }), await TestApp.start({ databaseUrl })];
});
afterAll(() => Promise.all([writer.close(), reader.close()]));

const LISTENERS = `from pg_stat_activity where datname = current_database() and application_name = 'business-runner-events'`;

async function listenerPids(): Promise<string> {
  const { rows } = await writer.db.query<{ pids: string }>(
    `select coalesce(string_agg(pid::text, ' ' order by pid), '') as pids ${LISTENERS} and query like 'listen %'`,
  );
  return rows[0]!.pids;
}

describe('listeners that the server cuts off', () => {
  it('lose no frame of a stream that is read', async () => {
    const owner = await writer.person();
    const organizationId = await organizationOf(owner);
    const place = { organizationId, chatId: await firstChat(writer, organizationId) };
    const answer = await Answer.post(writer, place);
    const stream = await EventReader.open(await listening(reader), eventsPath(place), { token: owner.token });
    await stream.reaches(answer.eventId);
    let words = '';
    for (let cut = 0; cut < 3; cut += 1) {
      await writer.db.query(`select pg_terminate_backend(pid) ${LISTENERS}`);
      for (let append = 0; append < 10; append += 1) {
        await answer.append(`${cut}.${append} `);
        words += `${cut}.${append} `;
      }
      await stream.reaches(answer.eventId);
    }
    await answer.complete();
    await stream.reaches(answer.eventId);
    stream.close();
    expect(stream.ids).toEqual(Array.from({ length: 32 }, (_, index) => `${answer.id}:${index + 1}`));
    expect(transcript(stream.events)[answer.id]).toMatchObject({ status: 'complete', text: { p1: words } });
  });

  it('leave no claim waiting for work that came meanwhile', async () => {
    const organizationId = await organizationOf(await writer.person());
    const before = await listenerPids();
    const waiting = claim(reader, organizationId, { waitSeconds: 20 });
    await writer.db.query(`select pg_terminate_backend(pid) ${LISTENERS}`);
    await queueTask(writer, organizationId);
    const { status, body } = await waiting;
    expect([status, body.data.length]).toEqual([200, 1]);
    await until('both listen again', async () => {
      const pids = await listenerPids();
      return pids.split(' ').length === 2 && pids !== before;
    });
  }, 30_000);
});
