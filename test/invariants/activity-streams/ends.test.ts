import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { EventReader } from '../../support/event-reader.ts';
import { loggedIds, tell, writeEntries } from '../../support/factories/activity.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** One process streams, the other one does what ends a stream. */
const app = useTestApp();
const other = useTestApp();
/** A local socket, which keeps little on the way. */
let address: string;
let owner: Person;
let member: Person;
let organizationId: string;
/** The service's ends of all connections, oldest first. */
const sockets: Socket[] = [];

beforeAll(async () => {
  const server: Server = app.app.getHttpServer();
  server.on('connection', (socket: Socket) => sockets.push(socket));
  address = join(process.env.TEST_FOLDER!, `${randomUUID()}.sock`);
  await new Promise<void>((resolve) => server.listen(address, resolve));
});
beforeEach(async () => {
  [owner, member] = [await app.person(), await app.person()];
  organizationId = await organizationOf(owner);
  await owner.put(`/organizations/${organizationId}/members/${member.subject}`, { role: 'owner' });
});

async function follow(token = owner.token, lastEventId?: string): Promise<EventReader> {
  const reader = await EventReader.open(address, `/organizations/${organizationId}/events`, { token, lastEventId });
  if (reader.status === 200 && lastEventId === undefined) await reader.count(1);
  return reader;
}

describe('a stream ends', () => {
  it.each<[string, (path: string) => Promise<unknown>]>([
    ['when the token behind it is revoked', () => other.bootstrap.delete(`/owner-tokens/${member.tokenId}`)],
    [
      'when its subject is no member any more',
      (path) => other.client(owner.token).delete(`${path}/members/${member.subject}`),
    ],
  ])('%s, and those of others go on', async (_when, end) => {
    const [mine, theirs] = [await follow(), await follow(member.token)];
    await end(`/organizations/${organizationId}`);
    await theirs.untilEnded();
    expect(theirs.comments.at(-1)).toBe('you may not read this any more');
    const { length } = mine.events;
    await createTask(owner, organizationId);
    await mine.count(length + 1);
    expect(mine.ended).toBe(false);
    mine.close();
  });

  it('when the organization is deleted', async () => {
    const readers = [await follow(), await follow(member.token), await follow(app.bootstrap.token)];
    await other.client(owner.token).delete(`/organizations/${organizationId}`);
    await Promise.all(readers.map((reader) => reader.untilEnded()));
    expect((await follow()).status).toBe(404);
  });
});

describe('an entry that no signal tells of', () => {
  it('comes with the next look at the log, also of a transaction that began before others ended', async () => {
    const client = await app.db.connect();
    await client.query('begin');
    await writeEntries(client, organizationId);
    await createTask(owner, organizationId);
    const reader = await follow();
    await writeEntries(app.db, organizationId);
    await reader.count(2);
    await client.query('commit');
    client.release();
    await reader.count(3);
    expect(reader.events.slice(1).map(({ event }) => event)).toEqual(['activity', 'activity']);
    reader.close();
  });
});

describe('a client that does not read', () => {
  const LABEL = 'x'.repeat(400);

  it('is cut off, takes little memory until then, and finds everything when it comes back', async () => {
    const still = await follow();
    const socket = sockets.at(-1)!;
    still.stopReading();
    const reading = await follow();
    let most = 0;
    let written = 0;
    for (; !socket.destroyed && written < 20_000; written += 100) {
      await writeEntries(app.db, organizationId, 100, LABEL);
      tell(other, organizationId);
      await reading.count(1 + written + 100);
      most = Math.max(most, socket.writableLength);
    }
    expect(socket.destroyed).toBe(true);
    // A read more than the limit of what waits.
    expect(most).toBeLessThan(128 * 1024 + 200 * 1_200);
    still.readOn();
    await still.untilEnded();
    const seen = still.events.length;
    const back = await follow(owner.token, still.last.id);
    await back.count(1 + written - seen);
    expect([...still.told, ...back.told]).toEqual(reading.told);
    for (const reader of [back, reading]) reader.close();
  });

  it('and reads again goes on behind what it has', async () => {
    const slow = await follow();
    const socket = sockets.at(-1)!;
    slow.stopReading();
    const reading = await follow();
    let written = 0;
    for (; socket.writableLength < 128 * 1024; written += 100) {
      await writeEntries(app.db, organizationId, 100, LABEL);
      tell(app, organizationId);
      await reading.count(1 + written + 100);
    }
    await writeEntries(app.db, organizationId, 300, LABEL);
    written += 300;
    tell(app, organizationId);
    await reading.count(1 + written);
    expect(socket.destroyed).toBe(false);
    slow.readOn();
    await slow.count(1 + written);
    await createTask(owner, organizationId);
    await Promise.all([slow, reading].map((reader) => reader.count(2 + written)));
    expect(slow.told).toEqual(reading.told);
    expect((await loggedIds(app, organizationId)).length).toBe(written + 3);
    for (const reader of [slow, reading]) reader.close();
  });
});
