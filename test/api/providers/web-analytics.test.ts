import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { AuthorizedAccount } from '../../support/connectors/authorized-account.ts';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { AnalyticsPeer } from '../../support/peers/providers/analytics-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { TestApp } from '../../support/test-app.ts';

const SCOPE = 'https://www.googleapis.com/auth/analytics.readonly';
const ADMIN = '/v1beta/properties/';
const SETTINGS = { kind: 'web-analytics', propertyIds: ['11', '22'], defaultPropertyId: '11' };

const app = new TestApp();
let outside: Outside;
let peer: AnalyticsPeer;
let account: AuthorizedAccount;
let place: Workplace;
let at: string;
let caller: Client;
let pathTo: (rest: string) => string;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await AnalyticsPeer.start(outside);
  account = await AuthorizedAccount.start([SCOPE]);
  await app.open({ env: account.env });
  outside.surround(app);
  account.serve(app);
  place = await Workplace.open(app);
  at = place.path('/integrations/web-analytics');
  await place.owner.put(`${at}/profiles`, { profileGrants: ['growth'], readOnlyProfileKeys: [] });
});
beforeEach(() => {
  peer.forget();
  peer.properties.clear();
  peer.properties.set('11', { displayName: 'Shop' }).set('22', { displayName: 'Blog', account: '2000' });
  account.issuer.granted = undefined;
});
afterEach(() => expect(peer.faults).toEqual([]));
afterAll(async () => {
  await app.close();
  await account.stop();
  outside.stop();
});

const { put, settings, connector } = {
  put: (body: object = SETTINGS) => place.owner.put(`${at}/settings`, { settings: body }),
  settings: (more: object) => ({ ...SETTINGS, ...more }),
  connector: async () => (await place.owner.get(at)).body.data,
};
const authorize = () => account.authorize(app, place.owner, at, {});
const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];

/** Connected, with both properties saved, and a run that may call. */
async function ready(): Promise<void> {
  if ((await connector()).readiness !== 'ready') {
    await authorize();
    expect((await put()).status).toBe(200);
  }
  const { agent } = await place.run();
  const { id, key } = await connector();
  ({ caller, pathTo } = await capabilityOf(place, agent, { id, key }));
  peer.requests.length = 0;
}

describe('a start: 200, 400', () => {
  it('asks for the one scope that reads, by itself, offline and with consent', async () => {
    const query = Object.fromEntries((await account.begin(place.owner, at, {})).searchParams);
    expect(query).toMatchObject({ scope: `openid email ${SCOPE}`, access_type: 'offline', prompt: 'consent' });
    expect(query.include_granted_scopes).toBeUndefined();
  });

  it.each(['accessMode', 'enabledTools', 'services'])('takes no %s', async (name) => {
    const value = name === 'accessMode' ? 'read_only' : [];
    expect(wordOf(await place.owner.post(`${at}/oauth/workspace/start`, { [name]: value }))).toEqual([
      400,
      name,
      'not_of_kind',
    ]);
  });
});

describe('an authorization', () => {
  it('connects, off until settings are saved, and asks one summary', async () => {
    await authorize();
    expect(await connector()).toMatchObject({ enabled: false, readiness: 'disabled', accessMode: 'read_only' });
    expect(peer.requests.map(({ path, query }) => `${path}?${String(query)}`)).toEqual([
      '/v1beta/accountSummaries?pageSize=1',
    ]);
  });

  it('is declined without the scope', async () => {
    account.issuer.granted = ['openid', 'email'];
    expect(await authorize()).toContain('declined');
    expect(peer.requests).toEqual([]);
  });

  it('anew leaves settings, and takes away what they were verified with until they are saved again', async () => {
    await authorize();
    await put();
    await authorize();
    expect(await connector()).toMatchObject({ settings: SETTINGS, readiness: 'needs_verification' });
    const { rows } = await app.db.query(
      `select verified_resources as resources from integration where organization_id = $1 and key = 'web-analytics'`,
      [place.organizationId],
    );
    expect(rows).toEqual([{ resources: null }]);
    expect((await put()).body.data.readiness).toBe('ready');
  });
});

describe('properties: 200', () => {
  const ask = () => place.owner.get(`${at}/web-analytics/properties`);

  it('are those of all accounts that the person may read, each once, and cost a request a page', async () => {
    await authorize();
    for (let account = 0; account < 250; account += 1)
      peer.properties.set(String(1_000 + account), { displayName: 'One', account: String(5_000 + account) });
    peer.requests.length = 0;
    const { status, body } = await ask();
    expect([status, body.data.truncated, body.data.items.length]).toEqual([200, false, 252]);
    expect(body.data.items[0]).toEqual({
      propertyId: '11',
      displayName: 'Shop',
      accountId: '1000',
      accountName: 'Account 1000',
      propertyType: 'PROPERTY_TYPE_ORDINARY',
    });
    expect(peer.requests.map(({ query }) => String(query))).toEqual(['pageSize=200', 'pageSize=200&pageToken=200']);
  });

  it('are at most 500, and 10 pages', async () => {
    await authorize();
    for (let property = 0; property < 600; property += 1)
      peer.properties.set(String(10_000 + property), { displayName: 'Many' });
    const { body } = await ask();
    expect([body.data.truncated, body.data.items.length]).toEqual([true, 500]);
    peer.requests.length = 0;
    let page = 0;
    peer.override = () => ({ body: { accountSummaries: [], nextPageToken: String((page += 1)) } });
    expect((await ask()).body.data).toEqual({ items: [], truncated: true });
    expect(peer.requests).toHaveLength(10);
  });
});

describe('properties: 409, 503', () => {
  const ask = (ref: string) => place.owner.get(place.path(`/integrations/${ref}/web-analytics/properties`));

  it('are refused of another connector, and without a credential', async () => {
    expect(wordOf(await ask('workspace'))).toEqual([409, '', 'not_supported']);
    await place.owner.delete(`${at}/credential`);
    expect(wordOf(await ask('web-analytics'))).toEqual([409, '', 'needs_credentials']);
    expect(peer.requests).toEqual([]);
  });

  it('are 503 where the list leads back to itself, or the deployment’s project may not ask', async () => {
    await authorize();
    peer.override = () => ({ body: { nextPageToken: 'again' } });
    expect((await ask('web-analytics')).status).toBe(503);
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }];
    peer.override = () => ({ status: 403, body: { error: { code: 403, message: 'CANARY-text', details } } });
    const { status, text } = await ask('web-analytics');
    expect([status, text.includes('CANARY')]).toEqual([503, false]);
  });
});

describe('settings: 200', () => {
  it('are stored with what each property said, after three requests a property', async () => {
    await authorize();
    peer.requests.length = 0;
    const { body } = await put();
    expect(body.data).toMatchObject({ enabled: true, readiness: 'ready', settings: SETTINGS });
    expect(peer.requests).toHaveLength(6);
    const { rows } = await app.db.query(
      `select verified_resources as resources from integration where organization_id = $1 and key = 'web-analytics'`,
      [place.organizationId],
    );
    const zone = { environment: 'live', timezone: 'Europe/Berlin', currency: 'EUR' };
    expect(rows[0].resources).toEqual([
      { accountId: '1000', resourceId: '11', name: 'Shop', ...zone },
      { accountId: '2000', resourceId: '22', name: 'Blog', ...zone },
    ]);
  });

  it('of other properties quarantine no tool, and advance the epoch once', async () => {
    await authorize();
    await put();
    const epoch = async () =>
      (
        await app.db.query('select authorization_epoch as epoch from organization where id = $1', [
          place.organizationId,
        ])
      ).rows[0].epoch as number;
    const before = await epoch();
    const { body } = await put(settings({ propertyIds: ['11'] }));
    expect(body.data.tools.map(({ quarantined }: { quarantined: boolean }) => quarantined)).toEqual(
      Array(5).fill(false),
    );
    expect([await epoch(), body.data.readiness]).toEqual([before + 1, 'ready']);
    await put();
  });
});

describe('settings: 400, 409, 503', () => {
  beforeAll(async () => {
    await authorize();
    await put();
  });

  it.each<[object, string, string]>([
    [{ propertyIds: [] }, 'settings.propertyIds', 'invalid_length'],
    [{ propertyIds: ['11', '11'] }, 'settings.propertyIds', 'duplicate_item'],
    [{ propertyIds: ['11', 'properties/22'] }, 'settings.propertyIds.1', 'invalid_text'],
    [{ propertyIds: Array.from({ length: 51 }, (_, each) => String(each)) }, 'settings.propertyIds', 'invalid_length'],
    [{ defaultPropertyId: undefined }, 'settings.defaultPropertyId', 'required'],
    [{ defaultPropertyId: '33' }, 'settings.defaultPropertyId', 'unknown_reference'],
    [{ metrics: ['sessions'] }, 'settings.metrics', 'unknown_property'],
  ])('%j are refused before anybody is asked', async (more, path, code) => {
    expect(wordOf(await put(settings(more)))).toEqual([400, path, code]);
    expect(peer.requests).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['is gone', () => peer.properties.delete('33')],
    ['is in the trash', () => peer.properties.set('33', { displayName: 'Old', deleteTime: '2026-11-01T00:00:00Z' })],
    ['is not for the person', () => peer.properties.set('33', { displayName: 'Theirs', refused: 403 })],
    [
      'answers no report',
      () => {
        peer.properties.set('33', { displayName: 'Odd' });
        peer.override = ({ path }) =>
          path === `${ADMIN}33:runReport` ? { status: 400, body: { error: { message: 'CANARY-text' } } } : undefined;
      },
    ],
  ])('are stored nowhere where a property %s, which the issue names', async (_, make) => {
    make();
    const before = await connector();
    const answer = await put(settings({ propertyIds: ['11', '33', '22'] }));
    expect(wordOf(answer).slice(0, 2)).toEqual([400, 'settings.propertyIds.1']);
    expect(answer.text).not.toContain('CANARY');
    expect(await connector()).toEqual(before);
  });

  it('are 409 where the scope was taken back', async () => {
    const details = [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }];
    peer.override = () => ({ status: 403, body: { error: { code: 403, details } } });
    expect(wordOf(await put(settings({ propertyIds: ['11'] })))).toEqual([409, '', 'credential_refused']);
  });

  it('are 503 with the time of the bucket that is used up', async () => {
    const message = 'Exhausted concurrent requests quota.';
    peer.override = () => ({ status: 429, body: { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } } });
    const answer = await put(settings({ propertyIds: ['11'] }));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
  });
});

describe('a check', () => {
  it('asks each property, and says which one is lost', async () => {
    await ready();
    const check = async () => (await place.owner.post(`${at}/check`)).body.data;
    expect(await check()).toMatchObject({
      readiness: 'ready',
      health: {
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'resource:11', status: 'verified' },
          { scope: 'resource:22', status: 'verified' },
        ],
      },
    });
    expect(peer.requests.map(({ path }) => path).toSorted()).toEqual([`${ADMIN}11`, `${ADMIN}22`]);
    peer.properties.delete('22');
    expect(await check()).toMatchObject({
      readiness: 'degraded',
      health: {
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'resource:11', status: 'verified' },
          { scope: 'resource:22', status: 'failed', code: 'resource_missing' },
        ],
      },
    });
    peer.properties.set('22', { displayName: 'Blog', account: '2000' });
    expect((await check()).readiness).toBe('ready');
  });
});

describe('calls', () => {
  beforeEach(ready);
  const call = (tool: string, args: object = {}) => caller.post(pathTo(`/tools/${tool}/call`), { arguments: args });
  const outputOf = ({ body }: Answer) => body.data.output.structuredContent;
  const RANGE = [{ start: '2026-11-01', end: 'yesterday' }];

  it('are offered with the properties of the settings, whatever else is there', async () => {
    const { body } = await caller.get(pathTo('/tools'));
    const tools = body.data.tools as { name: string; inputSchema: { properties: Record<string, object> } }[];
    expect(tools.map(({ name }) => name)).toEqual([
      'list_properties',
      'get_metadata',
      'check_compatibility',
      'run_report',
      'run_realtime_report',
    ]);
    expect(tools[3]!.inputSchema.properties['property_id']).toMatchObject({ enum: ['11', '22'], default: '11' });
  });

  it('list the properties with a request each; one that is lost is said to be so', async () => {
    expect(outputOf(await call('list_properties'))).toEqual({
      properties: [
        { property_id: '11', name: 'Shop', time_zone: 'Europe/Berlin', currency_code: 'EUR', available: true },
        { property_id: '22', name: 'Blog', time_zone: 'Europe/Berlin', currency_code: 'EUR', available: true },
      ],
    });
    expect(peer.requests).toHaveLength(2);
    peer.properties.delete('22');
    expect(outputOf(await call('list_properties')).properties[1]).toEqual({ property_id: '22', available: false });
  });

  it('find names, and mark those that are blocked', async () => {
    peer.blocked = ['purchaseRevenue'];
    const found = outputOf(await call('get_metadata', { search: 'REVENUE' }));
    expect(found).toMatchObject({ dimensions: [], metrics: [{ name: 'purchaseRevenue', blocked: true }] });
    const custom = outputOf(await call('get_metadata', { search: 'plan' }));
    expect(custom.dimensions).toMatchObject([{ name: 'customEvent:plan', custom: true }]);
    expect(outputOf(await call('check_compatibility', { dimensions: ['date'] }))).toEqual({
      dimensions: ['country'],
      metrics: ['sessions'],
    });
    expect(peer.requests).toHaveLength(3);
  });

  it('report what was asked for in one request, with values as they came', async () => {
    peer.rows = [
      [
        ['20261101', 'date_range_0'],
        ['9007199254740993', '1.5E-7'],
      ],
      [
        ['20261102', 'date_range_0'],
        ['0', ''],
      ],
    ];
    const answer = await call('run_report', {
      property_id: '22',
      dimensions: ['date'],
      metrics: ['activeUsers', 'purchaseRevenue'],
      date_ranges: [...RANGE, { start: '30daysAgo', end: 'today' }],
      dimension_filter: {
        and: [
          { field: 'country', in: ['Germany', 'France'] },
          { not: { field: 'pagePath', string: { match: 'BEGINS_WITH', value: '/admin', case_sensitive: true } } },
        ],
      },
      metric_filter: {
        or: [
          { field: 'activeUsers', number: { op: 'GREATER_THAN', value: 5 } },
          { field: 'activeUsers', between: { from: 0.5, to: 1 } },
        ],
      },
      order_by: [{ name: 'date', desc: true }],
      keep_empty_rows: true,
    });
    expect(outputOf(answer)).toEqual({
      rows: [
        { date: '20261101', dateRange: 'date_range_0', activeUsers: '9007199254740993', purchaseRevenue: '1.5E-7' },
        { date: '20261102', dateRange: 'date_range_0', activeUsers: '0', purchaseRevenue: '' },
      ],
      row_count: 2,
      metadata: {
        time_zone: 'Europe/Berlin',
        currency_code: 'EUR',
        data_loss_from_other_row: false,
        subject_to_thresholding: false,
        empty_reason: null,
        sampling: [],
        restricted_metrics: [],
      },
      quota: { tokens_per_day: { consumed: 10, remaining: 199_990 } },
    });
    expect(peer.requests).toMatchObject([
      {
        path: `${ADMIN}22:runReport`,
        body: {
          limit: '100',
          offset: '0',
          dateRanges: [
            { startDate: '2026-11-01', endDate: 'yesterday' },
            { startDate: '30daysAgo', endDate: 'today' },
          ],
          dimensionFilter: {
            andGroup: {
              expressions: [
                { filter: { fieldName: 'country', inListFilter: { values: ['Germany', 'France'] } } },
                { notExpression: { filter: { stringFilter: { matchType: 'BEGINS_WITH', caseSensitive: true } } } },
              ],
            },
          },
          metricFilter: {
            orGroup: {
              expressions: [
                { filter: { numericFilter: { operation: 'GREATER_THAN', value: { int64Value: '5' } } } },
                { filter: { betweenFilter: { fromValue: { doubleValue: 0.5 }, toValue: { int64Value: '1' } } } },
              ],
            },
          },
          orderBys: [{ dimension: { dimensionName: 'date' }, desc: true }],
          keepEmptyRows: true,
          returnPropertyQuota: true,
        },
      },
    ]);
    peer.rows = [];
    const empty = outputOf(
      await call('run_realtime_report', { metrics: ['activeUsers'], minute_ranges: [{ start_minutes_ago: 9 }] }),
    );
    expect(empty).toMatchObject({ rows: [], row_count: 0 });
    expect(peer.requests[1]!.body).toMatchObject({ minuteRanges: [{ startMinutesAgo: 9, endMinutesAgo: 0 }] });
  });

  const LEAF = { field: 'country', string: { match: 'EXACT', value: 'x' } };
  const metrics = ['activeUsers'];
  it.each<[string, object, string]>([
    ['run_report', { metrics, date_ranges: RANGE, property_id: '33' }, 'property_id'],
    ['get_metadata', { property_id: '33' }, 'property_id'],
    ['run_realtime_report', { metrics, property_id: '0' }, 'property_id'],
    ['list_properties', { property_id: '11' }, 'property_id'],
    ['run_report', { date_ranges: RANGE }, 'metrics'],
    ['run_report', { metrics: ['1+1'], date_ranges: RANGE }, 'metrics.0'],
    ['run_report', { metrics: Array.from({ length: 11 }, (_, each) => `m${each}`), date_ranges: RANGE }, 'metrics'],
    ['run_report', { metrics, date_ranges: [{ start: '2026-02-30', end: 'today' }] }, 'date_ranges.0.start'],
    ['run_report', { metrics, date_ranges: [{ start: '2026-02-02', end: '2026-02-01' }] }, 'date_ranges.0.end'],
    ['run_report', { metrics, date_ranges: [], limit: 1 }, 'date_ranges'],
    ['run_report', { metrics, date_ranges: RANGE, limit: 1_001 }, 'limit'],
    ['run_report', { metrics, date_ranges: RANGE, cohortSpec: {} }, 'cohortSpec'],
    ['run_report', { metrics, date_ranges: RANGE, order_by: [{ name: 'sessions' }] }, 'order_by.0.name'],
    [
      'run_report',
      { metrics, date_ranges: RANGE, dimension_filter: { field: 'a', string: { match: 'FULL_REGEXP', value: '.*' } } },
      'dimension_filter.string.match',
    ],
    ['run_report', { metrics, date_ranges: RANGE, dimension_filter: { and: [LEAF], or: [LEAF] } }, 'dimension_filter'],
    [
      'run_report',
      { metrics, date_ranges: RANGE, dimension_filter: { and: [{ field: 'a' }] } },
      'dimension_filter.and.0',
    ],
    [
      'run_report',
      { metrics, date_ranges: RANGE, metric_filter: { not: { not: { not: { not: LEAF } } } } },
      'metric_filter.not.not.not',
    ],
    [
      'run_report',
      {
        metrics,
        date_ranges: RANGE,
        dimension_filter: { or: Array.from({ length: 3 }, () => ({ or: Array.from({ length: 7 }, () => LEAF) })) },
      },
      'dimension_filter.or.2.or.6',
    ],
  ])('of %s with %j are 400 without a socket', async (tool, args, path) => {
    const before = outside.sockets.length;
    const { status, body } = await call(tool, args);
    expect([status, body.error.issues[0].path]).toEqual([400, `arguments.${path}`]);
    expect(outside.sockets).toHaveLength(before);
  });

  it.each<[string, number, object, object]>([
    [
      'a row too many',
      200,
      {
        rowCount: 1,
        metricHeaders: [{ name: 'activeUsers' }],
        rows: [{ metricValues: [{ value: '1' }] }, { metricValues: [{ value: '2' }] }],
      },
      { code: 'bad_answer' },
    ],
    ['another metric', 200, { metricHeaders: [{ name: 'CANARY' }] }, { code: 'bad_answer' }],
    [
      'a value too few',
      200,
      { metricHeaders: [{ name: 'activeUsers' }], rows: [{ metricValues: [] }], rowCount: 1 },
      { code: 'bad_answer' },
    ],
    ['400', 400, { error: { message: 'CANARY-text' } }, { code: 'provider_rejected', providerStatus: 400 }],
    ['404', 404, {}, { code: 'not_found' }],
    [
      '429 for the day',
      429,
      { error: { message: 'Exhausted property tokens per day.' } },
      { code: 'rate_limited', retryable: true, retryAfterSeconds: expect.any(Number) },
    ],
    ['403 for the project', 403, { error: { details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] } }, { code: 'unavailable' }],
  ])('that are answered with %s fail as a whole', async (_, status, body, error) => {
    peer.override = () => ({ status, body });
    const answer = await call('run_report', { metrics, date_ranges: RANGE, limit: 1 });
    expect(answer.body.data).toMatchObject({ status: 'failed', error });
    expect(answer.text).not.toContain('CANARY');
  });

  it('renew a token that the provider refuses once', async () => {
    let refused = 0;
    peer.override = ({ headers }) => {
      if (refused > 0) return undefined;
      refused += 1;
      return { status: 401, body: { error: { status: headers.authorization } } };
    };
    expect((await call('get_metadata')).body.data.status).toBe('succeeded');
    expect(new Set(peer.requests.map(({ headers }) => headers.authorization)).size).toBe(2);
  });

  it('that are refused for one property say so of it, and not of the credential', async () => {
    peer.properties.set('22', { displayName: 'Blog', refused: 403 });
    const { body } = await call('get_metadata', { property_id: '22' });
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'scope_lost' } });
    expect((await connector()).health.observations).toContainEqual(
      expect.objectContaining({ scope: 'resource:22', status: 'failed', code: 'scope_lost' }),
    );
    expect((await call('get_metadata')).body.data.status).toBe('succeeded');
  });
});
