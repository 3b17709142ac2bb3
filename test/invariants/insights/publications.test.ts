import { beforeEach, describe, expect, it } from '@jest/globals';
import { Reads, type Statement } from '../../../src/kernel/database/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { standingAccess } from '../../../src/kernel/tenancy/index.ts';
import { readOf } from '../../../src/modules/insights/definitions/index.ts';
import {
  blocksAt,
  coverageAt,
  publicationRevision,
  seriesOf,
} from '../../../src/modules/insights/publication/publication.queries.ts';
import { CollectedSource, type GivenDays } from '../../support/factories/insights/stores.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** Raised by hand; the figures of a long race are in the notes of the release. */
const PUBLICATIONS = Number(process.env.PUBLICATIONS ?? 40);
const READERS = 4;
const NOVEMBER = { from: '2026-11-01', to: '2026-12-01' };
const MEASURES = ['orders.count', 'orders.gross', 'orders.refunded'];

const { app, organization } = useOrganization({ per: 'test' });

describe('a publication', () => {
  let store: CollectedSource;
  beforeEach(async () => {
    store = await new CollectedSource(app, organization.id).open();
  });

  it('is seen by whoever pins it, and leaves what was pinned before as it was', async () => {
    const first = await store.publish('orders', of(['1', '2', '3']));
    const second = await store.publish('orders', of(['1', '5', '3']));
    expect([first?.revision, second?.revision]).toEqual([1, 2]);
    expect(await valuesAt(store, 0)).toEqual({});
    expect(await valuesAt(store, 1)).toEqual({ 'orders.count': ['1', '2', '3'] });
    expect(await valuesAt(store, 2)).toEqual({ 'orders.count': ['1', '5', '3'] });
    expect(await rows('select old, new from metric_restatement where organization_id = $1')).toEqual([
      { old: '2', new: '5' },
    ]);
  });

  it('writes again only what changed', async () => {
    await store.publish('orders', of(['1', '2', '3']));
    await store.publish('orders', { ...of(['1', '2', '3']), coverage: { collectedAt: '2026-11-30T01:00:00Z' } });
    expect(await rows('select from_revision as r from metric_block where organization_id = $1')).toEqual([{ r: 1 }]);
    const kept = await rows(
      'select count(*)::int as n, count(to_revision)::int as ended from metric_coverage where organization_id = $1',
    );
    expect(kept).toEqual([{ n: 6, ended: 3 }]);
  });

  it('empties days of series that were not counted again, and leaves days that were not read', async () => {
    await store.publish('orders', of(['1', '2', '3']));
    await store.publish('orders', { from: '2026-11-02', to: '2026-11-03' });
    await store.publish('orders', { ...of([]), coverage: { status: 'none', reason: 'truncated' } });
    expect(await valuesAt(store, 3)).toEqual({ 'orders.count': ['1', null, '3'] });
    const coverage = await read(coverageAt(place(store), 3, NOVEMBER.from, NOVEMBER.to));
    expect(coverage.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
  });

  it('keeps what other listed days add to a day when some are read again', async () => {
    const refunds = (listedOn: string, value: string) => ({
      measure: 'orders.refunded',
      currency: 'EUR',
      listedOn,
      slots: new Map([['2026-11-03', { value, reason: null }]]),
    });
    await store.publish('orders', { ...of([]), late: [refunds('2026-11-01', '1.50'), refunds('2026-11-03', '2')] });
    expect(await valuesAt(store, 1)).toEqual({ 'orders.refunded': [null, null, '3.5'] });
    const again = { from: '2026-11-03', to: '2026-11-04' };
    await store.publish('orders', { ...again, late: [refunds('2026-11-03', '4')] });
    expect(await valuesAt(store, 2)).toEqual({ 'orders.refunded': [null, null, '5.5'] });
    await store.publish('orders', again);
    expect(await valuesAt(store, 3)).toEqual({ 'orders.refunded': [null, null, '1.5'] });
  });

  it.each([
    ['the lease is another one', `update metric_source set lease_token = gen_random_uuid()`],
    ['the lease has lapsed', `update metric_source set lease_expires_at = now() - interval '1 second'`],
    ['the settings moved', `update integration set settings_revision = settings_revision + 1`],
    ['the choices of reports moved', `update integration set collection_generation = collection_generation + 1`],
    ['the account is another one', `update integration_credential set identity = 'test'`],
    ['the connector was switched off', `update integration set enabled = false`],
    ['the connector is verified no more', `update integration set verified_for = null`],
    ['the resource is out of scope', `update integration set verified_resources = '[]'`],
  ])('does not happen when %s meanwhile', async (_, change) => {
    await store.publish('orders', of(['1', '2', '3']));
    await app.db.query(`${change} where organization_id = $1`, [organization.id]);
    expect(await store.publish('orders', of(['9', '9', '9']))).toBeUndefined();
    expect(await revision()).toBe(1);
    expect(await valuesAt(store, 9)).toEqual({ 'orders.count': ['1', '2', '3'] });
  });
});

describe('publications and readers that race', () => {
  it('show all of a publication or nothing of it', async () => {
    const first = await new CollectedSource(app, organization.id).open();
    const stores = [first, await first.beside('2')];
    await Promise.all(stores.map((store) => store.publish('orders', all('0'))));
    const work = { left: PUBLICATIONS };
    let reads = 0;
    const mixtures: unknown[] = [];
    const publisher = async (store: CollectedSource) => {
      while (work.left > 0) {
        const value = String(work.left);
        work.left -= 1;
        await store.publish('orders', all(value));
      }
    };
    const reader = async () => {
      while (work.left > 0) {
        const pinned = await revision();
        for (const store of stores) {
          const seen = Object.values(await valuesAt(store, pinned)).flat();
          if (new Set(seen).size !== 1 || seen.length !== 60) mixtures.push(seen);
        }
        reads += 1;
      }
    };
    await Promise.all([...stores.map(publisher), ...Array.from({ length: READERS }, reader)]);
    if (process.env.PUBLICATIONS) console.info(`${PUBLICATIONS} publications, ${reads} reads`);
    expect(mixtures).toEqual([]);
    expect(reads).toBeGreaterThan(0);
    expect(await revision()).toBe(PUBLICATIONS + 2);
    const doubled = await rows(
      `select series_id from metric_block where organization_id = $1 and to_revision is null
       group by series_id, block_start having count(*) > 1`,
    );
    expect(doubled).toEqual([]);
  }, 120_000);
});

/** Three days of orders. */
function of(values: readonly string[]): GivenDays {
  const series = values.length > 0 ? [{ measure: 'orders.count', from: '2026-11-01', values }] : [];
  return { from: '2026-11-01', to: '2026-11-04', series };
}

/** The same value on all days of two series. */
function all(value: string): GivenDays {
  const values = Array.from({ length: 30 }, () => value);
  const from = NOVEMBER.from;
  const series = [
    { measure: 'orders.count', from, values },
    { measure: 'orders.gross', currency: 'EUR', from, values },
  ];
  return { ...NOVEMBER, series };
}

function place({ id, timezone }: CollectedSource) {
  const { key: readKey, version, grain } = readOf('payments', 'orders')!;
  return { organizationId: organization.id, sourceId: id, readKey, version, timezone, grain };
}

function read<Row>(statement: Statement<Row>): Promise<Row[]> {
  return app.app.get(Reads).through(standingAccess(organization.id, EdgeErrors.organizationNotFound), statement);
}

async function revision(): Promise<number> {
  const [state] = await read(publicationRevision(organization.id));
  return state!.revision;
}

/** The days that have a value, or had one, of each measure as a reader of a revision sees them. */
async function valuesAt(store: CollectedSource, pinned: number): Promise<Record<string, (string | null)[]>> {
  const series = await read(seriesOf(place(store), MEASURES));
  const ids = series.map(({ id }) => id);
  const blocks = await read(blocksAt(organization.id, pinned, ids, NOVEMBER));
  return Object.fromEntries(
    blocks.map(({ seriesId, values }) => {
      const last = values.findLastIndex((value) => value !== null);
      return [series.find(({ id }) => id === seriesId)!.measure, values.slice(0, last + 1)];
    }),
  );
}

async function rows(text: string): Promise<Record<string, unknown>[]> {
  return (await app.db.query(text, [organization.id])).rows;
}
