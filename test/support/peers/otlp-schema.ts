import protobuf from 'protobufjs';

/** What tests read of an export, with the field numbers of opentelemetry-proto 1.9; the rest is skipped. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Export { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    repeated Event events = 11;
    repeated Link links = 13;
    Status status = 15;
  }
  message Event { string name = 2; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
`);

const TYPE = root.lookupType('Export');
const KINDS = ['', 'internal', 'server', 'client'] as const;

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  readonly events: readonly string[];
  /** Ids of spans. */
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly statusMessage: string;
  readonly resource: Attributes;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

/** As protobufjs returns the messages. */
interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Pair[];
  readonly events: readonly { readonly name: string }[];
  readonly links: readonly { readonly spanId: Uint8Array }[];
  readonly status?: { readonly message: string; readonly code: number };
}

export function spansOf(bytes: Uint8Array): ExportedSpan[] {
  const plain = TYPE.toObject(TYPE.decode(bytes), { longs: String, arrays: true }) as Decoded;
  return plain.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, attributesOf(resource.attributes)))),
  );
}

function spanOf(span: DecodedSpan, resource: Attributes): ExportedSpan {
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    name: span.name,
    kind: KINDS[span.kind] ?? String(span.kind),
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ name }) => name),
    links: span.links.map(({ spanId }) => hex(spanId)),
    isError: span.status?.code === 2,
    statusMessage: span.status?.message ?? '',
    resource,
  };
}

function attributesOf(pairs: readonly Pair[]): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, numeric(value)]));
}

function numeric({ intValue, ...others }: Pair['value']): string | number | boolean {
  return intValue === undefined ? Object.values(others)[0]! : Number(intValue);
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex');
}
