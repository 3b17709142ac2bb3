import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Long } from 'mongodb';
import type { ProviderFailure, ReportItem, ReportPage } from '../../../src/modules/integrations/index.ts';
import { DocumentDatabases } from '../../../src/modules/providers/document-db/index.ts';
import { DocumentDbPeer, READ_ACTIONS } from '../../support/peers/document-db/document-db-peer.ts';
import { type PlanShape, SERVED, UNSERVED } from '../../support/peers/document-db/plan-shapes.ts';
import { Outside } from '../../support/peers/outside.ts';

/** Nothing runs at a document database but what its plan shows to be served by an index, and then by that index. */

const SETTINGS = {
  databaseName: 'shop',
  collections: [{ name: 'orders', fields: ['total', 'placedAt'] }],
  reporting: { creationFields: { orders: 'placedAt' } },
};
const DAY_MS = 86_400_000;
const adapter = new DocumentDatabases(['.mongodb.net']);
let outside: Outside;
let peer: DocumentDbPeer;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await DocumentDbPeer.start(outside);
});
beforeEach(() => {
  peer.reset();
  peer.users.set('runner', { password: 'CANARY-password', actions: READ_ACTIONS });
  peer.collections.set('orders', {
    documents: [1, 2, 2, 40].map((day, index) => ({
      _id: index,
      total: index,
      placedAt: new Date(Date.parse('2026-01-01T23:59:59.999Z') + (day - 1) * DAY_MS),
    })),
    indexes: [
      { name: '_id_', key: { _id: 1 } },
      { name: 'placedAt_1', key: { placedAt: 1 } },
    ],
  });
});
afterAll(async () => {
  expect(peer.faults).toEqual([]);
  await adapter.close();
  outside.stop();
});

/** Calls a tool whose call has the filter and the bound that the plan is of. */
function call({ planned = { isFiltered: true, isLimited: true } }: PlanShape) {
  const name = planned.isLimited ? 'find_documents' : 'count_documents';
  const tool = adapter.tools(SETTINGS).find((each) => each.name === name)!;
  const args = { collection: 'orders', ...(planned.isFiltered ? { filter: { total: { $gte: 1 } } } : {}) };
  return adapter.call(adapter.scope(tool, args, SETTINGS), peer.access(), peer.net());
}

const ran = () => peer.commands.filter((command) => command.find !== undefined || command.aggregate !== undefined);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: ProviderFailure) => error.failure,
  );

describe('a call whose plan is', () => {
  it.each(SERVED)('$name runs once, by its index', async (shape) => {
    peer.explained = shape.explained;
    await call(shape);
    expect(ran().map(({ hint }) => hint ?? null)).toEqual([shape.index]);
  });

  it.each(UNSERVED)('$name does not run', async (shape) => {
    peer.explained = shape.explained;
    expect(await failureOf(call(shape))).toMatchObject({ code: 'rejected', reason: 'needs_index' });
    expect(ran()).toEqual([]);
  });

  it('served by an index that is gone then fails, and scans nothing', async () => {
    peer.explained = SERVED[0]!.explained;
    peer.mishaps.set('find', { code: 2, errmsg: 'hint provided does not correspond to an existing index' });
    expect(await failureOf(call(SERVED[0]!))).toMatchObject({ code: 'rejected', reason: 'needs_index' });
    expect(ran()).toHaveLength(1);
  });
});

describe('days of a report', () => {
  const [report] = adapter.reports;
  const next = (from: string, to: string, checkpoint: ReportPage['checkpoint'] = null) => {
    const resource = { accountId: peer.host, resourceId: 'shop.orders', name: 'orders', environment: 'live' };
    const request = { settings: SETTINGS, resource, from, to, timezone: 'UTC', grain: 'day', checkpoint } as const;
    return report!.next(request, peer.access(), peer.net());
  };
  const valuesOf = (items: readonly ReportItem[]) =>
    Object.fromEntries(items.flatMap(({ entries }) => entries.map(({ period, value }) => [period, value])));

  it('are counted a month at a time, along the index, and a day without documents is zero', async () => {
    const first = await next('2026-01-01', '2026-02-11');
    expect(first.items).toHaveLength(31);
    expect(valuesOf(first.items)).toMatchObject({ '2026-01-01': '1', '2026-01-02': '2', '2026-01-03': '0' });
    expect(first.checkpoint).toEqual({ day: '2026-02-01', keptFrom: null });
    const second = await next('2026-01-01', '2026-02-11', first.checkpoint);
    expect(Object.keys(valuesOf(second.items))).toHaveLength(10);
    expect(valuesOf(second.items)).toMatchObject({ '2026-02-09': '1', '2026-02-10': '0' });
    expect([second.checkpoint, second.wholeFrom]).toEqual([null, undefined]);
    const sent = peer.commands.map((command) => Object.keys(command)[0]);
    expect(sent).toEqual(['listIndexes', 'explain', 'aggregate', 'explain', 'aggregate']);
    expect(ran()).toMatchObject([
      { hint: 'placedAt_1', maxTimeMS: 10_000, pipeline: [{ $match: {} }, { $group: {} }] },
      { hint: 'placedAt_1' },
    ]);
  });

  it('are exact however many documents there are', async () => {
    const firstBatch = [{ _id: new Date('2026-01-01T00:00:00Z'), n: Long.fromString('9007199254740993') }];
    peer.mishaps.set('aggregate', { cursor: { id: Long.ZERO, ns: 'shop.orders', firstBatch }, ok: 1 });
    expect(valuesOf((await next('2026-01-01', '2026-01-02')).items)).toEqual({ '2026-01-01': '9007199254740993' });
  });

  it('are not counted before documents expire by themselves', async () => {
    const { indexes } = peer.collections.get('orders')!;
    indexes[1] = { name: 'placedAt_1', key: { placedAt: 1 }, expireAfterSeconds: 10 * 86_400 };
    const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
    const page = await next(day(-20), day(0));
    expect(page.items).toHaveLength(9);
    expect(page.wholeFrom).toBe(page.items[0]!.key);
  });

  it.each([
    ['no index leads with the date', { name: 'total_1', key: { total: 1 } }],
    [
      'the index holds only some documents',
      { name: 'some', key: { placedAt: 1 }, partialFilterExpression: { total: 1 } },
    ],
  ])('are not counted where %s', async (_, index) => {
    peer.collections.get('orders')!.indexes[1] = index;
    expect(await failureOf(next('2026-01-01', '2026-01-02'))).toMatchObject({ reason: 'needs_index' });
    expect(ran()).toEqual([]);
  });

  it('are not counted where a document has several dates, or the right is lost', async () => {
    peer.collections.get('orders')!.documents.push({ _id: 9, placedAt: [new Date(0), new Date()] });
    expect(await failureOf(next('2026-01-01', '2026-01-02'))).toMatchObject({ reason: 'needs_index' });
    peer.collections.get('orders')!.documents.pop();
    peer.mishaps.set('aggregate', { code: 13 });
    expect(await failureOf(next('2026-01-01', '2026-01-02'))).toMatchObject({ code: 'scope_lost' });
  });
});
