import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { egressFailureOf, egressFetch, type FetchOptions } from '../../../src/kernel/egress/index.ts';
import { Outside } from '../../support/peers/outside.ts';
import { until } from '../../support/until.ts';

const LIMITS = { totalMs: 10_000, maxBytes: 1_000 };
let outside: Outside;

beforeAll(async () => {
  outside = await Outside.start();
});
afterAll(() => outside.stop());

function fetchWith(more: Partial<FetchOptions> = {}): typeof fetch {
  return egressFetch(outside.egress(), { hosts: 'public', limits: LIMITS, ...more });
}

/** A host that says these bytes as soon as a request comes, and what its connection becomes. */
async function saying(name: string, text: string) {
  const sockets: TLSSocket[] = [];
  const origin = await outside.rawHost(name, (socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(text));
  });
  return { origin, sockets };
}

/** How a promise failed: the cause, and that it is a `TypeError` as libraries expect it. */
async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  const { refusal, sent } = egressFailureOf(error)!;
  return { refusal, sent };
}

describe('a library that sends by itself', () => {
  it('gets the answer with its status and headers, and sends none of the headers that are the client’s', async () => {
    let came: IncomingMessage | undefined;
    let text = '';
    const origin = await outside.host('library.example', async (request, response) => {
      came = request;
      text = (await request.setEncoding('utf8').toArray()).join('');
      response
        .writeHead(
          401,
          [
            ['WWW-Authenticate', 'Bearer a'],
            ['WWW-Authenticate', 'Basic b'],
          ].flat(),
        )
        .end('no');
    });
    const answer = await fetchWith()(new URL('/token?x=1', origin), {
      method: 'POST',
      headers: new Headers({ 'User-Agent': 'a library', Authorization: 'Bearer t' }),
      body: new URLSearchParams({ grant: 'a b' }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer a, Basic b');
    expect(await answer.text()).toBe('no');
    expect([came!.url, text]).toEqual(['/token?x=1', 'grant=a+b']);
    expect(came!.headers).toMatchObject({
      'user-agent': 'service-integration',
      authorization: 'Bearer t',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    });
  });

  it('gets a redirect as the answer, whatever it asks for', async () => {
    const origin = await outside.host('redirects.example', (_, response) => {
      response.writeHead(307, { location: 'https://elsewhere.example/' }).end();
    });
    const answer = await fetchWith()(origin, { method: 'POST', body: 'x', redirect: 'follow' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, 'https://elsewhere.example/']);
  });

  it('reads a stream while it comes; the connection ends when it cancels', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';
    const { origin, sockets } = await saying('streams.example', `${head}data: one\n\n`);
    const answer = await fetchWith()(origin);
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: one\n\n');
    await reader.cancel();
    await until('the connection has ended', () => sockets.every(({ destroyed }) => destroyed));
  });

  it.each([204, 304])('gets a %d without a body', async (status) => {
    const origin = await outside.host(`bodiless-${status}.example`, (_, response) => response.writeHead(status).end());
    const answer = await fetchWith()(origin);
    expect([answer.status, answer.body]).toEqual([status, null]);
  });

  it('fails before a byte left where nothing may be sent', async () => {
    for (const url of ['http://plain.example/', 'https://127.0.0.1/', 'https://unknown.example/'])
      expect(await failureOf(fetchWith()(url))).toMatchObject({ sent: false });
    const listed = fetchWith({ hosts: ['https://one.example'] });
    expect(await failureOf(listed('https://two.example/'))).toEqual({ refusal: 'refused_address', sent: false });
    const blocked = fetchWith({ organization: { id: 'acme', blockedDomains: ['example'] } });
    expect(await failureOf(blocked('https://two.example/'))).toEqual({ refusal: 'blocked_domain', sent: false });
  });

  it('fails with what ended the answer, before its head and in its body', async () => {
    const ok = 'HTTP/1.1 200 OK\r\n';
    const none = await saying('silent.example', '');
    const short = fetchWith({ limits: { ...LIMITS, totalMs: 1_500 } });
    expect(await failureOf(short(none.origin))).toEqual({ refusal: 'timeout', sent: true });
    const announced = await saying('announces.example', `${ok}Content-Length: 1001\r\n\r\n`);
    expect(await failureOf(fetchWith()(announced.origin))).toEqual({ refusal: 'too_large', sent: true });
    const encoded = await saying('encodes.example', `${ok}Content-Encoding: gzip\r\n\r\n`);
    expect(await failureOf(fetchWith()(encoded.origin))).toEqual({ refusal: 'encoded', sent: true });
    const odd = await saying('odd.example', 'HTTP/1.1 999 Odd\r\n\r\n');
    expect(await failureOf(fetchWith()(odd.origin))).toMatchObject({ sent: true });

    const counted = await saying('counts.example', `${ok}\r\n${'x'.repeat(1_001)}`);
    const long = await fetchWith()(counted.origin);
    expect(await failureOf(long.text())).toEqual({ refusal: 'too_large', sent: true });
    const stops = await saying('stops.example', `${ok}Content-Length: 100\r\n\r\nsome`);
    const cut = await fetchWith()(stops.origin);
    stops.sockets[0]!.destroy();
    expect(await failureOf(cut.text())).toEqual({ refusal: 'unreachable', sent: true });
    const unread = await short(await saying('lasts.example', `${ok}\r\nsome`).then(({ origin }) => origin));
    expect(await failureOf(unread.text())).toEqual({ refusal: 'timeout', sent: true });
  });

  it('ends with either signal', async () => {
    const { origin } = await saying('waits.example', '');
    const [ours, theirs] = [new AbortController(), new AbortController()];
    const [one, other] = [fetchWith({ signal: ours.signal })(origin), fetchWith()(origin, { signal: theirs.signal })];
    ours.abort();
    theirs.abort();
    for (const each of [one, other]) expect(await failureOf(each)).toMatchObject({ refusal: 'aborted' });
    expect(await failureOf(fetchWith({ signal: ours.signal })(origin))).toEqual({ refusal: 'aborted', sent: false });
  });
});
