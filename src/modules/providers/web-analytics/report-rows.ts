import { isObject, type JsonObject, type ProviderAnswer, requireShape } from '../wire/index.ts';
import { listIn, objectIn, textOr } from './client.ts';

/** What a report was asked for. */
export interface AskedReport {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** Ranges of days or minutes; of several the provider says in each row which one it is of. */
  readonly ranges: number;
  readonly limit: number;
}

export interface ReportRows {
  /** Keyed by the names of dimensions and metrics; every value as the provider's text. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Of the whole report, whatever was left out of these rows. */
  readonly rowCount: number;
  readonly metadata: JsonObject;
  readonly quota: JsonObject;
}

/** The dimension that the provider adds itself. */
const RANGE = 'dateRange';

/** The rows of a report that is the one that was asked for; anything else is no answer. */
export function rowsOf(answer: ProviderAnswer, asked: AskedReport): ReportRows {
  const body = objectIn(answer);
  const dimensions = namesIn(answer, body['dimensionHeaders']);
  const metrics = namesIn(answer, body['metricHeaders']);
  const expected = [...asked.dimensions, ...(asked.ranges > 1 ? [RANGE] : [])];
  requireShape(isSame(dimensions, expected) && isSame(metrics, asked.metrics), answer);
  const rows = listIn(answer, body['rows']);
  requireShape(rows.length <= asked.limit, answer);
  const { rowCount = 0 } = body;
  requireShape(typeof rowCount === 'number' && rowCount >= rows.length, answer);
  return {
    rows: rows.map((row) =>
      Object.fromEntries([
        ...cells(answer, dimensions, row['dimensionValues']),
        ...cells(answer, metrics, row['metricValues']),
      ]),
    ),
    rowCount,
    metadata: isObject(body['metadata']) ? body['metadata'] : {},
    quota: isObject(body['propertyQuota']) ? body['propertyQuota'] : {},
  };
}

function namesIn(answer: ProviderAnswer, headers: unknown): readonly string[] {
  return listIn(answer, headers).map(({ name }) => textOr(name));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

function cells(
  answer: ProviderAnswer,
  names: readonly string[],
  values: unknown,
): readonly (readonly [string, string])[] {
  const list = listIn(answer, values);
  requireShape(list.length === names.length, answer);
  return names.map((name, index) => {
    const { value = '' } = list[index]!;
    requireShape(typeof value === 'string', answer);
    return [name, value];
  });
}

/** How often the provider looked at a part of what happened only; none where it looked at all. */
export function samplingOf({ samplingMetadatas }: JsonObject): readonly { read: string; population: string }[] {
  if (!Array.isArray(samplingMetadatas)) return [];
  return samplingMetadatas.filter(isObject).map(({ samplesReadCount, samplingSpaceSize }) => ({
    read: countOf(samplesReadCount),
    population: countOf(samplingSpaceSize),
  }));
}

function countOf(value: unknown): string {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? value : '0';
}

/** Metrics that the person who authorized may not see: whatever came for them is no figure. */
export function restrictedMetrics({ schemaRestrictionResponse }: JsonObject): readonly string[] {
  const restrictions = isObject(schemaRestrictionResponse) ? schemaRestrictionResponse['activeMetricRestrictions'] : [];
  if (!Array.isArray(restrictions)) return [];
  return restrictions
    .filter(isObject)
    .flatMap(({ metricName }) => (typeof metricName === 'string' ? [metricName] : []));
}

const BUCKETS = {
  tokensPerDay: 'tokens_per_day',
  tokensPerHour: 'tokens_per_hour',
  tokensPerProjectPerHour: 'tokens_per_project_per_hour',
  concurrentRequests: 'concurrent_requests',
  serverErrorsPerProjectPerHour: 'server_errors_per_project_per_hour',
  potentiallyThresholdedRequestsPerHour: 'potentially_thresholded_requests_per_hour',
} as const;
type Bucket = keyof typeof BUCKETS;

export interface BucketLeft {
  readonly bucket: Bucket;
  readonly consumed: number;
  readonly remaining: number;
}

/** What is left of each bucket that the provider names. */
export function bucketsOf(quota: JsonObject): readonly BucketLeft[] {
  return (Object.keys(BUCKETS) as Bucket[]).flatMap((bucket) => {
    const given = quota[bucket];
    if (!isObject(given)) return [];
    const { consumed = 0, remaining = 0 } = given;
    return typeof consumed === 'number' && typeof remaining === 'number' ? [{ bucket, consumed, remaining }] : [];
  });
}

/** A report as agents get it. */
export function projectedReport(report: ReportRows): object {
  const { rows, rowCount, metadata, quota } = report;
  return {
    rows,
    row_count: rowCount,
    metadata: {
      time_zone: textOr(metadata['timeZone'], '') || null,
      currency_code: textOr(metadata['currencyCode'], '') || null,
      data_loss_from_other_row: metadata['dataLossFromOtherRow'] === true,
      subject_to_thresholding: metadata['subjectToThresholding'] === true,
      empty_reason: textOr(metadata['emptyReason'], '') || null,
      sampling: samplingOf(metadata),
      restricted_metrics: restrictedMetrics(metadata),
    },
    quota: projectedQuota(quota),
  };
}

function projectedQuota(quota: JsonObject): object {
  return Object.fromEntries(
    bucketsOf(quota).map(({ bucket, consumed, remaining }) => [BUCKETS[bucket], { consumed, remaining }] as const),
  );
}
