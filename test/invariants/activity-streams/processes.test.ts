import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Reads } from '../../../src/kernel/database/index.ts';
import { ActivityEventsService } from '../../../src/modules/organizations/events/activity-events.service.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { EventReader, listening } from '../../support/event-reader.ts';
import { tell, writeEntries } from '../../support/factories/activity.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Two processes of a deployment: their event buses meet in the database only. */
const app = useTestApp();
const other = useTestApp();
let baseUrls: readonly string[];
let owner: Person;
let organizationId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  baseUrls = [await listening(app), await listening(other)];
  // No looks at followed logs meanwhile: what is counted here is what signals cause.
  for (const each of [app, other]) each.app.get(ActivityEventsService).beforeApplicationShutdown();
});
beforeEach(async () => {
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const reader of readers.splice(0)) reader.close();
});

async function follow(baseUrl: string, lastEventId?: string, id = organizationId, token = owner.token) {
  const reader = await EventReader.open(baseUrl, `/organizations/${id}/events`, { token, lastEventId });
  readers.push(reader);
  return reader;
}

/** Reads that each process makes from now on for those who are on its streams already. */
function readsOf(): () => number[] {
  const spies = [app, other].map((each) => jest.spyOn(each.app.get(Reads), 'through'));
  return () => spies.map(({ mock }) => mock.calls.length);
}

describe('an entry', () => {
  it('reaches every stream on every process, read once by each', async () => {
    for (const baseUrl of baseUrls) for (let nth = 0; nth < 5; nth += 1) await follow(baseUrl);
    await Promise.all(readers.map((reader) => reader.count(1)));
    // What came between the first reader's look and its stream is read too.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const reads = readsOf();
    await createTask(other.client(owner.token), organizationId);
    await Promise.all(readers.map((reader) => reader.count(2)));
    expect(reads()).toEqual([1, 1]);
    for (const reader of readers) expect(reader.told.slice(1)).toEqual(readers[0]!.told.slice(1));
  });

  it('is read together with others that are written meanwhile', async () => {
    for (const baseUrl of baseUrls) await follow(baseUrl);
    await Promise.all(readers.map((reader) => reader.count(1)));
    const reads = readsOf();
    for (let nth = 0; nth < 200; nth += 1) {
      await writeEntries(app.db, organizationId);
      tell(app, organizationId);
    }
    await Promise.all(readers.map((reader) => reader.count(201)));
    for (const count of reads()) expect(count).toBeLessThan(200);
  });

  it('is told to nobody elsewhere', async () => {
    const stranger = await app.person();
    const theirs = await organizationOf(stranger);
    const [mine, their] = [await follow(baseUrls[0]!), await follow(baseUrls[1]!, undefined, theirs, stranger.token)];
    await Promise.all(readers.map((reader) => reader.count(1)));
    await createTask(owner, organizationId);
    await mine.count(2);
    await createTask(stranger, theirs);
    await their.count(2);
    expect([mine.last.data.verb, their.events.length]).toEqual(['task.created', 2]);
  });
});

describe('a client that was further on in another process', () => {
  it('misses nothing where that process has not heard of it yet', async () => {
    const here = await follow(baseUrls[0]!);
    const there = await follow(baseUrls[1]!);
    await Promise.all(readers.map((reader) => reader.count(1)));
    await writeEntries(app.db, organizationId, 3);
    app.app.get(ActivityEventsService);
    // Only one of them hears of it.
    jest.spyOn(other.app.get(Reads), 'through');
    tell(app, organizationId);
    await here.count(4);
    const back = await follow(baseUrls[1]!, here.ids[2]);
    await back.count(1);
    expect(back.told).toEqual(here.told.slice(3));
    await there.count(4);
    expect(there.told).toEqual(here.told);
    await createTask(owner, organizationId);
    await Promise.all([back.count(2), there.count(5), here.count(5)]);
    expect(back.last.data).toEqual(there.last.data);
  });

  it('comes back with others at once, for whom a page is read once', async () => {
    const first = await follow(baseUrls[0]!);
    await first.count(1);
    await writeEntries(app.db, organizationId, 250);
    // Nothing is read before all of them are there, however far apart they arrive.
    const arrived = Promise.withResolvers<void>();
    const reads = other.app.get(Reads);
    const through = reads.through.bind(reads);
    const spy = jest.spyOn(reads, 'through').mockImplementation(async (access, query) => {
      await arrived.promise;
      return through(access, query);
    });
    await Promise.all(Array.from({ length: 20 }, () => follow(baseUrls[1]!, first.ids[0])));
    arrived.resolve();
    await Promise.all(readers.slice(1).map((reader) => reader.count(250)));
    for (const reader of readers.slice(1)) expect(reader.told).toEqual(readers[1]!.told);
    // The news, and two pages: of the first of them, and of all others.
    expect(spy.mock.calls.length).toBeLessThan(10);
    await until('the first one hears of it', () => first.events.length >= 1);
  });
});

describe('a filter that leaves almost everything out', () => {
  it('does not make a client pass over it again: it is told where it is', async () => {
    const reader = await EventReader.open(baseUrls[0]!, `/organizations/${organizationId}/events?verb=member.added`, {
      token: owner.token,
    });
    readers.push(reader);
    await reader.count(1);
    const { lastEventId } = reader;
    await writeEntries(app.db, organizationId, 600);
    tell(app, organizationId);
    await until('it is told', () => reader.lastEventId !== lastEventId);
    expect(reader.events.length).toBe(1);
    const back = await follow(baseUrls[1]!, reader.lastEventId);
    await back.count(100);
    expect(back.events.every(({ event }) => event === 'activity')).toBe(true);
  });
});
