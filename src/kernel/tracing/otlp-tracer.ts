import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as Spans,
} from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_DB_OPERATION_BATCH_SIZE,
  ATTR_DB_RESPONSE_STATUS_CODE,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from '@opentelemetry/semantic-conventions';
import type { TracingConfig } from '../../config/index.ts';
import type { Addend } from '../metrics/index.ts';
import { SpanDelivery } from './span-delivery.ts';
import { statementName } from './statement-name.ts';
import { runFor, type StatementsSpan, type TracedWork } from './traced-work.ts';
import { type Traceparent, writeTraceparent } from './traceparent.ts';
import type { TracedRequest, Tracer } from './tracer.ts';

/** The only module that knows OpenTelemetry, with the delivery of its spans: `Tracing` loads it when traces are on. */
export class OtlpTracer implements Tracer {
  private constructor(
    private readonly spans: Spans,
    private readonly delivery: SpanDelivery,
  ) {}

  static to(config: TracingConfig): OtlpTracer {
    const delivery = new SpanDelivery(config);
    const root = new TraceIdRatioBasedSampler(config.ratio);
    const provider = new TracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({
          [ATTR_SERVICE_NAME]: config.serviceName,
          [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        }),
      ),
      sampler: config.parentBased ? new ParentBasedSampler({ root }) : root,
      spanProcessors: [delivery.processor],
      spanLimits: { linkCountLimit: MOST_SHARERS },
    });
    return new OtlpTracer(provider.getTracer('business-runner'), delivery);
  }

  request(method: string, route: string | undefined, parent: Traceparent | undefined): TracedRequest {
    const attributes: Attributes = { [ATTR_HTTP_REQUEST_METHOD]: METHODS.has(method) ? method : '_OTHER' };
    if (route !== undefined) attributes[ATTR_HTTP_ROUTE] = route;
    const name = METHODS.has(method) ? method : 'HTTP';
    const options = { kind: SpanKind.SERVER, attributes };
    const span = this.spans.startSpan(route === undefined ? name : `${name} ${route}`, options, contextOf(parent));
    return new RequestWork(this.spans, span);
  }

  async tick<T>(job: string, work: () => Promise<T>): Promise<T> {
    const span = this.spans.startSpan(`job ${job}`, {}, ROOT_CONTEXT);
    try {
      return await runFor(new SpanWork(this.spans, span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  countLosses(counter: Addend): void {
    this.delivery.losses.counter = counter;
  }

  end(limitMs: number): Promise<void> {
    return this.delivery.end(limitMs);
  }
}

/** Requests that share one transaction. */
const MOST_SHARERS = 200;

/** The methods that the conventions know; others are the caller's text. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY']);

function contextOf(parent: Traceparent | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Work whose span is open. */
class SpanWork implements TracedWork {
  private context: Context | undefined;

  constructor(
    private readonly spans: Spans,
    protected readonly span: Span,
  ) {}

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return writeTraceparent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  get isRecording(): boolean {
    return this.span.isRecording();
  }

  statements(others: readonly TracedWork[]): StatementsSpan {
    const sharers = others.filter((other) => other instanceof SpanWork);
    const links: Link[] = sharers.map((other) => ({ context: other.span.spanContext() }));
    this.context ??= trace.setSpan(ROOT_CONTEXT, this.span);
    const attributes = { [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL };
    // Its statements, which name it, are not known before they are sent.
    const span = this.spans.startSpan('postgresql', { kind: SpanKind.CLIENT, links, attributes }, this.context);
    for (const other of sharers) other.span.addLink({ context: span.spanContext() });
    return new SqlSpan(span);
  }
}

class RequestWork extends SpanWork implements TracedRequest {
  end(status: number | undefined): void {
    const { span } = this;
    if (!span.isRecording()) return;
    if (status !== undefined) {
      span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
      if (status >= 500) {
        span.setAttribute(ATTR_ERROR_TYPE, String(status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
    }
    span.end();
  }
}

/** Operations in the name of a span; a transaction may have dozens. */
const NAMED = 4;

class SqlSpan implements StatementsSpan {
  private readonly names = new Set<string>();
  private count = 0;

  constructor(private readonly span: Span) {}

  note(text: string): void {
    this.count += 1;
    const name = statementName(text);
    if (name !== '') this.names.add(name);
  }

  end(error?: unknown): void {
    const { span, count } = this;
    const names = [...this.names];
    if (names.length > 0) span.updateName(`${names.slice(0, NAMED).join('; ')}${names.length > NAMED ? '; …' : ''}`);
    if (count > 1) span.setAttribute(ATTR_DB_OPERATION_BATCH_SIZE, count);
    if (error !== undefined) {
      const code = sqlStateOf(error);
      if (code !== undefined) span.setAttribute(ATTR_DB_RESPONSE_STATUS_CODE, code);
      fail(span, error);
    }
    span.end();
  }
}

/** Says which kind of error it was, and not its message, which may hold values. */
function fail(span: Span, error: unknown): void {
  span.setAttribute(ATTR_ERROR_TYPE, sqlStateOf(error) ?? (error instanceof Error ? error.name : typeof error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function sqlStateOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
