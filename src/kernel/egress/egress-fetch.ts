import type { Egress } from './egress.ts';
import type { EgressRequest, Refusal } from './egress-request.ts';
import { isReserved } from './outgoing-headers.ts';

/** All of a request but what `fetch` is given for each. */
export type FetchOptions = Pick<
  EgressRequest,
  'hosts' | 'leavesUntilMs' | 'limits' | 'organization' | 'places' | 'signal'
>;

/** What connectors call themselves, whichever library sends for them. */
const USER_AGENT = 'service-integration';
/** Statuses with which a `Response` can have no body. */
const BODILESS = new Set([204, 205, 304]);

/** Why a request through `egressFetch` failed: the cause of the `TypeError` that it throws. */
export class EgressFailure extends Error {
  constructor(
    readonly refusal: Refusal,
    /** Whether a byte of the request may have left; false proves that none has. */
    readonly sent: boolean,
    detail: string,
  ) {
    super(detail);
    this.name = 'EgressFailure';
  }
}

/** The failure behind an error of a library that was given `egressFetch`, however deep it was wrapped. */
export function egressFailureOf(error: unknown): EgressFailure | undefined {
  let each = error;
  for (let depth = 0; each instanceof Error && depth < 8; depth += 1) {
    if (each instanceof EgressFailure) return each;
    each = each.cause;
  }
  return undefined;
}

/**
 * A `fetch` over the egress client, for libraries that send by themselves. Each request is bounded and judged like any
 * other of the client; a redirect is handed over as the answer, whatever the library asked for; headers that the client
 * sets itself are left out. Every failure, an abort too, is a `TypeError` with an `EgressFailure` as its cause, also where
 * it comes while the body is read.
 */
export function egressFetch(egress: Egress, options: FetchOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const signals = [options.signal, init?.signal].filter((each) => each !== undefined && each !== null);
    const asked: EgressRequest = {
      ...options,
      userAgent: USER_AGENT,
      url: request.url,
      method: request.method,
      headers: Object.fromEntries([...request.headers].filter(([name]) => !isReserved(name))),
      ...(body === undefined ? {} : { body }),
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      limits: { ...options.limits, redirects: 0 },
    };
    return answerTo(egress, asked);
  };
}

/**
 * Sends a request; the answer is there with its head, and its body comes while it is read. What is not read yet is kept:
 * the limits bound it, and a reader that stops without cancelling must not hold the connection past its time.
 */
function answerTo(egress: Egress, request: EgressRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const cancelled = Promise.withResolvers<undefined>();
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  const take: EgressRequest['take'] = async ({ status, headers }, body) => {
    const isBodiless = BODILESS.has(status) || request.method === 'HEAD';
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => void (reader = controller),
      cancel: () => cancelled.resolve(undefined),
    });
    resolve(new Response(isBodiless ? null : stream, { status, headers: headersOf(headers) }));
    if (isBodiless) return;
    const pieces = body[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([pieces.next(), cancelled.promise]);
      if (next === undefined) reader = undefined;
      if (next === undefined || next.done === true) return;
      reader?.enqueue(next.value);
    }
  };
  const finish = async () => {
    const result = await egress.send({ ...request, take });
    if (!('refusal' in result)) return reader?.close();
    const failure = new EgressFailure(result.refusal, result.sent, result.detail);
    const error = new TypeError('the request failed', { cause: failure });
    reject(error);
    reader?.error(error);
  };
  finish().catch(reject);
  return promise;
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  return headers;
}
