import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/index.ts';
import { SpanLosses } from './span-losses.ts';

/** Spans that wait at most; 1 to 2 KB each. Further ones are dropped. */
const WAITING_SPANS = 2_048;
const SPANS_PER_EXPORT = 512;
/** How long spans wait to be sent together. */
const GATHERING_MS = 2_000;
/** For an export with its repetitions. */
const EXPORT_LIMIT_MS = 5_000;
/** Exports in flight at once, when those that wait are sent at a stop. */
const EXPORTS_AT_ONCE = WAITING_SPANS / SPANS_PER_EXPORT + 1;

/** Sends spans to the collector in the background, and drops them where it cannot keep up. */
export class SpanDelivery {
  readonly processor: SpanProcessor;
  readonly losses: SpanLosses;
  private readonly agent: HttpAgent;

  constructor({ endpoint, headers }: TracingConfig) {
    const logger = new Logger('Traces');
    const { origin, protocol } = new URL(endpoint);
    this.losses = new SpanLosses(logger, origin);
    // Agents of its own, so that a stop can cut what hangs.
    this.agent = protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: EXPORT_LIMIT_MS,
      concurrencyLimit: EXPORTS_AT_ONCE,
      httpAgentOptions: () => this.agent,
    });
    this.processor = new BoundedProcessor(exporter, this.losses);
  }

  async end(limitMs: number): Promise<void> {
    const sent = this.processor.shutdown().then(
      () => true,
      () => false,
    );
    const inTime = await Promise.race([sent, wait(limitMs, false, { ref: false })]);
    if (!inTime) this.losses.unsent();
    this.agent.destroy();
  }
}

/** The library's processor, which drops silently what is too much, with a count of it. */
class BoundedProcessor extends BatchSpanProcessor {
  private waiting = 0;

  constructor(
    exporter: SpanExporter,
    private readonly losses: SpanLosses,
  ) {
    const counting: SpanExporter = {
      export: (spans, done) => {
        this.waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (result.error) losses.failed(spans.length, result.error);
          else losses.delivered();
          done(result);
        });
      },
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
      shutdown: () => exporter.shutdown(),
    };
    super({
      exporter: counting,
      maxQueueSize: WAITING_SPANS,
      maxExportBatchSize: SPANS_PER_EXPORT,
      scheduledDelayMillis: GATHERING_MS,
      exportTimeoutMillis: 2 * EXPORT_LIMIT_MS,
    });
  }

  override onEnd(span: ReadableSpan): void {
    if (this.waiting >= WAITING_SPANS) {
      this.losses.overflowed();
      return;
    }
    this.waiting += 1;
    super.onEnd(span);
  }
}
