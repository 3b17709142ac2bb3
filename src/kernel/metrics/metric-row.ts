/**
 * The labels of a metric: of each the values that it can take, or in words what bounds them where they are not known
 * beforehand. Never ids, names or other data of tenants.
 */
export type Labels = Readonly<Record<string, readonly string[] | string>>;

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** One metric, as the scrape and the documents show it. */
export interface MetricRow<Kind extends MetricKind = MetricKind> {
  readonly kind: Kind;
  /** Without the prefix; ends with the unit in base units (`_seconds`, `_bytes`), for a counter then with `_total`. */
  readonly name: string;
  /** The unit, the meaning, and where a value ends to grow. */
  readonly help: string;
  readonly labels?: Labels;
  /** Of a histogram: upper bounds of the buckets, rising. */
  readonly buckets?: readonly number[];
}

/** The values of one series' labels; none for a metric without labels. */
export type LabelsOf<Row extends MetricRow> = Row extends { readonly labels: infer Declared extends Labels }
  ? [{ readonly [Name in keyof Declared]: Declared[Name] extends readonly (infer Value)[] ? Value : string }]
  : [];

/** Before each name, so that the metrics of the service stand together. */
export const PREFIX = 'business_runner_';

const rows: MetricRow[] = [];

/** Defines a table of metrics, of a folder of the kernel or of a module. docs/operations/metrics.md lists its rows. */
export function defineMetrics<const Table extends Record<string, MetricRow>>(table: Table): Table {
  for (const row of Object.values(table)) {
    requireConvention(row);
    rows.push(row);
  }
  return table;
}

/** The rows of all tables that were loaded, by name. */
export function definedMetrics(): readonly MetricRow[] {
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function requireConvention({ kind, name, buckets }: MetricRow): void {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.startsWith(PREFIX))
    throw new TypeError(`"${name}" is no name of a metric: use snake_case without the prefix.`);
  if ((kind === 'counter') !== name.endsWith('_total'))
    throw new TypeError(`${name}: the name of a counter, and no other, ends with _total.`);
  if ((kind === 'histogram') !== (buckets !== undefined))
    throw new TypeError(`${name}: a histogram, and nothing else, has buckets.`);
}
