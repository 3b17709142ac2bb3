import { createHash, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { MARCH, ZONE } from '../../support/factories/insights/receipts.ts';
import { CollectedSource } from '../../support/factories/insights/stores.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
let store: CollectedSource;
let web: CollectedSource;
let agent: Client;

const DAYS = { from: '2026-03-01', to: '2026-03-05' };

beforeAll(async () => {
  agent = (await place.run()).agent;
  const { organizationId } = place;
  store = await new CollectedSource(app, organizationId, ZONE).open();
  const from = MARCH.from;
  await store.publish('orders', {
    ...MARCH,
    series: [
      { measure: 'orders.count', from, values: ['2', '3', null, '5'] },
      { measure: 'orders.gross', currency: 'USD', from, values: ['20', '30.5', null, '49.5'] },
      { measure: 'orders.priced', currency: 'USD', from, values: ['2', '3', null, '5'] },
      { measure: 'orders.gross', currency: 'EUR', from, values: ['1'] },
      { measure: 'orders.priced', currency: 'EUR', from, values: ['1'] },
    ],
  });
  await store.publish('renewals', MARCH);
  await store.publish('subscriptions', {
    ...DAYS,
    series: [
      { measure: 'subscriptions.subscriptions', cut: 'active', from, values: ['7', '8', '9', '10'] },
      { measure: 'subscriptions.subscriptions', cut: 'on_trial', from, values: ['1', '1', '2', '2'] },
    ],
  });
  web = await new CollectedSource(app, organizationId, 'America/New_York').open({
    provider: 'web-analytics',
    dataset: 'web',
    resourceId: '77',
    row: { timezone: 'America/New_York' },
  });
  await web.publish('traffic', {
    ...MARCH,
    series: [
      { measure: 'traffic.screenPageViews', from, values: ['100', '50'] },
      { measure: 'traffic.screenPageViews.channel', cut: 'Direct', from, values: ['60', '50'] },
      { measure: 'traffic.screenPageViews.channel', cut: 'Organic Search', from, values: ['40'] },
      { measure: 'traffic.keyEvents', from, values: ['6', '4'] },
    ],
  });
  await app.db.query(
    `insert into fx_rate (day, currency, revision, rate, fetched_at)
     values ('2026-03-31', 'USD', 1, 1.25, now()), ('2026-04-01', 'USD', 1, 1.3, now()),
       ('2026-03-04', 'USD', 1, 1.6, now())
     on conflict do nothing`,
  );
});

const ask = (query: object, client: Client = place.owner): Promise<Answer> =>
  client.post(client === agent ? place.agentPath('/insights/query') : place.path('/insights/query'), {
    query: { ...MARCH, grain: 'month', ...query },
  });
const metric = (key: string, more: object = {}) => ({ metrics: [{ key, ...more }] });

interface Point {
  readonly from: string;
  readonly to: string;
  readonly value: string | null;
  readonly coverage: { readonly status: string; readonly reason: string | null; readonly provisional: boolean };
  readonly conversion: { readonly value: string | null; readonly rates: { rate: string; date: string }[] } | null;
}
interface Series {
  readonly currency: string | null;
  readonly timezone: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly points: Point[];
}

async function answered(query: object, client?: Client): Promise<Series[]> {
  const { status, text, body } = await ask(query, client);
  if (status !== 200) throw new Error(text);
  return body.data.series as Series[];
}

const told = (series: readonly Series[]) =>
  series.map(({ currency, dimensions, points }) => ({
    ...(currency === null ? {} : { currency }),
    ...dimensions,
    values: points.map(({ value }) => value),
  }));

describe('POST …/insights/query: 200', () => {
  it('tells what each number stands on, in canonical bytes whose digest holds', async () => {
    const { body, text } = await ask(metric('payments.orders'));
    const { digest, ...rest } = body.data;
    expect(createHash('sha256').update(canonicalize(rest)!).digest('hex')).toBe(digest);
    expect(text).toContain(canonicalize(body.data)!);
    expect(body.data).toMatchObject({
      definitionPreview: false,
      request: {
        metrics: [{ key: 'payments.orders', version: 1, sourceIds: [store.id] }],
        ...MARCH,
        grain: 'month',
        groupBy: [],
        filters: {},
        currency: 'EUR',
      },
      series: [
        {
          metric: { key: 'payments.orders', version: 1 },
          sourceIds: [store.id],
          resourceIds: ['1'],
          unit: 'count',
          timezone: ZONE,
          currency: null,
          dimensions: {},
          points: [
            {
              from: '2026-02-28T23:00:00Z',
              to: '2026-03-31T22:00:00Z',
              value: '10',
              numerator: null,
              denominator: null,
              coverage: { status: 'complete', reason: null, ...MARCH, provisional: false, reporting: null },
              conversion: null,
            },
          ],
        },
      ],
    });
  });

  it('folds days, weeks and months, and clips what the window cuts', async () => {
    const days = await answered({ ...metric('payments.orders'), ...DAYS, grain: 'day' });
    expect(told(days)).toEqual([{ values: ['2', '3', '0', '5'] }]);
    const weeks = await answered({ ...metric('payments.orders'), ...DAYS, grain: 'week' });
    expect(weeks[0]!.points.map(({ from, to, value }) => [from, to, value])).toEqual([
      ['2026-02-28T23:00:00Z', '2026-03-01T23:00:00Z', '2'],
      ['2026-03-01T23:00:00Z', '2026-03-04T23:00:00Z', '8'],
    ]);
  });

  it('keeps currencies apart, and converts each by the rate of the last day', async () => {
    const series = await answered(metric('payments.gross_revenue'));
    expect(told(series)).toEqual([
      { currency: 'EUR', values: ['1'] },
      { currency: 'USD', values: ['100'] },
    ]);
    const [euro, dollar] = series.map(({ points }) => points[0]!.conversion);
    expect(euro).toMatchObject({ value: '1', currency: 'EUR', rates: [] });
    expect(dollar).toEqual({
      policy: 'period_end_reference_v1',
      value: '80',
      currency: 'EUR',
      rates: [{ rate: '1.25', date: '2026-03-31', provider: 'ecb', originalCurrency: 'USD' }],
      coverage: expect.objectContaining({ status: 'complete', provisional: false }),
    });
    const missing = await answered({ ...metric('payments.gross_revenue'), currency: 'rub' });
    expect(missing[1]!.points[0]).toMatchObject({
      value: '100',
      conversion: { value: null, currency: 'RUB', rates: [], coverage: { status: 'none', reason: 'missing_rate' } },
    });
  });

  it('divides sums, converted before anything is rounded', async () => {
    const [, dollar] = await answered({ ...metric('payments.average_order_value'), currency: 'USD' });
    expect(dollar!.points[0]).toMatchObject({ value: '10', numerator: '100', denominator: '10' });
  });

  it('takes the last state, splits what has no total, and sums values that are named', async () => {
    const window = { ...DAYS, grain: 'day' };
    const split = await answered({ ...metric('payments.subscriptions'), ...window, groupBy: ['status'] });
    expect(told(split)).toEqual([
      { status: 'active', values: ['7', '8', '9', '10'] },
      { status: 'on_trial', values: ['1', '1', '2', '2'] },
    ]);
    expect(told(await answered({ ...metric('payments.subscriptions'), ...window }))).toEqual(told(split));
    const filters = { status: ['active', 'on_trial'] };
    const summed = await answered({ ...metric('payments.subscriptions'), ...window, filters });
    expect(told(summed)).toEqual([{ values: ['8', '9', '11', '12'] }]);
    const month = await answered({ ...metric('payments.subscriptions'), filters: { status: ['active'] } });
    expect(month[0]!.points[0]).toMatchObject({ value: '10', coverage: { status: 'partial', reason: 'not_retained' } });
  });

  it('reads totals and not the sums of cuts, and has days of the account', async () => {
    const [views] = await answered(metric('web.views'));
    expect(views).toMatchObject({ timezone: 'America/New_York', points: [{ value: '150' }] });
    expect(views!.points[0]).toMatchObject({ from: '2026-03-01T05:00:00Z', to: '2026-04-01T04:00:00Z' });
    const window = { ...DAYS, grain: 'day', groupBy: ['channel'] };
    expect(told(await answered({ ...metric('web.views'), ...window }))).toEqual([
      { channel: 'Direct', values: ['60', '50', '0', '0'] },
      { channel: 'Organic Search', values: ['40', '0', '0', '0'] },
    ]);
    const later = { from: '2026-03-02', to: '2026-03-05', grain: 'day', groupBy: ['channel'] };
    expect(told(await answered({ ...metric('web.views'), ...later }))).toEqual([
      { channel: 'Direct', values: ['50', '0', '0'] },
    ]);
  });

  it('says of what was never read why', async () => {
    const [users] = await answered(metric('web.active_users'));
    expect(users!.points[0]).toMatchObject({
      value: null,
      coverage: { status: 'none', reason: 'collecting', provisional: true },
    });
    const old = await answered({ ...metric('payments.orders'), from: '2020-01-01', to: '2020-02-01' });
    expect(old[0]!.points[0]).toMatchObject({ value: null, coverage: { status: 'none', reason: 'not_retained' } });
    await app.db.query(`update metric_source set paused_reason = 'access_lost' where id = $1`, [web.id]);
    const [paused] = await answered(metric('web.active_users'));
    expect(paused!.points[0]).toMatchObject({ coverage: { status: 'none', reason: 'access_lost' } });
    await app.db.query(`update metric_source set paused_reason = null where id = $1`, [web.id]);
  });

  it('tells agents the same, a runtime for a profile that it names', async () => {
    expect(told(await answered(metric('payments.orders'), agent))).toEqual([{ values: ['10'] }]);
    const query = { ...MARCH, grain: 'month', ...metric('payments.orders') };
    const body = { agentProfileId: place.profile('support'), query };
    const { status } = await app.service.post(place.agentPath('/insights/query'), body);
    expect(status).toBe(200);
  });

  it('counts days as they are written', async () => {
    const window = { from: '2026-03-01T23:00:00-08:00', to: '2026-03-01T00:00:01Z', grain: 'day' };
    expect(told(await answered({ ...metric('payments.orders'), ...window }))).toEqual([{ values: ['2'] }]);
  });
});

const issuesOf = ({ body }: Answer) =>
  (body.error?.issues ?? []).map(({ path, code }: { path: string; code: string }) => [path, code]);

describe('POST …/insights/query: 400', () => {
  it.each([
    [{ from: '2026-04-01' }, 'query.to', 'invalid_window'],
    [{ from: '2026-05-01' }, 'query.to', 'invalid_window'],
    [{ from: '2025-03-31' }, 'query.to', 'limit_exceeded'],
    [{ to: '2027-03-01T00:00:01Z' }, 'query.to', 'limit_exceeded'],
    [{ from: 'yesterday' }, 'query.from', 'invalid_window'],
    [{ to: '2026-02-30' }, 'query.to', 'invalid_window'],
    [{ grain: 'hour' }, 'query.grain', 'unsupported_grain'],
    [{ metrics: [] }, 'query.metrics', 'invalid_length'],
    [{ metrics: Array.from({ length: 21 }, () => ({ key: 'web.views' })) }, 'query.metrics', 'invalid_length'],
    [metric('payments.nothing'), 'query.metrics.0.key', 'unknown_reference'],
    [metric('payments.orders', { version: 0 }), 'query.metrics.0.version', 'out_of_range'],
    [metric('payments.orders', { sourceIds: [] }), 'query.metrics.0.sourceIds', 'invalid_length'],
    [metric('payments.orders', { sourceIds: ['1'] }), 'query.metrics.0.sourceIds', 'invalid_item'],
    [metric('payments.orders', { sourceIds: [randomUUID()] }), 'query.metrics.0.sourceIds.0', 'unknown_reference'],
    [{ groupBy: ['channel'] }, 'query.groupBy', 'unsupported_dimension'],
    [{ groupBy: ['channel', 'country'] }, 'query.groupBy', 'invalid_length'],
    [{ filters: { color: ['red'] } }, 'query.filters.color', 'unsupported_dimension'],
    [{ filters: { status: [] } }, 'query.filters', 'invalid_item'],
    [{ filters: { status: ['a'], channel: ['b'] } }, 'query.filters', 'invalid_length'],
    [
      { ...metric('web.views'), groupBy: ['country'], filters: { channel: ['b'] } },
      'query.filters.channel',
      'unsupported_dimension',
    ],
    [{ currency: 'XYZ' }, 'query.currency', 'invalid_currency'],
    [{ currency: 'euro' }, 'query.currency', 'invalid_currency'],
    [{ sum: true }, 'query.sum', 'unknown_property'],
  ])('refuses %j', async (query, path, code) => {
    const answer = await ask({ ...metric('payments.orders'), ...query });
    expect([answer.status, issuesOf(answer)[0]]).toEqual([400, [path, code]]);
  });

  it('refuses a source that feeds something else', async () => {
    const answer = await ask(metric('payments.orders', { sourceIds: [web.id] }));
    expect([answer.status, issuesOf(answer)]).toEqual([400, [['query.metrics.0.sourceIds.0', 'source_mismatch']]]);
  });

  it('refuses more points than an answer holds, before it reads one', async () => {
    const metrics = Array.from({ length: 20 }, () => ({ key: 'payments.gross_revenue' }));
    const answer = await ask({ metrics, from: '2025-05-01', to: '2026-05-01', grain: 'day' });
    expect([answer.status, issuesOf(answer)]).toEqual([400, [['query', 'limit_exceeded']]]);
  });

  it('refuses a runtime that does not say whose question it is', async () => {
    const answer = await app.service.post(place.agentPath('/insights/query'), {
      query: { ...MARCH, grain: 'month', ...metric('payments.orders') },
    });
    expect([answer.status, issuesOf(answer)]).toEqual([400, [['agentProfileId', 'required']]]);
  });
});

describe('…/insights of agents: 401, 404, 409', () => {
  const body = (agentProfileId: string) => ({
    agentProfileId,
    query: { ...MARCH, grain: 'month', ...metric('payments.orders') },
  });
  it('refuses an execution that names another profile', async () => {
    const { status } = await agent.post(place.agentPath('/insights/query'), body(place.profile('support')));
    expect(status).toBe(401);
    expect(
      (await agent.get(place.agentPath(`/insights/metrics?agentProfileId=${place.profile('support')}`))).status,
    ).toBe(401);
    expect((await agent.get(place.agentPath(`/insights/metrics?agentProfileId=${place.profile()}`))).status).toBe(200);
  });

  it('finds no profile that is not there', async () => {
    const answer = await app.service.post(place.agentPath('/insights/query'), body(randomUUID()));
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });

  it('refuses a profile that is disabled, and its executions', async () => {
    const { agent: operator } = await place.run({}, 'operator');
    const set = (status: string) =>
      app.db.query('update agent_profile set status = $2 where id = $1', [place.profile('operator'), status]);
    await set('disabled');
    const named = await app.service.post(place.agentPath('/insights/query'), body(place.profile('operator')));
    const own = await operator.get(place.agentPath('/insights/metrics'));
    await set('enabled');
    for (const answer of [named, own])
      expect([answer.status, issuesOf(answer)]).toEqual([409, [['', 'profile_disabled']]]);
  });
});

describe('POST …/insights/query: 409', () => {
  it('refuses a version that there is not', async () => {
    const answer = await ask(metric('payments.orders', { version: 2 }));
    expect([answer.status, issuesOf(answer)]).toEqual([409, [['query.metrics.0.version', 'definition_version']]]);
  });

  it('refuses a source that an owner withdrew, and takes it no longer where none is named', async () => {
    const set = (enabled: boolean) =>
      app.db.query('update integration set enabled = $2 where id = $1', [web.integrationId, enabled]);
    await set(false);
    const named = await ask(metric('web.views', { sourceIds: [web.id] }));
    const unnamed = await answered(metric('web.views'));
    await set(true);
    expect([named.status, issuesOf(named)]).toEqual([409, [['query.metrics.0.sourceIds.0', 'source_unavailable']]]);
    expect(unnamed).toEqual([]);
  });
});

describe('GET …/insights/metrics: 200', () => {
  it('lists definitions with what feeds them, and sources with whether they are connected', async () => {
    const { body } = await place.owner.get(place.path('/insights/metrics'));
    const { definitions, sources, publicationRevision, definitionsRevision } = body.data;
    expect([publicationRevision, definitionsRevision]).toEqual([4, 1]);
    expect(definitions.find(({ key }: { key: string }) => key === 'web.views')).toMatchObject({
      version: 1,
      measurementKind: 'flow',
      sourceTimezone: 'account',
      reportingTimezone: null,
      ownership: 'builtin',
      dimensions: ['channel', 'country'],
      grains: ['day', 'week', 'month'],
      sourceIds: [web.id],
      recalculation: { status: 'current', reason: null },
    });
    expect(sources.map(({ id, connected }: { id: string; connected: boolean }) => [id, connected])).toEqual([
      [store.id, true],
      [web.id, true],
    ]);
    const { body: seen } = await agent.get(place.agentPath('/insights/metrics'));
    expect(seen.data).toEqual(body.data);
  });

  it('404: shows strangers nothing', async () => {
    const stranger = await app.person();
    expect((await stranger.get(place.path('/insights/metrics'))).body.error.code).toBe('organization_not_found');
  });
});

describe('GET …/insights/receipts/{receiptId}', () => {
  it('200: sends the same bytes, to whoever may read', async () => {
    const { body, text } = await ask(metric('payments.orders'));
    const data = /"data":(\{.*\}),"meta":/.exec(text)![1]!;
    const { receiptId } = body.data;
    for (const [client, path] of [
      [place.owner, place.path(`/insights/receipts/${receiptId}`)],
      [agent, place.agentPath(`/insights/receipts/${receiptId}`)],
      [app.service, place.agentPath(`/insights/receipts/${receiptId}?agentProfileId=${place.profile()}`)],
    ] as const) {
      const again = await client.get(path);
      expect(again.status).toBe(200);
      expect(again.text).toContain(`"data":${data},"meta":`);
      expect(again.body.meta.restatedAt).toBeNull();
    }
  });

  it('404: finds none that is not there', async () => {
    const { status, body } = await place.owner.get(place.path(`/insights/receipts/${randomUUID()}`));
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });

  it('409: refuses it while a source of it is withdrawn', async () => {
    const { body } = await ask(metric('web.views'));
    const path = place.path(`/insights/receipts/${body.data.receiptId}`);
    const set = (enabled: boolean) =>
      app.db.query('update integration set enabled = $2 where id = $1', [web.integrationId, enabled]);
    await set(false);
    const refused = await place.owner.get(path);
    await set(true);
    expect([refused.status, issuesOf(refused)]).toEqual([409, [['receiptId', 'source_unavailable']]]);
    expect((await place.owner.get(path)).status).toBe(200);
  });
});

describe('POST …/insights/refresh: 200', () => {
  const refresh = (client: Client, body: object = {}) => client.post(place.agentPath('/insights/refresh'), body);

  it('says what is queued, of ready connectors only', async () => {
    for (const answer of [await refresh(agent), await refresh(app.service, { agentProfileId: place.profile() })])
      expect([answer.status, answer.body.data]).toEqual([
        200,
        { status: 'queued', queued: 0, unchanged: 0, connectorKeys: [] },
      ]);
  });

  it('404, 400: refuses a runtime without a profile that is there', async () => {
    expect((await refresh(app.service, { agentProfileId: randomUUID() })).status).toBe(404);
    expect((await refresh(app.service)).status).toBe(400);
  });
});
