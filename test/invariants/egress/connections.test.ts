import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Authority } from '../../support/peers/authority.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS = { totalMs: 20_000, maxBytes: 1_000 };
const OK = 'HTTP/1.1 200 OK\r\n';
const DAY_MS = 86_400_000;
let outside: Outside;

beforeAll(async () => {
  outside = await Outside.start();
});
afterAll(() => outside.stop());
beforeEach(() => {
  outside.attempts.length = 0;
  outside.sockets.length = 0;
});

function get(url: string, more: Partial<EgressRequest> = {}) {
  return outside.egress().send({ url, method: 'GET', limits: LIMITS, hosts: 'public', ...more });
}

function expectNoSocketLeft(): void {
  expect(outside.sockets.length).toBeGreaterThan(0);
  expect(outside.sockets.every(({ destroyed }) => destroyed)).toBe(true);
}

/** A public host whose server does this with each new TCP connection. */
async function accepting(name: string, take: (socket: Socket) => void): Promise<string> {
  return outside.publish(name, await outside.listen(createServer(take)));
}

describe('a certificate', () => {
  it.each<[string, string, () => Promise<{ key: string; cert: string }>]>([
    ['for another name', 'ERR_TLS_CERT_ALTNAME_INVALID', () => outside.authority.identity(['other.example'])],
    ['for the address', 'ERR_TLS_CERT_ALTNAME_INVALID', () => outside.authority.identity(['93.184.216.1'])],
    ['that has expired', 'CERT_HAS_EXPIRED', () => outside.authority.identity(['host.example'], -DAY_MS)],
    [
      'of an authority that nobody trusts',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      async () => (await Authority.create()).identity(['host.example']),
    ],
  ])('%s ends the connection before a byte of the request leaves', async (_, detail, identity) => {
    let came = 0;
    const port = await outside.secure(await identity(), (_request, response) => {
      came += 1;
      response.end();
    });
    const url = outside.publish('host.example', port);
    expect(await get(url)).toEqual({ refusal: 'unreachable', sent: false, detail });
    const setting = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await get(url)).toEqual({ refusal: 'unreachable', sent: false, detail });
    } finally {
      if (setting === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = setting;
    }
    expect(came).toBe(0);
    expectNoSocketLeft();
  });

  it('is asked for by name, and by none where the URL names an address', async () => {
    const names: (string | false)[] = [];
    const identity = await outside.authority.identity(['sni.example', '93.184.216.200']);
    const server = createTlsServer(identity, (socket) => {
      names.push(socket.servername ?? false);
      socket.on('error', () => undefined).end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const port = await outside.listen(server);
    outside.publish('sni.example', port);
    outside.lead('93.184.216.200:443', port);
    for (const host of ['sni.example', 'SNI.example.', '93.184.216.200'])
      expect(await get(`https://${host}/`)).toMatchObject({ status: 204 });
    expect(names).toEqual(['sni.example', 'sni.example', false]);
  });
});

describe('a connection', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset when it is accepted', (socket) => socket.resetAndDestroy()],
    ['closed when it is accepted', (socket) => socket.destroy()],
    ['reset at the first bytes of TLS', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['closed at the first bytes of TLS', (socket) => socket.once('data', () => socket.end())],
    ['answered without TLS', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
  ])('that is %s has sent nothing', async (does, take) => {
    const url = await accepting(`${does.replaceAll(' ', '-')}.example`, take);
    const result = await get(url, { method: 'POST', body: 'once' });
    expect(result).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(outside.attempts).toHaveLength(1);
    expectNoSocketLeft();
  });

  it('that never gets to TLS has sent nothing when the total time is over', async () => {
    const url = await accepting('mute.example', () => undefined);
    const result = await get(url, { limits: { ...LIMITS, totalMs: 500 } });
    expect(result).toMatchObject({ refusal: 'timeout', sent: false });
    expectNoSocketLeft();
  });

  it('that never gets to TLS is given up after five seconds', async () => {
    const url = await accepting('muter.example', () => undefined);
    const began = performance.now();
    expect(await get(url)).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(performance.now() - began).toBeLessThan(15_000);
    expectNoSocketLeft();
  });

  it('that is refused has sent nothing', async () => {
    expect(await get(outside.publish('down.example', 9))).toMatchObject({ refusal: 'unreachable', sent: false });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset after TLS', (socket) => outside.reset(socket)],
    ['closed after TLS', (socket) => socket.destroy()],
    ['reset at the request', (socket) => socket.once('data', () => outside.reset(socket))],
    ['closed at the request', (socket) => socket.once('data', () => socket.end())],
    ['closed in the head', (socket) => socket.once('data', () => socket.end(`${OK}Content-Len`))],
    [
      'reset in the body',
      (socket) => socket.once('data', () => resetAfter(socket, `${OK}Content-Length: 9\r\n\r\nsome`)),
    ],
    [
      'reset between chunks',
      (socket) => socket.once('data', () => resetAfter(socket, `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n`)),
    ],
  ])('that is %s may have sent the request, and does not send it again', async (does, take) => {
    const url = await outside.rawHost(`${does.replaceAll(' ', '-')}.example`, (socket) => {
      take(socket.on('error', () => undefined));
    });
    const result = await get(url, { method: 'PUT', body: 'once' });
    expect(result).toMatchObject({ refusal: 'unreachable', sent: true });
    expect(outside.attempts).toHaveLength(1);
    expectNoSocketLeft();
  });

  it('is never used for a second request', async () => {
    const url = await outside.host('kept.example', (_, response) => {
      response.writeHead(200, { Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' }).end('kept');
    });
    for (let time = 0; time < 3; time += 1) expect(await get(url)).toMatchObject({ status: 200 });
    expect(outside.attempts).toHaveLength(3);
    expectNoSocketLeft();
  });
});

function resetAfter(socket: Socket, text: string): void {
  socket.write(text, () => outside.reset(socket));
}

describe('headers that the connection needs', () => {
  it.each([
    'Host',
    'connection',
    'Content-Length',
    'Transfer-Encoding',
    'User-Agent',
    'Accept-Encoding',
    'Expect',
    'TE',
  ])('are a mistake of the caller: %s', async (name) => {
    await expect(get('https://host.example/', { headers: { [name]: 'x' } })).rejects.toThrow(TypeError);
  });

  it.each([
    ['X-Split', 'a\r\nX-Injected: b'],
    ['X-Null', 'a\0b'],
    ['X-Wide', '日本'],
    ['X Space', 'a'],
  ])('cannot be written by others: %s', async (name, value) => {
    await expect(get('https://host.example/', { headers: { [name]: value } })).rejects.toThrow(
      /^(Invalid character in header content|Header name must be a valid)/,
    );
    expect(outside.attempts).toEqual([]);
  });
});
