import type { Addend } from '../metrics/index.ts';

/** How long no span is lost before the log says that all is well again. */
const CALM_MS = 10_000;

interface Log {
  log(message: string): void;
  warn(message: string): void;
}

/** Counts lost spans, and logs one line when that begins and one when it is over, however long it lasts. */
export class SpanLosses {
  counter: Addend | undefined;
  private lost = 0;
  private lastAt = -Infinity;

  constructor(
    private readonly logger: Log,
    private readonly collector: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** An export that the collector refused or did not answer, repetitions included. */
  failed(spans: number, error: Error | undefined): void {
    this.lose(
      spans,
      `the collector at ${this.collector} takes no traces (${reasonOf(error)}); check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS. Requests are not affected, and spans are dropped until it does`,
    );
  }

  /** A span for which there was no room. */
  overflowed(): void {
    this.lose(
      1,
      `the collector at ${this.collector} takes traces too slowly, so spans are dropped; set OTEL_TRACES_SAMPLER_ARG to trace fewer requests`,
    );
  }

  /** An export that succeeded. */
  delivered(): void {
    if (this.lost === 0 || this.now() - this.lastAt < CALM_MS) return;
    this.logger.log(`the collector takes traces again; ${this.lost} spans were lost`);
    this.lost = 0;
  }

  /** The service stops and could not send all. */
  unsent(): void {
    if (this.lost === 0) this.logger.warn(`the collector at ${this.collector} did not take the last traces in time`);
  }

  private lose(spans: number, warning: string): void {
    if (this.lost === 0) this.logger.warn(warning);
    this.lost += spans;
    this.counter?.inc(spans);
    this.lastAt = this.now();
  }
}

/** Status or code of an error, and its message without line breaks; never the body of an answer. */
function reasonOf(error: Error | undefined): string {
  const { code, message = 'no answer' } = (error ?? {}) as {
    readonly code?: string | number;
    readonly message?: string;
  };
  const said = message.split('\n', 1)[0]!.slice(0, 200);
  return code === undefined || said.includes(String(code)) ? said : `${String(code)} ${said}`;
}
