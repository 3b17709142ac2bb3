import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { egressFetch } from '../../../src/kernel/egress/index.ts';
import type { ProviderNet, SentCall } from '../../../src/modules/integrations/index.ts';
import { outputOf, requireShape, sendOnce } from '../../../src/modules/providers/wire/index.ts';
import { Outside } from '../../support/peers/outside.ts';

type Answer = (response: ServerResponse) => unknown;
type Outcome = SentCall['outcome'];

const json = { 'content-type': 'application/json' };
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, { ...json, ...headers }).end('{"error":"CANARY-text"}');
const body =
  (text: string | Buffer, headers: Record<string, string> = json): Answer =>
  (response) =>
    response.writeHead(201, headers).end(text);

let outside: Outside;
let origin: string;
let answer: Answer;
let received: string[] = [];
beforeAll(async () => {
  outside = await Outside.start();
  origin = await outside.host('provider.example', (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      received.push(text);
      answer(response);
    });
  });
});
afterAll(() => outside.stop());

function net(hosts = [origin], totalMs = 10_000): ProviderNet {
  const limits = { totalMs, maxBytes: 4 * 1_024 * 1_024 };
  return { fetch: egressFetch(outside.egress(), { hosts, limits }), signal: new AbortController().signal };
}

function write(by = net()): Promise<SentCall> {
  received = [];
  return sendOnce(by, { method: 'POST', url: new URL('/orders', origin), body: { amount: 7 } }, (given) => {
    const { id } = (given.body ?? {}) as { id?: unknown };
    requireShape(typeof id === 'string', given);
    return outputOf({ id });
  });
}

describe('a write to a provider with fixed tools', () => {
  it('that is answered is done, with what its tool shows of the answer', async () => {
    answer = body('{"id":"1","secret":"CANARY-text"}');
    const output = { content: [{ type: 'text', text: '{"id":"1"}' }], structuredContent: { id: '1' }, isError: false };
    expect(await write()).toEqual({ outcome: 'succeeded', result: { output, truncated: false } });
    expect(received).toEqual(['{"amount":7}']);
  });

  it.each<[string, Answer, Outcome, string, number | null]>([
    ['a redirect', status(303, { location: '/orders/1' }), 'failed', 'bad_answer', 303],
    ['400', status(400), 'failed', 'provider_rejected', 400],
    ['401', status(401), 'failed', 'credential_refused', 401],
    ['403', status(403), 'failed', 'scope_lost', 403],
    ['404', status(404), 'failed', 'not_found', 404],
    ['408', status(408), 'ambiguous', 'unavailable', 408],
    ['409', status(409), 'ambiguous', 'provider_rejected', 409],
    ['422', status(422), 'failed', 'provider_rejected', 422],
    ['429', status(429), 'failed', 'rate_limited', 429],
    ['500', status(500), 'ambiguous', 'unavailable', 500],
    ['503', status(503), 'ambiguous', 'unavailable', 503],
    ['success of another shape', body('{"id":1}'), 'ambiguous', 'bad_answer', 201],
    ['success of another type', body('<p>1</p>', { 'content-type': 'text/html' }), 'ambiguous', 'bad_answer', 201],
    ['a cut success', body('{"id":"1'), 'ambiguous', 'bad_answer', 201],
    [
      'an encoded success',
      body(gzipSync('{"id":"1"}'), { ...json, 'content-encoding': 'gzip' }),
      'ambiguous',
      'bad_answer',
      null,
    ],
    ['a success too large', body(`{"id":"${'1'.repeat(1_048_576)}"}`), 'ambiguous', 'result_too_large', 201],
    ['no answer', (response) => outside.reset(response.socket!), 'ambiguous', 'unavailable', null],
    [
      'a refusal that breaks off',
      (response) => {
        response.writeHead(422, { ...json, 'content-length': '100' }).write('{');
        setImmediate(() => outside.reset(response.socket!));
      },
      'ambiguous',
      'unavailable',
      null,
    ],
  ])('that meets %s is judged by what that proves', async (_, given, outcome, code, providerStatus) => {
    answer = given;
    const sent = await write();
    expect(sent).toMatchObject({ outcome, error: { code } });
    if (providerStatus !== null) expect(sent).toMatchObject({ error: { status: providerStatus } });
    expect(JSON.stringify(sent)).not.toContain('CANARY');
    expect(received).toHaveLength(1);
  });

  it('that never left was not done', async () => {
    expect(await write(net(['https://other.example']))).toMatchObject({ outcome: 'not_executed' });
    expect(received).toEqual([]);
  });

  it('that takes too long may have been done', async () => {
    answer = () => undefined;
    expect(await write(net([origin], 500))).toMatchObject({ outcome: 'ambiguous', error: { code: 'unavailable' } });
    expect(received).toHaveLength(1);
  });
});
