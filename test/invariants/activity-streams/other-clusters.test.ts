import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivityClustersService } from '../../../src/modules/organizations/events/activity-clusters.service.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { EventReader, listening } from '../../support/event-reader.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { TestApp } from '../../support/test-app.ts';

/** A database of their own, of which the cluster is said to be another one. */
let app: TestApp;
let other: TestApp;
let baseUrls: readonly string[];
let owner: Person;
let organizationId: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  const databaseUrl = await freshDatabase('migrated');
  [app, other] = [await TestApp.start({ databaseUrl }), await TestApp.start({ databaseUrl })];
  baseUrls = [await listening(app), await listening(other)];
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterAll(async () => {
  for (const reader of readers) reader.close();
  await Promise.all([app.close(), other.close()]);
});

async function follow(baseUrl: string, lastEventId?: string): Promise<EventReader> {
  const path = `/organizations/${organizationId}/events`;
  const reader = await EventReader.open(baseUrl, path, { token: owner.token, lastEventId });
  readers.push(reader);
  await reader.count(1);
  return reader;
}

/** The entries are numbered as in a cluster whose numbers are far ahead of this one's. */
const numberedElsewhere = () => app.db.query(`update activity set written_in = written_in + 1000000`);
/** From now on the log is in a cluster that is not the one it was in. */
const restoredHere = () => app.db.query(`update activity_cluster set system_identifier = 'another'`);

describe('a log that was brought into another database cluster', () => {
  it('goes on for those who follow it, who are told that nothing leads there from where they were', async () => {
    await numberedElsewhere();
    const open = [await follow(baseUrls[0]!), await follow(baseUrls[1]!)];
    const position = open[0]!.last.id;
    await restoredHere();
    const unseen = await createTask(owner, organizationId);
    await Promise.all(open.map((reader) => reader.count(2)));
    for (const { last } of open) expect(last.data).toMatchObject({ type: 'snapshot', reason: 'unknown_position' });

    const back = await follow(baseUrls[1]!, position);
    expect(back.last.data).toMatchObject({ type: 'snapshot', reason: 'unknown_position' });
    const { data } = (await owner.get(`/organizations/${organizationId}/activity`)).body;
    expect(data[0].subject.id).toBe(unseen.id);

    const seen = await createTask(owner, organizationId);
    await Promise.all([...open.map((reader) => reader.count(3)), back.count(2)]);
    for (const { last } of [...open, back]) expect(last.data).toMatchObject({ subject: { id: seen.id } });
    // From here on positions hold.
    const again = await follow(baseUrls[0]!, open[1]!.ids[1]);
    expect(again.told).toEqual(open[1]!.told.slice(2));
  });

  it('is noted once, whichever process comes first', async () => {
    const number = async () => (await app.db.query('select number from activity_cluster')).rows;
    const [before] = await number();
    await numberedElsewhere();
    await restoredHere();
    const first = await follow(baseUrls[0]!);
    const noted = await Promise.all(
      [app, other, app, other].map((each) => each.app.get(ActivityClustersService).current()),
    );
    expect(noted).toEqual(noted.map(() => before.number + 1));
    expect(await number()).toEqual([{ number: before.number + 1 }]);
    await createTask(owner, organizationId);
    await first.count(2);
    const back = await follow(baseUrls[1]!, first.ids[0]);
    expect(back.told).toEqual(first.told.slice(1));
  });
});
