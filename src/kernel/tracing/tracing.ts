import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../config/index.ts';
import type { Metrics } from '../metrics/index.ts';
import type { Tracer } from './tracer.ts';
import { TracingMetrics } from './tracing.metrics.ts';

/** Longest that a stop waits for the collector, which usually answers within milliseconds. */
const LAST_EXPORT_MS = 1_000;

/** The traces of one application: a tracer, or none when they are off. */
export class Tracing implements OnApplicationShutdown {
  static readonly OFF = new Tracing(undefined, 0);

  private constructor(
    readonly tracer: Tracer | undefined,
    private readonly stopLimitMs: number,
  ) {}

  /** Loads OpenTelemetry only when there is a collector, because it is large. */
  static async of({ tracing, shutdownTimeoutMs }: Config): Promise<Tracing> {
    if (!tracing) return Tracing.OFF;
    const { OtlpTracer } = await import('./otlp-tracer.ts');
    return new Tracing(OtlpTracer.to(tracing), Math.min(LAST_EXPORT_MS, shutdownTimeoutMs / 2));
  }

  /** Counts lost spans in the metrics of the application. */
  measuredBy(metrics: Metrics): this {
    this.tracer?.countLosses(metrics.counter(TracingMetrics.lost));
    return this;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracer?.end(this.stopLimitMs);
  }
}
