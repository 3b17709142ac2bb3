import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventReader, listening, type Received } from '../../support/event-reader.ts';
import { loggedIds, tell, writeEntries, Writers } from '../../support/factories/activity.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Two processes of a deployment. */
const app = useTestApp();
const other = useTestApp();
let baseUrls: readonly string[];
let owner: Person;
let organizationId: string;

beforeAll(async () => {
  baseUrls = [await listening(app), await listening(other)];
  owner = await app.person();
  organizationId = await organizationOf(owner);
});

const WRITERS = 8;
const SECONDS = 3;
const PER_SECOND = 1_000;

/** A client that loses its connection behind every few events, and comes back to the other process. */
class DroppedClient {
  connections = 0;
  private readonly before: Received[] = [];
  private reader: EventReader | undefined;
  /** How many events it takes of its present connection. */
  private enough = 0;
  private isOver = false;

  /** How many events it takes of its nth connection. */
  constructor(private readonly drop: (nth: number) => number) {}

  stop(): void {
    this.isOver = true;
  }

  get count(): number {
    return this.events.length;
  }

  /** What it keeps: what comes behind the last event that it takes of a connection is lost with that. */
  get events(): readonly Received[] {
    return [...this.before, ...(this.reader?.events.slice(0, this.enough) ?? [])];
  }

  get entries(): string[] {
    return this.events.filter(({ event }) => event === 'activity').map(({ data }) => data.id!);
  }

  async run(): Promise<void> {
    let lastEventId: string | undefined;
    while (!this.isOver) {
      const enough = this.drop(this.connections);
      const baseUrl = baseUrls[(this.connections += 1) % 2]!;
      const path = `/organizations/${organizationId}/events`;
      const reader = await EventReader.open(baseUrl, path, { token: owner.token, lastEventId });
      [this.reader, this.enough] = [reader, enough];
      await until('events are here', () => this.isOver || reader.events.length >= enough, 60_000);
      reader.close();
      this.before.push(...reader.events.slice(0, enough));
      this.reader = undefined;
      lastEventId = this.before.at(-1)!.id;
    }
  }
}

/** Transactions of one to three entries, some of them slow, some undone. */
async function writeFor(seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  let written = 0;
  await new Writers(app, WRITERS).run(async (client, nth) => {
    for (let round = 0; performance.now() < end; round += 1) {
      const ahead = written / PER_SECOND - (performance.now() - (end - seconds * 1_000)) / 1_000;
      if (ahead > 0) await wait(ahead * 1_000);
      const count = 1 + ((round + nth) % 3);
      await client.query('begin');
      await writeEntries(client, organizationId, count);
      if (round % 10 === nth) await wait(30);
      const isUndone = round % 11 === 3;
      await client.query(isUndone ? 'rollback' : 'commit');
      if (isUndone) continue;
      written += count;
      tell(round % 2 === 0 ? app : other, organizationId);
    }
  });
}

describe('streams of an organization under 1,000 changes a second over two processes', () => {
  it('give the log exactly to clients that are dropped behind any event', async () => {
    const before = new Set(await loggedIds(app, organizationId));
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const clients = [
      new DroppedClient((nth) => (nth < 60 ? 1 : Number.POSITIVE_INFINITY)),
      new DroppedClient((nth) => (nth < 100 ? 1 + random(20) : Number.POSITIVE_INFINITY)),
      new DroppedClient(() => 1 + random(60)),
      new DroppedClient(() => 1 + random(600)),
      new DroppedClient(() => Number.POSITIVE_INFINITY),
    ];
    const runs = clients.map((client) => client.run());
    try {
      await until('all follow', () => clients.every(({ count }) => count > 0));
      // One transaction is open all the time, and writes more in the end than is read at once.
      await new Writers(app, 2).run(async (client, nth) => {
        if (nth === 1) return writeFor(SECONDS);
        await client.query('begin');
        await writeEntries(client, organizationId, 3);
        await wait(SECONDS * 1_000 + 200);
        await writeEntries(client, organizationId, 1_200);
        await client.query('commit');
        tell(other, organizationId);
      });
      const log = (await loggedIds(app, organizationId)).filter((id) => !before.has(id)).sort();
      expect(log.length).toBeGreaterThan(1_500);
      await until('all have as much as the log', () => clients.every(({ count }) => count > log.length), 30_000);
      await wait(100);
      for (const client of clients) {
        // Exactly: nothing left out, nothing twice, nothing else.
        expect(client.entries.sort()).toEqual(log);
        expect(client.events.filter(({ event }) => event === 'snapshot').length).toBe(1);
      }
      expect(clients[0]!.connections).toBeGreaterThan(60);
    } finally {
      for (const client of clients) client.stop();
      await Promise.all(runs);
    }
  }, 60_000);
});
