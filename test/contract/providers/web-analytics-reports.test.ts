import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { egressFetch } from '../../../src/kernel/egress/index.ts';
import type { ProviderAccess, ProviderNet, ReportPage } from '../../../src/modules/integrations/index.ts';
import { WebAnalytics } from '../../../src/modules/providers/web-analytics/index.ts';
import { AnalyticsPeer } from '../../support/peers/providers/analytics-peer.ts';
import { Outside } from '../../support/peers/outside.ts';

const adapter = new WebAnalytics();
const access: ProviderAccess = {
  endpoint: null,
  secret: { kind: 'authorized', authorize: () => ({ authorization: 'Bearer CANARY-token' }) },
  mcp: null,
};
const REQUEST = {
  settings: { propertyIds: ['11'], defaultPropertyId: '11' },
  resource: { accountId: '1000', resourceId: '11', name: 'Shop', environment: 'live' },
  timezone: 'Europe/Berlin',
  grain: 'day',
  from: '2026-11-01',
  to: '2026-11-03',
} as const;

let outside: Outside;
let peer: AnalyticsPeer;
let net: ProviderNet;
beforeAll(async () => {
  outside = await Outside.start();
  peer = await AnalyticsPeer.start(outside);
  const hosts = adapter.hosts.map((host) => `https://${host}`);
  const limits = { totalMs: 10_000, maxBytes: 4 * 1_024 * 1_024 };
  net = { fetch: egressFetch(outside.egress(), { hosts, limits }), signal: new AbortController().signal };
});
beforeEach(() => {
  peer.forget();
  Object.assign(peer, {
    rows: [],
    rowCount: undefined,
    blocked: [],
    metadata: { currencyCode: 'EUR', timeZone: 'Europe/Berlin' },
  });
  peer.properties.set('11', { displayName: 'Shop' });
});
afterEach(() => expect(peer.faults).toEqual([]));
afterAll(() => outside.stop());

/** All pages of a report. */
async function pagesOf(key: string, more: object = {}): Promise<ReportPage[]> {
  const report = adapter.reports.find((each) => each.key === key)!;
  const pages: ReportPage[] = [];
  let checkpoint: ReportPage['checkpoint'] = null;
  do {
    const page = await report.next({ ...REQUEST, ...more, checkpoint }, access, net);
    pages.push(page);
    // As it is kept between two collections.
    checkpoint = JSON.parse(JSON.stringify(page.checkpoint)) as ReportPage['checkpoint'];
  } while (checkpoint !== null);
  return pages;
}

describe('traffic', () => {
  it('comes with a request for all, and one for each cut; the first page asks what is blocked and kept besides', async () => {
    peer.rows = [[['20261101'], ['9', '8', '7', '1', '1.999E1']]];
    peer.override = ({ path, body }) => {
      if (!path.endsWith(':runReport')) return undefined;
      const [, cut] = (body as { dimensions: { name: string }[] }).dimensions;
      peer.rows = cut
        ? [
            [
              ['20261101', 'Direct'],
              ['4', '3', '2', '1'],
            ],
          ]
        : [[['20261101'], ['9', '8', '7', '1', '1.999E1']]];
      return undefined;
    };
    const [all, channel, country, ...none] = await pagesOf('traffic');
    expect(none).toEqual([]);
    const day = { period: '2026-11-01' };
    expect(all!.items).toEqual([
      {
        key: '2026-11-01 day',
        entries: [
          { measure: 'eventCount', ...day, value: '9' },
          { measure: 'screenPageViews', ...day, value: '8' },
          { measure: 'keyEvents', ...day, value: '7' },
          { measure: 'transactions', ...day, value: '1' },
          { measure: 'purchaseRevenue', ...day, currency: 'EUR', value: '19.99' },
        ],
      },
    ]);
    expect(all!.reporting).toEqual({
      timezone: 'Europe/Berlin',
      accountTimezone: 'Europe/Berlin',
      lagHours: 48,
      computedAt: expect.stringMatching(/^\d{4}-.+Z$/),
      cached: false,
      attribution: null,
      approximateDistinct: false,
      thresholded: false,
      dataLossFromOtherRow: false,
      sampling: [],
      eventRetentionMonths: 14,
      userRetentionMonths: 2,
      truncation: [],
    });
    expect(channel!.items[0]!.entries[0]).toEqual({ measure: 'eventCount.channel', ...day, cut: 'Direct', value: '4' });
    expect(country!.items[0]!.entries[0]!.measure).toBe('eventCount.country');
    expect(country!.reporting).toMatchObject({ eventRetentionMonths: 14 });
    expect(peer.requests).toHaveLength(5);
    expect(peer.requests.at(-1)!.body).toMatchObject({
      dateRanges: [{ startDate: '2026-11-01', endDate: '2026-11-02' }],
      limit: '20000',
    });
  });

  it('of a longer time comes in windows of 31 days, all parts of each', async () => {
    const pages = await pagesOf('traffic', { from: '2026-09-01', to: '2026-11-03' });
    expect([pages.length, peer.count('*')]).toEqual([9, 11]);
  });

  it('of metrics that are blocked, or that the person may not see, is unsupported, whatever came', async () => {
    peer.blocked = ['purchaseRevenue'];
    peer.metadata = {
      timeZone: 'Europe/Berlin',
      subjectToThresholding: true,
      samplingMetadatas: [{ samplesReadCount: '500', samplingSpaceSize: '10000' }],
      schemaRestrictionResponse: { activeMetricRestrictions: [{ metricName: 'transactions' }] },
    };
    peer.rows = [[['20261101'], ['9', '8', 'NaN', '1', '0']]];
    peer.override = ({ body }) =>
      ((body as { dimensions?: unknown[] }).dimensions?.length ?? 0) > 1 ? { status: 500 } : undefined;
    const report = adapter.reports[0]!;
    const page = await report.next({ ...REQUEST, checkpoint: null }, access, net);
    const entries = page.items[0]!.entries.map(({ measure, value, reason }) => [measure, value, reason]);
    expect(entries).toEqual([
      ['eventCount', '9', undefined],
      ['screenPageViews', '8', undefined],
      ['keyEvents', null, 'non_numeric'],
      ['transactions', null, 'unsupported_capability'],
      ['purchaseRevenue', null, 'unsupported_capability'],
    ]);
    expect(page.reporting).toMatchObject({ thresholded: true, sampling: [{ read: '500', population: '10000' }] });
    await expect(report.next({ ...REQUEST, checkpoint: page.checkpoint }, access, net)).rejects.toMatchObject({
      failure: { code: 'unavailable' },
    });
  });

  it('with more rows than are read is truncated for all its days', async () => {
    peer.rows = [[['20261101'], ['9', '8', '7', '1', '0']]];
    peer.rowCount = 20_001;
    expect((await firstPage()).items).toEqual([
      {
        key: '2026-11-01 truncated ',
        entries: adapter.reports[0]!.measures.slice(0, 5).map((measure) => ({
          measure,
          period: '2026-11-01',
          value: null,
          reason: 'truncated',
        })),
      },
    ]);
  });

  it('asks for a rest when a tenth of the tokens is left', async () => {
    peer.quota = { tokensPerHour: { consumed: 36_001, remaining: 3_999 } };
    expect((await firstPage()).restSeconds).toBe(3_600);
    peer.quota = { tokensPerHour: { consumed: 36_000, remaining: 4_000 } };
    expect((await firstPage()).restSeconds).toBeUndefined();
  });

  it('is no answer with a day that was not asked for', async () => {
    peer.rows = [[['20261203'], ['9', '8', '7', '1', '0']]];
    await expect(firstPage()).rejects.toMatchObject({ failure: { code: 'bad_answer' } });
  });

  const firstPage = () => adapter.reports[0]!.next({ ...REQUEST, to: '2026-11-02', checkpoint: null }, access, net);
});

describe('audience', () => {
  it.each([
    ['week', '202645', '2026-11-02', { startDate: '2026-10-26', endDate: '2026-11-08' }],
    ['month', '202611', '2026-11-01', { startDate: '2026-11-01', endDate: '2026-11-30' }],
  ])('counts whole periods of a %s in one request', async (grain, value, period, range) => {
    peer.rows = [[[value], ['9', '8', '7', '1']]];
    const [page, ...none] = await pagesOf('audience', { grain });
    expect([none, page!.reporting!['approximateDistinct']]).toEqual([[], true]);
    expect(page!.items[0]!.entries[0]).toEqual({ measure: 'activeUsers', period, value: '9' });
    expect(peer.requests.at(-1)!.body).toMatchObject({ dateRanges: [range] });
    expect(peer.requests).toHaveLength(3);
  });

  it('of the largest report is read whole', async () => {
    peer.rows = Array.from(
      { length: 20_000 },
      () => [['20261101'], ['1234567890', '1234567890', '1234567890', '1']] as const,
    );
    const [page] = await pagesOf('audience');
    expect(page!.items).toHaveLength(20_000);
  });
});
