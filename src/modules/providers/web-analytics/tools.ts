import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { type ListedTool, ProviderFailure, type ToolCall, type ToolOutput } from '../../integrations/index.ts';
import { FixedTools, type Scoped } from '../fixed-tools/index.ts';
import { atOnce, type JsonObject, outputOf } from '../wire/index.ts';
import { type AnalyticsClient, listIn, objectIn, textOr } from './client.ts';
import { PROPERTY, TOOLS } from './manifest.ts';
import { type Filter, providerFilter } from './report-filter.ts';
import { projectedReport, rowsOf } from './report-rows.ts';
import type { AnalyticsSettings } from './settings.ts';

/** Properties that are asked for at once. */
export const AT_ONCE = 4;
const MOST_NAMES = 200;
const MOST_COMPATIBLE = 500;

interface ReportArguments {
  readonly property_id: string;
  readonly dimensions?: readonly string[];
  readonly metrics: readonly string[];
  readonly date_ranges: readonly { readonly start: string; readonly end: string }[];
  readonly dimension_filter?: Filter;
  readonly metric_filter?: Filter;
  readonly order_by?: readonly { readonly name: string; readonly desc?: boolean }[];
  readonly limit: number;
  readonly offset: number;
  readonly keep_empty_rows?: boolean;
  readonly currency_code?: string;
}

interface RealtimeArguments {
  readonly property_id: string;
  readonly dimensions?: readonly string[];
  readonly metrics: readonly string[];
  readonly minute_ranges?: readonly { readonly start_minutes_ago: number; readonly end_minutes_ago: number }[];
  readonly limit: number;
}

/** A call in its canonical form: with its property, and a report as the provider wants it. */
type Canonical = Readonly<Record<string, unknown>> & { readonly property_id: string };

const tools = new FixedTools(TOOLS);

/** With the properties of the settings in every schema that names one. */
export function listedTools(settings: AnalyticsSettings | null): readonly ListedTool[] {
  if (!settings) return tools.listed();
  const { propertyIds, defaultPropertyId } = settings;
  const scoped: Scoped = (_, argument, schema) =>
    argument === PROPERTY
      ? { type: 'string', enum: propertyIds, default: defaultPropertyId, description: schema['description'] }
      : schema;
  return tools.listed(scoped);
}

/** The call with its scope proven; 400 at the argument that names something else, or is none. */
export function scopedCall(
  tool: ListedTool,
  given: Readonly<Record<string, unknown>>,
  settings: AnalyticsSettings | null,
): ToolCall {
  const args = tools.checked(tool.name, given);
  const { propertyIds = [], defaultPropertyId } = settings ?? {};
  if (tool.name === 'list_properties') return { tool, arguments: { property_ids: propertyIds } };
  const id = args[PROPERTY] ?? defaultPropertyId;
  if (typeof id !== 'string' || !propertyIds.includes(id))
    throw invalid(`arguments.${PROPERTY}`, EdgeIssues.unknownReference, 'must be a property of this connector');
  const canonical: Canonical = { ...args, [PROPERTY]: id };
  if (tool.name !== 'run_report') return { tool, arguments: canonical };
  return { tool, arguments: { ...canonical, body: reportBody(canonical as unknown as ReportArguments) } };
}

/** Asks for what a call says. */
export async function calledTool({ tool, arguments: args }: ToolCall, client: AnalyticsClient): Promise<ToolOutput> {
  switch (tool.name) {
    case 'list_properties':
      return outputOf({ properties: await propertiesOf(args['property_ids'] as readonly string[], client) });
    case 'get_metadata':
      return namesOf(args as Canonical, client);
    case 'check_compatibility':
      return compatibleWith(args as Canonical, client);
    case 'run_report':
      return report(args as unknown as ReportArguments & { readonly body: object }, client);
    default:
      return realtime(args as unknown as RealtimeArguments, client);
  }
}

/** One that the person who authorized sees no more is said to be so, and costs the others nothing. */
function propertiesOf(ids: readonly string[], client: AnalyticsClient): Promise<readonly object[]> {
  return atOnce(ids, AT_ONCE, async (id) => {
    try {
      const { name, timezone, currency, isTrashed } = await client.property(id);
      return { property_id: id, name, time_zone: timezone, currency_code: currency, available: !isTrashed };
    } catch (error) {
      if (!isOfProperty(error)) throw error;
      return { property_id: id, available: false };
    }
  });
}

/** Whether a failure says something of the one property that was asked for, and of nothing else. */
export function isOfProperty(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && error.failure.resource !== undefined;
}

async function namesOf(args: Canonical, client: AnalyticsClient): Promise<ToolOutput> {
  const { dimensions, metrics } = await client.metadata(args.property_id);
  const search = textOr(args['search']).toLowerCase();
  const matches = (each: JsonObject) =>
    ['apiName', 'uiName', 'description'].some((key) => textOr(each[key]).toLowerCase().includes(search));
  const [foundDimensions, foundMetrics] = [dimensions.filter(matches), metrics.filter(matches)];
  const output = {
    dimensions: foundDimensions.slice(0, MOST_NAMES).map(projectedName),
    metrics: foundMetrics.slice(0, MOST_NAMES).map((each) =>
      Object.assign(projectedName(each), {
        type: textOr(each['type']),
        blocked: Array.isArray(each['blockedReasons']) && each['blockedReasons'].length > 0,
      }),
    ),
  };
  return outputOf(output, { truncated: Math.max(foundDimensions.length, foundMetrics.length) > MOST_NAMES });
}

function projectedName(each: JsonObject) {
  return {
    name: textOr(each['apiName']),
    title: textOr(each['uiName']),
    description: textOr(each['description']),
    category: textOr(each['category']),
    custom: each['customDefinition'] === true,
  };
}

async function compatibleWith(args: Canonical, client: AnalyticsClient): Promise<ToolOutput> {
  const { dimensions = [], metrics = [] } = args as { dimensions?: readonly string[]; metrics?: readonly string[] };
  const body = { dimensions: named(dimensions), metrics: named(metrics), compatibilityFilter: 'COMPATIBLE' };
  const answer = await client.post(args.property_id, 'checkCompatibility', body);
  const { dimensionCompatibilities, metricCompatibilities } = objectIn(answer);
  const found = [
    namesIn(listIn(answer, dimensionCompatibilities), 'dimensionMetadata'),
    namesIn(listIn(answer, metricCompatibilities), 'metricMetadata'),
  ] as const;
  const [ofDimensions, ofMetrics] = found;
  const output = { dimensions: ofDimensions.slice(0, MOST_COMPATIBLE), metrics: ofMetrics.slice(0, MOST_COMPATIBLE) };
  return outputOf(output, { truncated: found.some(({ length }) => length > MOST_COMPATIBLE) });
}

function namesIn(list: readonly JsonObject[], key: string): readonly string[] {
  return list.flatMap(({ compatibility, [key]: metadata }) => {
    const name = compatibility === 'COMPATIBLE' ? textOr((metadata as JsonObject | undefined)?.['apiName']) : '';
    return name === '' ? [] : [name];
  });
}

async function report(
  { property_id: id, body, ...args }: ReportArguments & { readonly body: object },
  client: AnalyticsClient,
): Promise<ToolOutput> {
  const { dimensions = [], metrics, date_ranges: ranges, limit } = args;
  const answer = await client.post(id, 'runReport', body);
  return outputOf(projectedReport(rowsOf(answer, { dimensions, metrics, ranges: ranges.length, limit })));
}

async function realtime(args: RealtimeArguments, client: AnalyticsClient): Promise<ToolOutput> {
  const { property_id: id, dimensions = [], metrics, minute_ranges: ranges = [], limit } = args;
  const answer = await client.post(id, 'runRealtimeReport', {
    dimensions: named(dimensions),
    metrics: named(metrics),
    ...(ranges.length > 0
      ? {
          minuteRanges: ranges.map(({ start_minutes_ago: start, end_minutes_ago: end }) => ({
            startMinutesAgo: start,
            endMinutesAgo: end,
          })),
        }
      : {}),
    limit: String(limit),
    returnPropertyQuota: true,
  });
  return outputOf(projectedReport(rowsOf(answer, { dimensions, metrics, ranges: ranges.length, limit })));
}

function named(names: readonly string[]): readonly object[] {
  return names.map((name) => ({ name }));
}

function reportBody(args: ReportArguments): object {
  const { dimensions = [], metrics, date_ranges: ranges, order_by: order, limit, offset } = args;
  const { dimension_filter: ofDimensions, metric_filter: ofMetrics } = args;
  for (const [index, range] of ranges.entries()) requireDays(range, `arguments.date_ranges.${index}`);
  return {
    dimensions: named(dimensions),
    metrics: named(metrics),
    dateRanges: ranges.map(({ start, end }) => ({ startDate: start, endDate: end })),
    ...(ofDimensions ? { dimensionFilter: providerFilter(ofDimensions, 'arguments.dimension_filter') } : {}),
    ...(ofMetrics ? { metricFilter: providerFilter(ofMetrics, 'arguments.metric_filter') } : {}),
    ...(order ? { orderBys: order.map((each, index) => orderBy(each, index, dimensions, metrics)) } : {}),
    limit: String(limit),
    offset: String(offset),
    ...(args.keep_empty_rows ? { keepEmptyRows: true } : {}),
    ...(args.currency_code === undefined ? {} : { currencyCode: args.currency_code }),
    returnPropertyQuota: true,
  };
}

function orderBy(
  { name, desc = false }: { readonly name: string; readonly desc?: boolean },
  index: number,
  dimensions: readonly string[],
  metrics: readonly string[],
): object {
  if (dimensions.includes(name)) return { dimension: { dimensionName: name }, desc };
  if (metrics.includes(name)) return { metric: { metricName: name }, desc };
  throw invalid(
    `arguments.order_by.${index}.name`,
    EdgeIssues.unknownReference,
    'must be a dimension or metric of this report',
  );
}

const ISO_DATE = /^\d{4}-/;

/** Days that the calendar has, the first not behind the last as far as both are dates. */
function requireDays({ start, end }: { readonly start: string; readonly end: string }, path: string): void {
  for (const [name, day] of Object.entries({ start, end }))
    if (ISO_DATE.test(day) && !isDay(day))
      throw invalid(`${path}.${name}`, EdgeIssues.outOfRange, 'must be a day that the calendar has');
  if (ISO_DATE.test(start) && ISO_DATE.test(end) && start > end)
    throw invalid(`${path}.end`, EdgeIssues.outOfRange, 'must not be before start');
}

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
