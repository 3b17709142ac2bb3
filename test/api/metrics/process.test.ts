import { Readable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../../src/kernel/database/index.ts';
import { EventStreams } from '../../../src/kernel/http/sse/index.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { RunExpiryService } from '../../../src/modules/runs/attempts/run-expiry.service.ts';
import { EventReader, eventsPath, listening } from '../../support/event-reader.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { scrape } from '../../support/scrape.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({
  env: { DATABASE_POOL_SIZE: '6', EVENT_STREAMS_PER_SUBJECT: '1', ROLE: 'worker' },
});
let baseUrl: string;
beforeAll(async () => {
  baseUrl = await listening(app);
});
afterEach(() => void jest.restoreAllMocks());

describe('event streams', () => {
  it('are counted while they are open, when they begin, and where one is refused or cut', async () => {
    const of = async () => {
      const seen = await scrape(app);
      return [
        seen.of('event_streams_open'),
        seen.of('event_streams_opened_total'),
        seen.of('event_streams_refused_total', { reason: 'subject' }),
        seen.of('event_streams_cut_total'),
      ];
    };
    expect(await of()).toEqual([0, 0, 0, 0]);
    const path = eventsPath({ organizationId: organization.id, chatId: await firstChat(app, organization.id) });
    const reader = await EventReader.open(baseUrl, path, { token: owner.token });
    expect((await owner.get(path)).status).toBe(503);
    expect(await of()).toEqual([1, 1, 1, 0]);
    const route = '/organizations/:organizationId/chats/:chatId/events';
    const begun = { method: 'GET', route, status: '200' };
    expect((await scrape(app)).of('http_request_duration_seconds_count', begun)).toBe(1);
    for (const stream of app.app.get(EventStreams)['open']) stream.cut();
    await until('it is closed', async () => (await of())[0] === 0);
    expect(await of()).toEqual([0, 1, 1, 1]);
    reader.close();
  });
});

describe('jobs', () => {
  const job = 'runs-expire';

  it('are counted by how they ended, with the time of their last success, and how late they are', async () => {
    const runs = async (outcome: string) => (await scrape(app)).of('job_runs_total', { name: job, outcome })!;
    const [succeeded, failed] = [await runs('success'), await runs('failure')];
    await app.runJob(job);
    const first = await scrape(app);
    const last = first.of('job_last_success_timestamp_seconds', { name: job })!;
    expect(Math.abs(last - Date.now() / 1_000)).toBeLessThan(60);
    expect(first.of('job_duration_seconds_count', { name: job })).toBeGreaterThanOrEqual(succeeded + 1);
    expect(await runs('success')).toBeGreaterThanOrEqual(succeeded + 1);

    jest.spyOn(app.app.get(RunExpiryService), 'expireDue').mockRejectedValue(new Error('expected by the test'));
    await expect(app.runJob(job)).rejects.toThrow('expected by the test');
    expect(await runs('failure')).toBeGreaterThanOrEqual(failed + 1);
    // It comes every 5 s, and now none of it succeeds.
    const realNow = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 60_000);
    const late = (await scrape(app)).of('job_lag_seconds', { name: job })!;
    expect(late).toBeGreaterThan(40);
    expect(late).toBeLessThan(120);
    expect((await scrape(app)).of('job_last_success_timestamp_seconds', { name: job })).toBeGreaterThanOrEqual(last);
  });
});

describe('connections to the database', () => {
  it('are shown by pool, and the calls that wait for one, with the time that they waited', async () => {
    const before = await scrape(app);
    expect(['urgent', 'ordinary', 'background'].map((pool) => before.of('database_connections_max', { pool }))).toEqual(
      [2, 3, 1],
    );
    const { ordinary } = app.app.get(Database)['lanes'];
    const release = Promise.withResolvers<void>();
    const held = ['a', 'b', 'c'].map((key) => ordinary.lend('app', key, () => release.promise));
    const waiting = owner.get(`/organizations/${organization.id}`);
    const seen = async () => {
      const now = await scrape(app);
      return [
        now.of('database_connections', { pool: 'ordinary', state: 'in_use' }),
        now.of('database_calls_waiting', { pool: 'ordinary' }),
      ];
    };
    await until('a call waits', async () => (await seen())[1] === 1);
    expect(await seen()).toEqual([3, 1]);
    release.resolve();
    await Promise.all(held);
    expect((await waiting).status).toBe(200);
    const after = await scrape(app);
    const grown = (name: string) => after.of(name, { pool: 'ordinary' })! - before.of(name, { pool: 'ordinary' })!;
    expect([grown('database_wait_seconds_count'), grown('database_transaction_seconds_count')]).toEqual([1, 4]);
    expect(await seen()).toEqual([0, 0]);
  });

  it('count the calls that are refused because they waited too long', async () => {
    const { ordinary } = app.app.get(Database)['lanes'];
    jest.spyOn(ordinary['admission'], 'enter').mockImplementationOnce(() => {
      throw new Error('expected by the test');
    });
    const refused = async () => (await scrape(app)).of('database_calls_refused_total', { pool: 'ordinary' });
    expect(await refused()).toBe(0);
    await owner.get(`/organizations/${organization.id}`);
    expect(await refused()).toBe(1);
  });
});

describe('the object store', () => {
  const store = () => app.app.get(ObjectStore);
  const of = async (operation: string, outcome: string) =>
    (await scrape(app)).of('object_store_operations_total', { operation, outcome });

  it('has its operations counted by how they ended: what an upload does wrong is not its failure', async () => {
    const counts = async () => [await of('put', 'success'), await of('put', 'refused'), await of('put', 'failure')];
    const before = await counts();
    await store().put('probe/a', Readable.from(['bytes']), { maxBytes: 5 });
    await expect(store().put('probe/b', Readable.from(['too many']), { maxBytes: 5 })).rejects.toThrow();
    await store().stat('probe/a');
    await store().deletePrefix('probe');
    // The service stores bytes of its own too, such as those of its checks.
    const [stored, refused, failed] = (await counts()).map((count, at) => count! - before[at]!);
    expect([stored! >= 1, refused, failed]).toEqual([true, 1, 0]);
    expect([await of('stat', 'success'), await of('delete_prefix', 'success')].every((count) => count! >= 1)).toBe(
      true,
    );
  });

  it('is up while bytes can be stored', async () => {
    expect((await scrape(app)).of('object_store_up')).toBe(1);
    const inner = (store() as unknown as { store: ObjectStore }).store;
    jest.spyOn(inner, 'check').mockRejectedValue(new Error('expected by the test'));
    expect((await scrape(app)).of('object_store_up')).toBe(0);
    // One that hangs does not hold up the scrape for longer than its bound.
    jest.spyOn(inner, 'check').mockReturnValue(new Promise(() => undefined));
    expect((await scrape(app)).of('object_store_up')).toBe(0);
  });
});
