import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { GIT_BOUNDS } from '../../../src/modules/git-proxy/git-proxy.policy.ts';
import { type GitAgent, useCodeHost } from '../../support/connectors/code-host.ts';
import type { Mishap } from '../../support/peers/git-host-peer.ts';
import { until } from '../../support/until.ts';

const code = useCodeHost();
let agent: GitAgent;
let path: string;
beforeAll(async () => {
  agent = await code.gitAgent();
  path = agent.pathTo('Acme/Shop', 'git-upload-pack');
});

const REQUEST = 'application/x-git-upload-pack-request';
const RESULT = 'application/x-git-upload-pack-result';
const V2 = { 'content-type': REQUEST, 'git-protocol': 'version=2' };
const MIB = 1_024 * 1_024;
/** As git 2.39 asks for refs. */
const LS_REFS = '0014command=ls-refs\n0016object-format=sha100010009peel\n000csymrefs\n0000';

const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  agent.caller.post(path, body, { ...V2, ...headers });

/** A request over a socket; its body is sent by the test. */
function begin(headers: Readonly<Record<string, string>>): ClientRequest {
  const authorization = `Bearer ${agent.capability}`;
  return httpRequest(`${code.base}${path}`, { method: 'POST', headers: { ...V2, authorization, ...headers } });
}

async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

function answers(status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): () => Mishap {
  return () => ({ kind: 'answer', status, headers, body });
}

describe('200', () => {
  it('is what the host answers to what it is asked, with headers of our own', async () => {
    const { status, text, headers } = await post(LS_REFS);
    const tip = (await code.shop.branch('main'))!;
    expect([status, text]).toEqual([200, expect.stringContaining(`${tip} HEAD symref-target:refs/heads/main`)]);
    expect(headers).toMatchObject({
      'content-type': RESULT,
      'cache-control': 'no-cache, max-age=0, must-revalidate',
      expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    });
    const { body, headers: sent } = code.host.requests[0]!;
    expect(body.toString()).toBe(LS_REFS);
    expect(sent).toMatchObject({ 'content-type': REQUEST, accept: RESULT, 'git-protocol': 'version=2' });
    expect(
      Object.keys(sent).filter((name) => !/^(accept|content|git|host|user|auth|conn|transfer)/.test(name)),
    ).toEqual([]);
  });

  it.each(['gzip', 'x-gzip'])('passes what is packed as %s on as it is', async (encoding) => {
    const packed = gzipSync(LS_REFS);
    const { status } = await post(packed, { 'content-encoding': encoding });
    const { body, headers } = code.host.requests[0]!;
    expect(headers['content-encoding']).toBe(encoding);
    expect(gunzipSync(body).toString()).toBe(LS_REFS);
    // Git's own server knows the one word alone for a body that has no length; a host that knows both answers the same.
    expect(status).toBe(200);
  });

  it('answers what comes in pieces, or waits to be invited', async () => {
    const ways: readonly Readonly<Record<string, string>>[] = [
      { 'transfer-encoding': 'chunked' },
      { 'content-length': String(LS_REFS.length), expect: '100-continue' },
      { 'transfer-encoding': 'chunked', expect: '100-continue' },
    ];
    for (const headers of ways) {
      const request = begin(headers);
      request.flushHeaders();
      if (headers.expect) await once(request, 'continue');
      for (const half of [LS_REFS.slice(0, 10), LS_REFS.slice(10)]) request.write(half);
      request.end();
      const answer = await answerTo(request);
      expect([answer.statusCode, (await buffer(answer)).toString()]).toEqual([200, expect.stringContaining('HEAD')]);
    }
    expect(code.host.requests.map(({ body }) => body.toString())).toEqual([LS_REFS, LS_REFS, LS_REFS]);
  });

  it('is empty where a client only tries whether it may, and asks nobody', async () => {
    const { status, text, headers } = await post('0000');
    expect([status, text, headers['content-type']]).toEqual([200, '', RESULT]);
    const packed = await post(gzipSync('0000'), { 'content-encoding': 'gzip' });
    expect([packed.status, packed.text]).toEqual([200, '']);
    const request = begin({ 'transfer-encoding': 'chunked' });
    request.write('00');
    request.end('00');
    const answer = await answerTo(request);
    expect([answer.statusCode, (await buffer(answer)).length]).toEqual([200, 0]);
    expect(code.host.requests).toEqual([]);
  });

  it('is what real git clones, wholly or in part, and fetches', async () => {
    const copy = await code.cloneAs(agent);
    const shallow = await code.cloneAs(agent, 'Acme/Shop', ['--depth=1']);
    const tip = await code.shop.commit('main', { 'more.txt': randomBytes(MIB) });
    for (const each of [copy, shallow]) {
      await each.git(['fetch', '--quiet', 'origin'], '', agent.env);
      expect((await each.git(['rev-parse', 'origin/main'])).toString().trim()).toBe(tip);
    }
    expect((await copy.git(['config', '--list', '--local'])).toString()).not.toContain(agent.capability);
  });
});

describe('400, 401, 404 and 409', () => {
  it('are told before the body is read', async () => {
    const other = await code.gitAgent({}, 'growth');
    const elsewhere = (repository: string) => agent.pathTo(repository, 'git-upload-pack');
    expect(await agent.caller.post(elsewhere('Acme/a b'), LS_REFS, V2)).toMatchObject({ status: 400 });
    expect(await other.caller.post(path, LS_REFS, V2)).toMatchObject({ status: 401 });
    expect(code.host.requests).toEqual([]);
    expect(await agent.caller.post(elsewhere('Acme/nothing'), LS_REFS, V2)).toMatchObject({ status: 404 });
    code.host.mishap = answers(403, {}, `Bad token ${code.api.token}`);
    expect(await post(LS_REFS)).toMatchObject({
      status: 409,
      text: expect.stringMatching(/^[^\n]+credential[^\n]+\n$/),
    });
    code.host.mishap = answers(302, { location: 'https://elsewhere.example/' });
    expect(await post(LS_REFS)).toMatchObject({ status: 409, text: expect.stringMatching(/another name/) });
  });
});

describe('413', () => {
  it('of more than any client asks for, announced or not', async () => {
    const announced = begin({ 'content-length': String(8 * MIB + 1), expect: '100-continue' });
    announced.flushHeaders();
    expect((await answerTo(announced)).statusCode).toBe(413);
    announced.destroy();
    expect(code.host.requests).toEqual([]);
    const request = begin({ 'transfer-encoding': 'chunked' }).on('error', () => undefined);
    const answer = answerTo(request);
    void answer.then((each) => each.resume());
    for (let sent = 0; sent <= 8; sent += 1) request.write(randomBytes(MIB));
    request.end('more');
    const { statusCode, headers } = await answer;
    expect([statusCode, headers['content-type']]).toEqual([413, 'text/plain; charset=utf-8']);
    // The rest is read, so that the connection serves on.
    await once(request, 'close');
    expect((await answerTo(begin({}).end('0000'))).statusCode).toBe(200);
  });

  it('of nothing that is as long as it may be', async () => {
    code.host.mishap = answers(200, { 'content-type': RESULT }, '0000');
    expect((await post(randomBytes(8 * MIB))).status).toBe(200);
    expect(code.host.requests[0]!.body.length).toBe(8 * MIB);
  });
});

describe('415', () => {
  it.each([
    [{ 'content-type': 'application/json' }],
    [{ 'content-type': 'application/octet-stream' }],
    [{ 'content-type': `${REQUEST}; charset=utf-8` }],
    [{ 'content-type': 'application/x-git-receive-pack-request' }],
    [{ 'content-encoding': 'deflate' }],
    [{ 'content-encoding': 'gzip, gzip' }],
  ])('of %j', async (headers) => {
    const { status, text } = await post(LS_REFS, headers);
    expect([status, text]).toEqual([415, expect.stringMatching(/^Send the body [^\n]+\n$/)]);
    expect(code.host.requests).toEqual([]);
  });
});

describe('503', () => {
  it.each<[string, () => Mishap]>([
    ['HTML', answers(200, { 'content-type': 'text/html' }, '<html>hello</html>')],
    ['an error of its own', answers(502, {}, 'oops')],
    ['more than it may', answers(200, { 'content-type': RESULT, 'content-length': String(2_049 * MIB) })],
    ['nothing', () => ({ kind: 'drop', when: 'after' })],
  ])('of a host that answers %s', async (_, mishap) => {
    code.host.mishap = mishap;
    const { status, text, headers } = await post(LS_REFS);
    expect([status, headers['retry-after'], text]).toEqual([
      503,
      '10',
      expect.stringMatching(/^The code host [^\n]+\n$/),
    ]);
  });

  it('of a host that goes quiet before its first byte; behind it the answer breaks off', async () => {
    const { quietMs } = GIT_BOUNDS.fetch;
    const wait = (ms: number) => Reflect.set(GIT_BOUNDS.fetch, 'quietMs', ms);
    try {
      wait(300);
      code.host.mishap = () => ({ kind: 'stall', afterBytes: 0 });
      expect((await post(LS_REFS)).status).toBe(503);
      code.host.mishap = () => ({ kind: 'stall', afterBytes: 20 });
      let answer: IncomingMessage;
      // As long as git takes on this machine to say something at all.
      for (let ms = 500; ; ms *= 2) {
        wait(ms);
        answer = await answerTo(begin({}).end(LS_REFS));
        if (answer.statusCode === 200) break;
        answer.resume();
      }
      await expect(buffer(answer)).rejects.toThrow('aborted');
    } finally {
      wait(quietMs);
    }
  });
});

describe('an answer that does not end', () => {
  it('breaks off where that of the host does', async () => {
    code.host.mishap = () => ({ kind: 'cut', afterBytes: 20 });
    const answer = await answerTo(begin({}).end(LS_REFS));
    expect(answer.statusCode).toBe(200);
    await expect(buffer(answer)).rejects.toThrow('aborted');
  });

  it('breaks off before the token of the connector', async () => {
    const [before, behind] = [randomBytes(100_000), randomBytes(1_000)];
    code.host.mishap = answers(
      200,
      { 'content-type': RESULT },
      Buffer.concat([before, Buffer.from(code.api.token), behind]),
    );
    const answer = await answerTo(begin({}).end(LS_REFS));
    const came: Buffer[] = [];
    await expect(
      (async () => {
        for await (const piece of answer) came.push(piece as Buffer);
      })(),
    ).rejects.toThrow('aborted');
    const bytes = Buffer.concat(came);
    expect(before.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it.each([0, 20])('ends at the host when the client leaves behind %i bytes', async (afterBytes) => {
    code.host.mishap = () => ({ kind: 'stall', afterBytes });
    const before = code.outside.sockets.length;
    const request = begin({}).on('error', () => undefined);
    request.end(LS_REFS);
    if (afterBytes > 0) await once(await answerTo(request), 'readable');
    await until('the host is asked', () => code.host.requests.length === 1);
    const atHost = code.outside.sockets.slice(before).filter(({ destroyed }) => !destroyed);
    expect(atHost.length).toBeGreaterThan(0);
    request.destroy();
    // That of the client itself is among them.
    await until('its connection ends', () => atHost.every(({ destroyed }) => destroyed));
  });

  it('ends at the host when the client leaves in its request', async () => {
    const before = code.outside.sockets.length;
    const request = begin({ 'transfer-encoding': 'chunked' }).on('error', () => undefined);
    request.write(LS_REFS.slice(0, 20));
    await until('the host is connected to', () => code.outside.sockets.length >= before + 2);
    request.destroy();
    const opened = () => code.outside.sockets.slice(before);
    await until('the connection ends', () => opened().every(({ destroyed }) => destroyed));
    expect(code.host.requests).toEqual([]);
  });
});
