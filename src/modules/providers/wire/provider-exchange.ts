import { egressFailureOf } from '../../../kernel/egress/index.ts';
import { ProviderFailure, type ProviderNet } from '../../integrations/index.ts';
import { type JsonBounds, parseAnswer, TooManyValues, UnreadableJson } from './json-answer.ts';
import { type Classify, failed, failureOfStatus } from './provider-failure.ts';
import type { ProviderAnswer, ProviderRequest } from './provider-request.ts';

/** Of a request's body, in bytes. */
const MOST_REQUEST_BYTES = 256 * 1_024;
/** Of an answer, unless its request says more. */
const MOST_ANSWER_BYTES = 1_024 * 1_024;
/** Of what a whole answer may hold in the time that parsing it may take. */
const BOUNDS: JsonBounds = { depth: 64, values: 200_000 };
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/;
const LONGEST_WAIT_SECONDS = 24 * 3_600;

/**
 * Sends a request and reads its answer whole, whatever its status says. Throws `ProviderFailure` where there is no whole
 * answer, and where a success is not of the type that was asked for.
 */
export async function exchange(net: ProviderNet, request: ProviderRequest): Promise<ProviderAnswer> {
  const { url, method, maxBytes = MOST_ANSWER_BYTES, maxValues, accepts = 'application/json', signal } = request;
  const bounds = maxValues === undefined ? BOUNDS : { ...BOUNDS, values: maxValues };
  const body = bodyOf(request);
  let head: { readonly status: number; readonly headers: Headers } | undefined;
  try {
    const response = await net.fetch(url, {
      method,
      headers: {
        accept: accepts,
        ...(typeof request.body === 'object' ? { 'content-type': 'application/json' } : {}),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    });
    head = response;
    const text = await textOf(response, maxBytes);
    return {
      status: response.status,
      headers: response.headers,
      retryAfterSeconds: secondsOf(response.headers.get('retry-after')) ?? null,
      body: read(response, text, accepts, bounds),
    };
  } catch (error) {
    throw failureOf(error, head?.status ?? null);
  }
}

/** Like `exchange`, but an answer that is no success is thrown too, as the adapter or else the table of statuses reads it. */
export async function ask(net: ProviderNet, request: ProviderRequest, classify?: Classify): Promise<ProviderAnswer> {
  const answer = await exchange(net, request);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new ProviderFailure({ ...failureOfStatus(answer), ...classify?.(answer) });
}

function bodyOf({ body }: ProviderRequest): string | undefined {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  if (text !== undefined && Buffer.byteLength(text) > MOST_REQUEST_BYTES)
    throw failed('out_of_scope', { sent: false, reason: 'request_too_large' });
  return text;
}

class TooLarge extends Error {}

async function textOf({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw new TooLarge();
    texts.push(decoder.decode(piece, { stream: true }));
  }
  texts.push(decoder.decode());
  return texts.join('');
}

/** Of what is no success nothing is demanded: its status says what it is. */
function read(response: Response, text: string, accepts: string, bounds: JsonBounds): unknown {
  const type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const isJson = JSON_TYPE.test(type);
  if (!response.ok) return isJson ? parsedIfPossible(text) : undefined;
  if (response.status === 204 || response.status === 205) return undefined;
  if (JSON_TYPE.test(accepts) && isJson) return parseAnswer(text, bounds);
  if (type === accepts) return text;
  throw new UnreadableJson('The answer is of another type.');
}

function parsedIfPossible(text: string): unknown {
  try {
    return parseAnswer(text, BOUNDS);
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown, status: number | null): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof TooLarge || error instanceof TooManyValues)
    return failed('bad_answer', { status, reason: 'result_too_large' });
  const failure = egressFailureOf(error);
  if (failure?.refusal === 'too_large') return failed('bad_answer', { status, reason: 'result_too_large' });
  if (failure?.refusal === 'encoded') return failed('bad_answer', { status });
  // Also where a refusal breaks off: half of one proves nothing.
  if (failure) return failed('unavailable', { status: null, sent: failure.sent });
  if (error instanceof UnreadableJson || status !== null) return failed('bad_answer', { status });
  throw error;
}

/** Seconds to wait as a server gave them, as a number or a date; undefined where it said nothing that can be read. */
export function secondsOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1_000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS) : undefined;
}
