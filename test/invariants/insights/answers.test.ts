import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../../src/kernel/database/index.ts';
import { plusDays } from '../../../src/modules/insights/definitions/index.ts';
import { MARCH, ZONE } from '../../support/factories/insights/receipts.ts';
import { CollectedSource } from '../../support/factories/insights/stores.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** Raised by hand. */
const QUERIES = Number(process.env['INSIGHT_QUERIES'] ?? 24);

const { app, owner, organization } = useOrganization({ per: 'test' });
let store: CollectedSource;
const query = (more: object) =>
  owner.post(`/organizations/${organization.id}/insights/query`, { query: { ...MARCH, grain: 'day', ...more } });

const days = Array.from({ length: 31 }, (_, index) => plusDays(MARCH.from, index));
/** All of a publication's days hold its number. */
const publish = (value: number) =>
  store.publish('orders', {
    ...MARCH,
    series: [{ measure: 'orders.count', from: MARCH.from, values: days.map(() => String(value)) }],
  });

beforeEach(async () => {
  store = await new CollectedSource(app, organization.id, ZONE).open();
});

describe('an answer', () => {
  it(`never holds half of a publication, in ${QUERIES} queries beside publications`, async () => {
    await publish(1);
    const ending = new AbortController();
    const publishing = (async () => {
      for (let value = 2; !ending.signal.aborted; value += 1) await publish(value);
    })();
    const mixed: unknown[] = [];
    const seen = new Set<string>();
    const ask = async () => {
      const { status, body, text } = await query({ metrics: [{ key: 'payments.orders' }] });
      if (status !== 200) throw new Error(text);
      const values = new Set<string>(body.data.series[0].points.map(({ value }: { value: string }) => value));
      if (values.size !== 1 || !values.has(String(body.data.publicationRevision))) mixed.push([...values]);
      for (const value of values) seen.add(value);
    };
    try {
      for (let asked = 0; asked < QUERIES; asked += 4) await Promise.all([ask(), ask(), ask(), ask()]);
    } finally {
      ending.abort();
      await publishing;
    }
    expect(mixed).toEqual([]);
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('what is too much', () => {
  /** How many statements that read figures were sent meanwhile. */
  async function readsOfFigures(work: () => Promise<unknown>): Promise<number> {
    const texts: string[] = [];
    const database = app.app.get(Database);
    const original = database.roundTripOf.bind(database);
    database.roundTripOf = (login, line, queries) =>
      original(login, line, () => {
        const statements = queries();
        texts.push(...statements.map(({ text }) => text));
        return statements;
      });
    try {
      await work();
    } finally {
      database.roundTripOf = original;
    }
    return texts.filter((text) => text.includes('b.values::text[]')).length;
  }

  it('is refused before a figure is read: series, points, and what is no question at all', async () => {
    await publish(1);
    const refused = async (more: object) => {
      const { status } = await query(more);
      expect(status).toBe(400);
    };
    const many = Array.from({ length: 20 }, () => ({ key: 'payments.orders' }));
    const year = { from: '2025-04-01', to: '2026-04-01' };
    expect(await readsOfFigures(() => refused({ metrics: many, ...year, grain: 'day', to: '2026-04-02' }))).toBe(0);
    expect(await readsOfFigures(() => refused({ metrics: [{ key: 'nothing' }] }))).toBe(0);
    expect(await readsOfFigures(() => query({ metrics: many.slice(0, 1) }))).toBeGreaterThan(0);
    for (let resource = 2; resource <= 7; resource += 1)
      await (await store.beside(String(resource))).publish('orders', MARCH);
    expect(await readsOfFigures(() => refused({ metrics: many, grain: 'month' }))).toBe(0);
  });
});
