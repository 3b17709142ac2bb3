import type { Backfill, Cut, Measure, Read } from './measure.ts';
import {
  type Dataset,
  type Dimension,
  type Grain,
  GRAINS,
  type MeasureKind,
  type SourceTimezone,
} from './vocabulary.ts';

/** What one kind of connector counts, and how it is asked. */
export interface DatasetDefinition {
  readonly dataset: Dataset;
  readonly connectorKey: string;
  readonly sourceTimezone: SourceTimezone;
  /** Whether a caller who adds up several sources counts nothing twice. */
  readonly nonOverlappingScopes: boolean;
  readonly reads: readonly Read[];
  readonly measures: readonly Measure[];
}

const THIRTEEN_MONTHS: Backfill = { months: 13 };

type Place = Pick<DatasetDefinition, 'connectorKey' | 'sourceTimezone' | 'nonOverlappingScopes'>;
type ReadFacts = Omit<Read, 'dataset' | 'key' | 'grain'> & { readonly grains?: readonly Grain[] };
interface MeasureFacts {
  readonly report: string;
  readonly entry: string;
  readonly kind: MeasureKind;
  readonly perCurrency?: boolean;
  /** The only way in which it is counted; there is no total. */
  readonly onlyBy?: Cut;
  /** Dimensions by which it is counted besides; they add up. */
  readonly by?: readonly Dimension[];
}

function dataset(
  name: Dataset,
  place: Place,
  reads: readonly ReadFacts[],
  measures: readonly MeasureFacts[],
): DatasetDefinition {
  return {
    dataset: name,
    ...place,
    reads: reads.flatMap((facts) => readsOf(name, facts)),
    measures: measures.flatMap(({ report, entry, kind, perCurrency = false, onlyBy = null, by = [] }): Measure[] => {
      const of = `${report}.${entry}`;
      const all = { dataset: name, of, report, kind, perCurrency };
      return [
        { ...all, key: of, entry, cut: onlyBy },
        ...by.map((dimension) => ({
          ...all,
          key: `${of}.${dimension}`,
          entry: `${entry}.${dimension}`,
          cut: { dimension, addsUp: true },
        })),
      ];
    }),
  };
}

function readsOf(name: Dataset, { grains, report, version, lagHours, backfill }: ReadFacts): Read[] {
  const read = (key: string, grain: Grain): Read => ({
    dataset: name,
    key,
    report,
    version,
    grain,
    lagHours,
    backfill,
  });
  return grains ? grains.map((grain) => read(`${report}.${grain}`, grain)) : [read(report, 'day')];
}

const WEB_CUTS = ['channel', 'country'] as const;

export const DATASET_DEFINITIONS: readonly DatasetDefinition[] = [
  dataset(
    'payments',
    { connectorKey: 'payments-provider', sourceTimezone: 'organization', nonOverlappingScopes: true },
    [
      { report: 'orders', version: 1, lagHours: 24, backfill: THIRTEEN_MONTHS },
      { report: 'renewals', version: 1, lagHours: 24, backfill: THIRTEEN_MONTHS },
      { report: 'subscriptions', version: 1, lagHours: 0, backfill: null },
    ],
    [
      { report: 'orders', entry: 'count', kind: 'flow' },
      { report: 'orders', entry: 'gross', kind: 'flow', perCurrency: true },
      { report: 'orders', entry: 'priced', kind: 'flow', perCurrency: true },
      { report: 'orders', entry: 'refunded', kind: 'flow', perCurrency: true },
      { report: 'renewals', entry: 'gross', kind: 'flow', perCurrency: true },
      { report: 'renewals', entry: 'refunded', kind: 'flow', perCurrency: true },
      {
        report: 'subscriptions',
        entry: 'subscriptions',
        kind: 'gauge',
        onlyBy: { dimension: 'status', addsUp: true },
      },
    ],
  ),
  dataset(
    'web',
    { connectorKey: 'web-analytics', sourceTimezone: 'account', nonOverlappingScopes: false },
    [
      { report: 'traffic', version: 1, lagHours: 48, backfill: THIRTEEN_MONTHS },
      { report: 'audience', version: 1, lagHours: 48, backfill: THIRTEEN_MONTHS, grains: GRAINS },
    ],
    [
      { report: 'traffic', entry: 'screenPageViews', kind: 'flow', by: WEB_CUTS },
      { report: 'traffic', entry: 'eventCount', kind: 'flow', by: WEB_CUTS },
      { report: 'traffic', entry: 'keyEvents', kind: 'flow', by: WEB_CUTS },
      { report: 'traffic', entry: 'transactions', kind: 'flow', by: WEB_CUTS },
      { report: 'traffic', entry: 'purchaseRevenue', kind: 'flow', perCurrency: true },
      { report: 'audience', entry: 'activeUsers', kind: 'distinct' },
      { report: 'audience', entry: 'newUsers', kind: 'distinct' },
      { report: 'audience', entry: 'sessions', kind: 'distinct' },
      { report: 'audience', entry: 'engagedSessions', kind: 'distinct' },
    ],
  ),
  dataset(
    'documents',
    { connectorKey: 'document-db', sourceTimezone: 'utc', nonOverlappingScopes: true },
    [{ report: 'created', version: 1, lagHours: 1, backfill: THIRTEEN_MONTHS }],
    [{ report: 'created', entry: 'created', kind: 'flow' }],
  ),
  dataset(
    'keys',
    { connectorKey: 'key-value-store', sourceTimezone: 'organization', nonOverlappingScopes: false },
    [{ report: 'keys', version: 1, lagHours: 0, backfill: null }],
    [
      { report: 'keys', entry: 'value', kind: 'gauge', onlyBy: { dimension: 'key', addsUp: false } },
      { report: 'keys', entry: 'size', kind: 'gauge', onlyBy: { dimension: 'key', addsUp: false } },
    ],
  ),
  dataset(
    'conversations',
    { connectorKey: 'support-inbox', sourceTimezone: 'organization', nonOverlappingScopes: true },
    [
      { report: 'created', version: 1, lagHours: 1, backfill: { days: 90 } },
      { report: 'open', version: 1, lagHours: 0, backfill: null },
    ],
    [
      { report: 'created', entry: 'conversations_created', kind: 'flow' },
      { report: 'open', entry: 'conversations_open', kind: 'gauge' },
      { report: 'open', entry: 'conversations_waiting', kind: 'gauge' },
    ],
  ),
];

const BY_DATASET = new Map(DATASET_DEFINITIONS.map((each) => [each.dataset, each]));
const BY_CONNECTOR = new Map(DATASET_DEFINITIONS.map((each) => [each.connectorKey, each]));

export function datasetOf(name: Dataset): DatasetDefinition {
  return BY_DATASET.get(name)!;
}

/** What connectors of a kind count; undefined of kinds that count nothing. */
export function datasetOfConnector(connectorKey: string): DatasetDefinition | undefined {
  return BY_CONNECTOR.get(connectorKey);
}

export function readOf(name: Dataset, key: string): Read | undefined {
  return datasetOf(name).reads.find((read) => read.key === key);
}

/** What a read yields; nothing else of a provider's answer is kept. */
export function measuresOf({ dataset: name, report }: Pick<Read, 'dataset' | 'report'>): readonly Measure[] {
  return datasetOf(name).measures.filter((measure) => measure.report === report);
}

export function measureNamed(name: Dataset, key: string): Measure | undefined {
  return datasetOf(name).measures.find((measure) => measure.key === key);
}

/** The read whose values make those of a grain: distinct counts are read at each grain, everything else by day. */
export function readAt({ dataset: name, report, kind }: Measure, grain: Grain): Read {
  const wanted = kind === 'distinct' ? grain : 'day';
  return datasetOf(name).reads.find((read) => read.report === report && read.grain === wanted)!;
}
