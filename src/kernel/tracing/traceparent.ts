/** Where a caller's trace stands, as the header `traceparent` of W3C Trace Context says it. */
export interface Traceparent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the caller records its trace. */
  readonly sampled: boolean;
}

const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 0x01;

/** Undefined for a missing or malformed header, which a service must ignore. A later version may hold more fields. */
export function readTraceparent(header: unknown): Traceparent | undefined {
  const found = typeof header === 'string' ? FORM.exec(header) : null;
  if (!found) return undefined;
  const [, version, traceId, spanId, flags, more] = found;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & SAMPLED) !== 0 };
}

export function writeTraceparent({ traceId, spanId, sampled }: Traceparent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
