import { createParser } from 'eventsource-parser';
import { type EgressFailure, egressFailureOf } from '../../../kernel/egress/index.ts';
import {
  isObject,
  type JsonBounds,
  type JsonObject,
  LISTED,
  parseAnswer,
  secondsOf,
  TooManyValues,
} from '../wire/index.ts';

/** What one request of the protocol came to, whatever a library makes of it. */
export interface RpcExchange {
  readonly method: string;
  /** Undefined until the head of an answer came. */
  status?: number;
  /** As the answer asked, in seconds. */
  retryAfterSeconds?: number;
  /** Scopes that a refusal named as missing. */
  requiredScopes?: readonly string[];
  /** The one JSON-RPC message that answers the request. */
  answer?: RpcAnswer;
  /** Why there is no answer: not a byte of it came, or it broke off. */
  failure?: EgressFailure;
  /** Why what came is no answer. */
  isTooLarge?: boolean;
}

export type RpcAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: JsonObject } };

/** Requests that are ever sent. */
const REQUESTS = new Set(['initialize', 'server/discover', 'tools/list', 'tools/call']);
/** Of answers that are refusals. */
const MOST_REFUSAL_BYTES = 64 * 1_024;
/** Names the session that a server began, of which the library has to know. */
const SESSION = 'mcp-session-id';

/** Ends a request whose answer is none. The exchange says why. */
export class NoAnswer extends Error {
  constructor(method: string) {
    super(`The answer to ${method} cannot be used.`);
    this.name = 'NoAnswer';
  }
}

export interface RpcPeer {
  readonly fetch: typeof fetch;
  /** Headers of one request, its credential among them. */
  readonly authorize: (method: string, url: string) => Readonly<Record<string, string>>;
}

/** Bounds of the requests that come next. */
export interface RpcBounds {
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * The requests of one connection, as a `fetch` for the library of the protocol. Reads each answer by itself and hands the
 * library one plain JSON message, so that what came is known exactly: a stream ends with its answer, is never resumed, and
 * one that ends without an answer fails at once instead of when time is over. Sends no request twice and no other than
 * those of `REQUESTS`; never opens a stream of the server's own.
 */
export class RpcExchanges {
  private readonly exchanges: RpcExchange[] = [];
  private bounds: RpcBounds = { totalMs: 10_000, maxBytes: MOST_REFUSAL_BYTES };

  constructor(private readonly peer: RpcPeer) {}

  /** Runs work under bounds and returns the last exchange of a method in it, however it ended; else throws why. */
  async last(method: string, bounds: RpcBounds, work: () => Promise<unknown>): Promise<RpcExchange> {
    const before = this.exchanges.length;
    this.bounds = bounds;
    const error = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const exchange = this.exchanges.slice(before).findLast((each) => each.method === method);
    if (exchange) return exchange;
    throw error ?? new NoAnswer(method);
  }

  /** Whichever request came last. */
  get newest(): RpcExchange | undefined {
    return this.exchanges.at(-1);
  }

  /** For the library's transport. */
  readonly fetch: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    if (method === 'DELETE') return this.send(url, init, this.bounds);
    const message = messageIn(init?.body);
    if (message.method === 'notifications/initialized') return this.notified(url, init);
    // Cancellations and answers to requests of the server, which are not taken, are not sent.
    if (!REQUESTS.has(message.method)) return new Response(null, { status: 202 });
    const exchange: RpcExchange = { method: message.method };
    this.exchanges.push(exchange);
    return this.answered(exchange, message.id, url, init);
  };

  private send(url: string, init: RequestInit | undefined, { totalMs, signal }: RpcBounds): Promise<Response> {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(this.peer.authorize(init?.method ?? 'GET', url)))
      headers.set(name, value);
    const signals = [init?.signal, signal, AbortSignal.timeout(totalMs)].filter((each) => each instanceof AbortSignal);
    return this.peer.fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.any(signals) });
  }

  /** Of a notification only a refusal counts. */
  private async notified(url: string, init: RequestInit | undefined): Promise<Response> {
    const exchange: RpcExchange = { method: 'notifications/initialized' };
    this.exchanges.push(exchange);
    const response = await this.attempt(exchange, url, init);
    await response.body?.cancel();
    return response.ok ? new Response(null, { status: 202 }) : new Response(null, { status: response.status });
  }

  private async answered(
    exchange: RpcExchange,
    id: unknown,
    url: string,
    init: RequestInit | undefined,
  ): Promise<Response> {
    const response = await this.attempt(exchange, url, init);
    try {
      exchange.answer = await this.answerOf(response, id, exchange.method === 'tools/list' ? LISTED : undefined);
    } catch (error) {
      this.noteFailure(exchange, error);
      throw error;
    }
    const body = exchange.answer && { jsonrpc: '2.0', id, ...exchange.answer };
    if (response.ok && !body) throw new NoAnswer(exchange.method);
    // A library would follow it, with the body.
    if (response.status < 400 && !response.ok) throw new NoAnswer(exchange.method);
    const session = response.headers.get(SESSION);
    return Response.json(body ?? {}, {
      status: response.status,
      ...(session === null ? {} : { headers: { [SESSION]: session } }),
    });
  }

  /** The answer's head; notes what it says. */
  private async attempt(exchange: RpcExchange, url: string, init: RequestInit | undefined): Promise<Response> {
    try {
      const response = await this.send(url, init, this.bounds);
      exchange.status = response.status;
      const wait = secondsOf(response.headers.get('retry-after'));
      if (wait !== undefined) exchange.retryAfterSeconds = wait;
      const scopes = scopesIn(response.headers.get('www-authenticate'));
      if (scopes !== undefined) exchange.requiredScopes = scopes;
      return response;
    } catch (error) {
      this.noteFailure(exchange, error);
      throw error;
    }
  }

  private noteFailure(exchange: RpcExchange, error: unknown): void {
    const failure = egressFailureOf(error);
    if (failure) exchange.failure = failure;
    if (isTooMuch(error) || failure?.refusal === 'too_large') exchange.isTooLarge = true;
  }

  private async answerOf(
    response: Response,
    id: unknown,
    within: JsonBounds | undefined,
  ): Promise<RpcAnswer | undefined> {
    const maxBytes = response.ok ? this.bounds.maxBytes : MOST_REFUSAL_BYTES;
    const type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    const pieces = textOf(response, maxBytes);
    if (type === 'text/event-stream' && response.ok) return answerInStream(pieces, id, within);
    // The whole of a refusal is read too: one that breaks off proves nothing.
    const text = await joined(pieces);
    if (type !== 'application/json') return undefined;
    return attempted(() => {
      const message = parseAnswer(text, within);
      // A server that refuses before it reads the request does not know its id.
      const isRefusal = !response.ok && isObject(message) && message.id === null;
      return answerIn(message, isRefusal ? null : id);
    });
  }
}

class TooLarge extends Error {}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooLarge || error instanceof TooManyValues;
}

/** The text of a body while it comes, up to a bound. */
async function* textOf({ body }: Response, maxBytes: number): AsyncGenerator<string> {
  if (!body) return;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw new TooLarge(`The answer has more than ${maxBytes} bytes.`);
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder.decode();
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece);
  return texts.join('');
}

/** Reads a stream up to the answer; what else the server says in it is left out. */
async function answerInStream(
  pieces: AsyncIterable<string>,
  id: unknown,
  within: JsonBounds | undefined,
): Promise<RpcAnswer | undefined> {
  let answer: RpcAnswer | undefined;
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => {
      if (event === 'message') answer ??= attempted(() => answerIn(parseAnswer(data, within), id));
    },
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    if (answer) return answer;
  }
  return undefined;
}

/** The message that answers a request; undefined for any other. */
export function answerIn(message: unknown, id: unknown): RpcAnswer | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.id !== id) return undefined;
  const { result, error } = message;
  if (isObject(result) && error === undefined) return { result };
  if (!isObject(error) || result !== undefined || !Number.isSafeInteger(error.code)) return undefined;
  // Its message is text of the provider, which goes nowhere.
  const data = isObject(error.data) ? { data: error.data } : {};
  return { error: { code: Number(error.code), message: '', ...data } };
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isTooMuch(error)) throw error;
    return undefined;
  }
}

function messageIn(body: unknown): { readonly method: string; readonly id: unknown } {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isObject(message) && typeof message.method === 'string'
    ? { method: message.method, id: message.id }
    : { method: '', id: undefined };
}

/** Scopes of an `insufficient_scope` challenge. */
export function scopesIn(header: string | null): readonly string[] | undefined {
  if (header === null || !/\berror\s*=\s*"?insufficient_scope\b/i.test(header)) return undefined;
  const scope = /\bscope\s*=\s*"([^"]{0,2000})"/i.exec(header)?.[1] ?? '';
  return scope
    .split(' ')
    .filter((each) => each !== '')
    .slice(0, 50);
}
