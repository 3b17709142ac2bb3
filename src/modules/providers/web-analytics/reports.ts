import type {
  ProviderAccess,
  ProviderNet,
  Report,
  ReportEntry,
  ReportItem,
  ReportPage,
  ReportRequest,
} from '../../integrations/index.ts';
import { type JsonObject, requireShape } from '../wire/index.ts';
import { AnalyticsClient, textOr } from './client.ts';
import { plainDecimal } from './decimal-text.ts';
import { alignedFrom, daysOf, type Grain, PERIODS, plusDays, type Window, windowAt } from './report-periods.ts';
import { bucketsOf, restrictedMetrics, rowsOf, samplingOf } from './report-rows.ts';
import type { AnalyticsSettings } from './settings.ts';

/** Rows of one report. */
const MOST_ROWS = 20_000;
/** Figures change so long after their day. */
const LAG_HOURS = 48;
/** Below this part of what a bucket holds the collector rests. */
const LEAST_LEFT = 0.1;
const REST_SECONDS = 3_600;

/** One request of a report: the metrics, by the period and at most one more dimension. */
interface Part {
  readonly metrics: readonly string[];
  /** The dimension of a cut, and how measures by it are called. */
  readonly cut?: { readonly dimension: string; readonly name: string };
}

const REVENUE = 'purchaseRevenue';
const COUNTS = ['eventCount', 'screenPageViews', 'keyEvents', 'transactions'];
const TRAFFIC: readonly Part[] = [
  { metrics: [...COUNTS, REVENUE] },
  { metrics: COUNTS, cut: { dimension: 'sessionDefaultChannelGroup', name: 'channel' } },
  { metrics: COUNTS, cut: { dimension: 'country', name: 'country' } },
];
const AUDIENCE: readonly Part[] = [{ metrics: ['activeUsers', 'newUsers', 'sessions', 'engagedSessions'] }];

/** What is known of a property before its figures are asked for, and where the next request stands. */
interface Checkpoint extends Readonly<Record<string, unknown>> {
  readonly from: string;
  readonly part: number;
  /** Metrics that count nothing for this property, whatever comes for them. */
  readonly blocked: readonly string[];
  readonly eventMonths: number | null;
  readonly userMonths: number | null;
}

/** Figures of properties, one request a page; the first page asks besides what is blocked and how long it is kept. */
class AnalyticsReport implements Report<AnalyticsSettings> {
  readonly version = 1;
  readonly measures: readonly string[];

  constructor(
    readonly key: string,
    private readonly parts: readonly Part[],
    /** Whether its figures are of distinct things, which no period adds up from others. */
    private readonly isDistinct: boolean,
  ) {
    this.measures = parts.flatMap((part) => part.metrics.map((metric) => measureOf(metric, part)));
  }

  async next(
    { resource, from, to, grain: asked, checkpoint }: ReportRequest<AnalyticsSettings>,
    access: ProviderAccess,
    net: ProviderNet,
  ): Promise<ReportPage> {
    const client = new AnalyticsClient(access, net);
    const id = resource.resourceId;
    const grain = this.isDistinct ? asked : 'day';
    const known = (checkpoint as Checkpoint | null) ?? (await begun(client, id, alignedFrom(from, grain)));
    const part = this.parts[known.part]!;
    const window = windowAt(known.from, to, grain);
    const computedAt = new Date().toISOString();
    const read = await this.read(client, id, part, window, grain, known.blocked);
    return {
      items: read.items,
      checkpoint: this.behind(known, window, to),
      ...(read.isNearlyUsedUp ? { restSeconds: REST_SECONDS } : {}),
      reporting: {
        timezone: read.timezone,
        accountTimezone: read.timezone,
        lagHours: LAG_HOURS,
        computedAt,
        cached: false,
        attribution: null,
        approximateDistinct: this.isDistinct,
        thresholded: read.metadata['subjectToThresholding'] === true,
        dataLossFromOtherRow: read.metadata['dataLossFromOtherRow'] === true,
        sampling: samplingOf(read.metadata),
        eventRetentionMonths: known.eventMonths,
        userRetentionMonths: known.userMonths,
        truncation: [],
      },
    };
  }

  private async read(
    client: AnalyticsClient,
    id: string,
    part: Part,
    window: Window,
    grain: Grain,
    blocked: readonly string[],
  ) {
    const { metrics, cut } = part;
    const period = PERIODS[grain];
    const dimensions = [period.dimension, ...(cut ? [cut.dimension] : [])];
    const answer = await client.largeReport(id, {
      dimensions: dimensions.map((name) => ({ name })),
      metrics: metrics.map((name) => ({ name })),
      dateRanges: [{ startDate: window.from, endDate: plusDays(window.to, -1) }],
      limit: String(MOST_ROWS),
      returnPropertyQuota: true,
    });
    const report = rowsOf(answer, { dimensions, metrics, ranges: 1, limit: MOST_ROWS });
    const { metadata, quota } = report;
    const unsupported = new Set([...blocked, ...restrictedMetrics(metadata)]);
    const currency = textOr(metadata['currencyCode']);
    const timezone = textOr(metadata['timeZone']);
    requireShape(timezone !== '', answer);
    const items =
      report.rowCount > MOST_ROWS
        ? truncated(part, window)
        : report.rows.map((row): ReportItem => {
            const start = period.startOf(row[period.dimension]!);
            requireShape(start !== undefined && start >= window.from && start < window.to, answer);
            const value = cut && row[cut.dimension]!;
            const entries = metrics.map((metric) => {
              const figure = unsupported.has(metric) ? UNSUPPORTED : figureOf(row[metric]!);
              return entryOf(measureOf(metric, part), start, figure, {
                ...(value === undefined ? {} : { cut: value }),
                ...(metric === REVENUE && currency !== '' ? { currency } : {}),
              });
            });
            return { key: [start, grain, ...(cut ? [cut.name, value] : [])].join(' '), entries };
          });
    return { items, metadata, timezone, isNearlyUsedUp: isNearlyUsedUp(quota) };
  }

  /** Window by window, all parts of each; null behind the last. */
  private behind(known: Checkpoint, window: Window, to: string): Checkpoint | null {
    if (known.part + 1 < this.parts.length) return { ...known, part: known.part + 1 };
    return window.to < to ? { ...known, from: window.to, part: 0 } : null;
  }
}

const UNSUPPORTED = { value: null, reason: 'unsupported_capability' } as const;

async function begun(client: AnalyticsClient, id: string, from: string): Promise<Checkpoint> {
  const [{ metrics }, { eventMonths, userMonths }] = await Promise.all([client.metadata(id), client.retention(id)]);
  const ours = new Set([...TRAFFIC, ...AUDIENCE].flatMap((part) => part.metrics));
  const blocked = metrics.flatMap(({ apiName, blockedReasons }) => {
    const isBlocked = Array.isArray(blockedReasons) && blockedReasons.length > 0;
    return isBlocked && typeof apiName === 'string' && ours.has(apiName) ? [apiName] : [];
  });
  return { from, part: 0, blocked, eventMonths, userMonths };
}

function measureOf(metric: string, { cut }: Part): string {
  return cut ? `${metric}.${cut.name}` : metric;
}

function entryOf(
  measure: string,
  period: string,
  figure: Pick<ReportEntry, 'value' | 'reason'>,
  more: Pick<ReportEntry, 'cut' | 'currency'>,
): ReportEntry {
  return { measure, period, ...more, ...figure };
}

function figureOf(text: string): Pick<ReportEntry, 'value' | 'reason'> {
  const value = plainDecimal(text);
  return value === undefined ? { value: null, reason: 'non_numeric' } : { value };
}

/** A report with more rows than are read says nothing whole of any of its days. */
function truncated(part: Part, window: Window): readonly ReportItem[] {
  return daysOf(window).map((period) => ({
    key: [period, 'truncated', part.cut?.name ?? ''].join(' '),
    entries: part.metrics.map((metric) => ({
      measure: measureOf(metric, part),
      period,
      value: null,
      reason: 'truncated',
    })),
  }));
}

function isNearlyUsedUp(quota: JsonObject): boolean {
  return bucketsOf(quota).some(
    ({ bucket, consumed, remaining }) => bucket.startsWith('tokens') && remaining < (consumed + remaining) * LEAST_LEFT,
  );
}

export const REPORTS: readonly Report<AnalyticsSettings>[] = [
  new AnalyticsReport('traffic', TRAFFIC, false),
  new AnalyticsReport('audience', AUDIENCE, true),
];
