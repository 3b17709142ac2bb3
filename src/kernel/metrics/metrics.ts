import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { LookUp } from './look-up.ts';
import { processMetrics } from './process-metrics.ts';
import { type LabelsOf, type MetricRow, PREFIX } from './metric-row.ts';

/** One series of a counter. */
export interface Addend {
  inc(by?: number): void;
}

/** One series of a histogram. */
export interface Sample {
  observe(value: number): void;
}

/** Reads a gauge; undefined leaves the series out of the scrape. */
type Read = () => number | undefined;

type SeriesLabels = Readonly<Record<string, string>>;

interface ReadSeries {
  readonly labels: SeriesLabels;
  readonly read: Read;
}

/**
 * The metrics of one application. Ask for a series once, in a constructor, and keep it: it costs about a microsecond to
 * add to it, and several to look it up. What can be read when it is asked for (sizes, times, counts) is read at the
 * scrape and costs nothing until then.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly known = new Map<MetricRow, Metric>();
  private readonly reads = new Map<MetricRow, ReadSeries[]>();
  private readonly lookUps: LookUp<unknown>[] = [];

  get contentType(): string {
    return this.registry.contentType;
  }

  /** A series that only grows; it stands in the scrape from now on, at 0. */
  counter<Row extends MetricRow<'counter'>>(row: Row, ...labels: LabelsOf<Row>): Addend {
    const at = labelsFrom(labels);
    const counter = this.metricOf(row, (config) => new Counter(config));
    counter.inc(at, 0);
    return counter.labels(at);
  }

  /** A series of observed values, without any until the first. */
  histogram<Row extends MetricRow<'histogram'>>(row: Row, ...labels: LabelsOf<Row>): Sample {
    const at = labelsFrom(labels);
    const histogram = this.metricOf(row, (config) => new Histogram({ ...config, buckets: [...row.buckets!] }));
    histogram.zero(at);
    return histogram.labels(at);
  }

  /** A series that is read at each scrape. */
  gauge<Row extends MetricRow<'gauge'>>(row: Row, read: Read, ...labels: LabelsOf<Row>): void {
    let series = this.reads.get(row);
    if (!series) {
      const all: ReadSeries[] = (series = []);
      this.reads.set(row, all);
      const gauge: Gauge = this.metricOf(row, (config) => new Gauge({ ...config, collect: () => readAll(gauge, all) }));
    }
    series.push({ labels: labelsFrom(labels), read });
  }

  /**
   * Has something looked up at a scrape that takes a while, at most every 10 s; returns how it is read. Undefined where
   * it failed or took longer than 2 s.
   */
  lookUp<T>(find: () => Promise<T>): () => T | undefined {
    const lookUp = new LookUp(find);
    this.lookUps.push(lookUp);
    return () => lookUp.found;
  }

  /** Everything in the text format of Prometheus. */
  async scrape(): Promise<string> {
    await Promise.all(this.lookUps.map((each) => each.refresh()));
    return Registry.merge([this.registry, processMetrics()]).metrics();
  }

  private metricOf<Kind extends Metric>(row: MetricRow, make: (config: MetricConfig) => Kind): Kind {
    let metric = this.known.get(row) as Kind | undefined;
    if (!metric) {
      const labelNames = Object.keys(row.labels ?? {});
      metric = make({ name: PREFIX + row.name, help: row.help, labelNames, registers: [this.registry] });
      this.known.set(row, metric);
    }
    return metric;
  }
}

interface MetricConfig {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
}

function labelsFrom([labels]: readonly unknown[]): SeriesLabels {
  return (labels ?? {}) as SeriesLabels;
}

function readAll(gauge: Gauge, series: readonly ReadSeries[]): void {
  for (const { labels, read } of series) {
    const value = read();
    if (value === undefined) gauge.remove(labels);
    else gauge.set(labels, value);
  }
}
