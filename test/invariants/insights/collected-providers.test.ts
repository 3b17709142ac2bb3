import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { AuthorizedAccount } from '../../support/connectors/authorized-account.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { DocumentDbPeer, READ_ACTIONS } from '../../support/peers/document-db/document-db-peer.ts';
import { KeyValuePeer } from '../../support/peers/key-value-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { AnalyticsPeer } from '../../support/peers/providers/analytics-peer.ts';
import { SupportPeer } from '../../support/peers/providers/support-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const SCOPE = 'https://www.googleapis.com/auth/analytics.readonly';
const WEBSITE = '8c842203-7ed8-4e29-a608-7cf78a7d2fcc';
const CONNECTION = 'CANARY-crisp-id-1:CANARY-crisp-key-1Rk7';
const REPORTING = { identifier: 'CANARY-crisp-id-2', key: 'CANARY-crisp-key-2Tq8' };
const USER = { username: 'reader', password: 'CANARY-p@ss:/?#%w!' };
const DAY_MS = 86_400_000;

const app = new TestApp();
let outside: Outside;
let account: AuthorizedAccount;
let stores: KeyValuePeer;
let inbox: SupportPeer;
let cluster: DocumentDbPeer;
let analytics: AnalyticsPeer;
let place: Workplace;
/** A day of which nothing moves any more, in every timezone of this file. */
const settled = new Date(Date.now() - 10 * DAY_MS);
const DAY = settled.toISOString().slice(0, 10);

beforeAll(async () => {
  outside = await Outside.start();
  stores = await KeyValuePeer.start(outside);
  inbox = await SupportPeer.start(outside);
  cluster = await DocumentDbPeer.start(outside);
  analytics = await AnalyticsPeer.start(outside);
  account = await AuthorizedAccount.start([SCOPE]);
  await app.open({ ownDatabase: true, env: account.env });
  outside.surround(app);
  account.serve(app);
  place = await Workplace.open(app);
});
afterAll(async () => {
  await app.close();
  await Promise.all([stores.stop(), inbox.mcp.stop(), account.stop()]);
  outside.stop();
});

const at = (key: string, rest = '') => place.path(`/integrations/${key}${rest}`);

async function connected(key: string, credential: object | undefined, settings: object): Promise<void> {
  if (credential) expect((await place.owner.put(at(key, '/credential'), credential)).status).toBe(200);
  const saved = await place.owner.put(at(key, '/settings'), { settings: { kind: key, ...settings } });
  if (saved.status !== 200) throw new Error(saved.text);
}

async function collect(): Promise<void> {
  await app.runJob('outbox');
  await app.runJob('insight-collection');
}

/** Sums of what is visible, by measure with currency and cut. */
async function totals(provider: string): Promise<Record<string, number>> {
  const { rows } = await app.db.query<{ name: string; total: number }>(
    `select concat_ws(' ', m.measure, m.grain, m.currency, m.cut) as name, sum(v)::float8 as total
     from metric_series m join metric_source s on s.id = m.source_id join metric_block b on b.series_id = m.id
     cross join unnest(b.values) v
     where m.organization_id = $1 and s.provider = $2 and b.to_revision is null
     group by 1 having sum(v) <> 0 order by 1`,
    [place.organizationId, provider],
  );
  return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
}

/** How many periods of each read have which coverage. */
async function coverage(provider: string): Promise<Record<string, number>> {
  const { rows } = await app.db.query<{ name: string; n: number }>(
    `select concat_ws(' ', c.read_key, c.status, c.reason) as name, count(*)::int as n
     from metric_coverage c join metric_source s on s.id = c.source_id
     where c.organization_id = $1 and s.provider = $2 and c.to_revision is null group by 1 order by 1`,
    [place.organizationId, provider],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

it('keys of a store are states of today', async () => {
  await stores.redis.set('visitors', '12.5');
  await stores.redis.rpush('queue', 'a', 'b', 'c');
  await stores.redis.set('words', 'many');
  const keys = [
    { key: 'visitors', type: 'numeric' },
    { key: 'words', type: 'numeric' },
    { key: 'queue', type: 'collection' },
  ];
  const credential = { kind: 'rest_token', url: stores.origin, token: await stores.token() };
  await connected('key-value-store', credential, { scope: { mode: 'all' }, reporting: { keys } });
  await collect();
  expect(await totals('key-value-store')).toEqual({ 'keys.value day visitors': 12.5, 'keys.size day queue': 3 });
  expect(await coverage('key-value-store')).toEqual({ 'keys partial': 1 });
  const { rows } = await app.db.query(
    `select array_remove(b.reasons, null) as reasons from metric_block b join metric_series m on m.id = b.series_id
     where m.cut = 'words'`,
  );
  expect(rows).toEqual([{ reasons: ['non_numeric'] }]);
});

it('a day that is over keeps the state that was seen last', async () => {
  await app.db.query(
    `update metric_coverage set period_start = to_char(now() - interval '2 days', 'YYYY-MM-DD') where read_key = 'keys'`,
  );
  await app.db.query(`update metric_read set due_at = now() where read_key = 'keys'`);
  await app.db.query(`update metric_source set due_at = now() where provider = 'key-value-store'`);
  await collect();
  expect(await coverage('key-value-store')).toEqual({ 'keys complete': 1, 'keys partial': 1 });
});

it('conversations are counted by their days, and as they stand, with the credential of reports', async () => {
  inbox.keypairs.set(`website ${CONNECTION}`, WEBSITE);
  inbox.keypairs.set(`plugin ${REPORTING.identifier}:${REPORTING.key}`, WEBSITE);
  inbox.conversations = Array.from({ length: 60 }, (_, nth) => ({
    session_id: `session_${nth}`,
    website_id: WEBSITE,
    created_at: settled.getTime() + nth,
    state: nth % 2 === 0 ? 'resolved' : 'unresolved',
    ...(nth % 4 === 1 ? { waiting_since: settled.getTime() } : {}),
  }));
  await connected('support-inbox', { kind: 'api_key', apiKey: CONNECTION }, { websiteId: WEBSITE });
  await collect();
  const { rows } = await app.db.query(
    `select coverage->>'reason' as reason from metric_source where provider = 'support-inbox'`,
  );
  expect(rows).toEqual([{ reason: 'unsupported_capability' }]);

  const credential = { kind: 'rest_key', websiteId: WEBSITE, ...REPORTING, tier: 'plugin' };
  expect((await place.owner.put(at('support-inbox', '/reporting-credential'), { credential })).status).toBe(200);
  await collect();
  expect(await totals('support-inbox')).toEqual({
    'created.conversations_created day': 60,
    'open.conversations_open day': 30,
    'open.conversations_waiting day': 15,
  });
  expect(await coverage('support-inbox')).toEqual({
    'created complete': 90,
    'created partial': 1,
    'open partial': 1,
  });
  expect(inbox.faults).toEqual([]);
});

it('documents are counted by the index on their creation', async () => {
  cluster.users.set(USER.username, { password: USER.password, actions: READ_ACTIONS });
  cluster.collections.set('orders', {
    documents: [1, 2, 3].map((total) => ({ _id: new ObjectId(), total, placedAt: settled })),
    indexes: [
      { name: '_id_', key: { _id: 1 } },
      { name: 'placedAt_-1', key: { placedAt: -1 } },
    ],
  });
  const collections = [{ name: 'orders', fields: ['_id', 'total', 'placedAt'] }];
  const reporting = { creationFields: { orders: 'placedAt' } };
  const credential = { kind: 'srv', clusterHost: cluster.host, ...USER };
  await connected('document-db', credential, { databaseName: 'shop', collections, reporting });
  await collect();
  expect(await totals('document-db')).toEqual({ 'created.created day': 3 });
  const { 'created complete': complete, ...others } = await coverage('document-db');
  expect(complete).toBeGreaterThan(390);
  expect(others).toEqual({ 'created partial': 1 });
});

it('web figures come at each grain, by each cut, and with what the provider says of its counting', async () => {
  analytics.properties.set('11', { displayName: 'Shop' });
  const day = DAY.replaceAll('-', '');
  analytics.override = ({ path, body }) => {
    if (!path.endsWith(':runReport')) return undefined;
    const { dimensions, dateRanges } = body as {
      dimensions: { name: string }[];
      dateRanges: { startDate: string; endDate: string }[];
    };
    const [{ startDate, endDate }] = dateRanges as [{ startDate: string; endDate: string }];
    const [period, cut] = dimensions.map(({ name }) => name);
    const isInside = startDate <= DAY && DAY <= endDate;
    const counted = cut ? ['4', '3', '2', '1'] : ['9', '8', '7', '1', '1.999E1'];
    if (period !== 'date') analytics.rows = [];
    else if (!isInside) analytics.rows = [];
    else if ((body as { metrics: { name: string }[] }).metrics.some(({ name }) => name === 'sessions'))
      analytics.rows = [[[day], ['5', '2', '6', '3']]];
    else analytics.rows = [[cut ? [day, cut === 'country' ? 'Chile' : 'Direct'] : [day], counted]];
    return undefined;
  };
  await account.authorize(app, place.owner, at('web-analytics'), {});
  await connected('web-analytics', undefined, { propertyIds: ['11'], defaultPropertyId: '11' });
  for (let nth = 0; nth < 12; nth += 1) {
    await collect();
    // Another day of the budget.
    await app.db.query(`update metric_source set calls = 0, due_at = now() where provider = 'web-analytics'`);
  }
  expect(analytics.faults).toEqual([]);
  expect(await totals('web-analytics')).toMatchObject({
    'traffic.screenPageViews day': 8,
    'traffic.screenPageViews.channel day Direct': 3,
    'traffic.screenPageViews.country day Chile': 3,
    'traffic.purchaseRevenue day EUR': 19.99,
    'audience.sessions day': 6,
  });
  const covered = await coverage('web-analytics');
  expect(covered['traffic complete']).toBeGreaterThan(390);
  expect(covered['audience.week complete']).toBeGreaterThan(50);
  expect(covered['audience.month complete']).toBeGreaterThanOrEqual(12);
  const { rows } = await app.db.query(
    `select reporting from metric_coverage where read_key = 'traffic' and to_revision is null and period_start = $1`,
    [DAY],
  );
  expect(rows[0].reporting).toMatchObject({ timezone: 'Europe/Berlin', eventRetentionMonths: 14, cached: false });
}, 60_000);
