import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Egress, EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Authority, type ServerIdentity } from '../../support/peers/authority.ts';
import { type Answering, type Asked, startForwardProxy } from '../../support/peers/forward-proxy.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS = { totalMs: 20_000, maxBytes: 1_000 };
const PROXY = '10.9.9.9';
let outside: Outside;
let api: string;
const asked: Asked[] = [];
const headersAtApi: unknown[] = [];

beforeAll(async () => {
  outside = await Outside.start();
  outside.names.host('proxy.corp.example', [PROXY]);
  api = await outside.host('api.example', (request, response) => {
    headersAtApi.push(request.headers);
    response.end('through');
  });
});
afterAll(() => outside.stop());
beforeEach(() => {
  asked.length = 0;
  outside.attempts.length = 0;
  outside.sockets.length = 0;
});

/** A client whose proxy runs on this machine, at an address of the network inside. */
async function behindProxy(
  given: { identity?: ServerIdentity; answer?: Answering } = {},
  url = 'http://proxy.corp.example:3128',
): Promise<Egress> {
  outside.lead(`${PROXY}:3128`, await startForwardProxy(outside, asked, given));
  return outside.egress({ proxy: new URL(url) });
}

const get = (egress: Egress, url: string, more: Partial<EgressRequest> = {}) =>
  egress.send({ url, method: 'GET', limits: LIMITS, hosts: 'public', ...more });

describe('with a forward proxy, the client', () => {
  it('asks it for the checked address, proves the host by its name, and tells it nothing else', async () => {
    const egress = await behindProxy({}, 'http://us%65r:CANARY-pass%3Aword@proxy.corp.example:3128');
    const headers = { Authorization: 'Bearer CANARY-egress' };
    const result = await get(egress, `${api}/path?query`, { headers });
    expect(result).toMatchObject({ status: 200, url: `${api}/path?query` });
    const credentials = Buffer.from('user:CANARY-pass:word').toString('base64');
    expect(asked).toEqual([
      {
        target: '93.184.216.1:443',
        headers: {
          host: '93.184.216.1:443',
          connection: 'close',
          'user-agent': 'business-runner',
          'proxy-authorization': `Basic ${credentials}`,
        },
      },
    ]);
    expect(headersAtApi.pop()).toEqual({
      host: 'api.example',
      connection: 'close',
      'accept-encoding': 'identity',
      'user-agent': 'business-runner',
      authorization: 'Bearer CANARY-egress',
    });
    expect(outside.attempts[0]).toBe(`${PROXY}:3128`);
    expect(outside.attempts).not.toContain('93.184.216.1:443');
  });

  it('reaches a proxy that speaks TLS, and proves it', async () => {
    const identity = await outside.authority.identity(['proxy.corp.example']);
    const egress = await behindProxy({ identity }, 'https://proxy.corp.example:3128');
    expect(await get(egress, api)).toMatchObject({ status: 200 });
    const stranger = await (await Authority.create()).identity(['proxy.corp.example']);
    const deceived = await behindProxy({ identity: stranger }, 'https://proxy.corp.example:3128');
    expect(await get(deceived, api)).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(asked).toHaveLength(1);
  });

  it('refuses what has an address inside before it asks', async () => {
    const egress = await behindProxy();
    outside.names.host('inside.example', ['93.184.216.1', '10.0.0.1']);
    for (const url of ['https://inside.example/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/'])
      expect(await get(egress, url)).toMatchObject({ refusal: 'refused_address', sent: false });
    expect(outside.attempts).toEqual([]);
  });

  it('refuses a redirect inside, although the proxy could reach it', async () => {
    const egress = await behindProxy();
    const url = await outside.host('redirects.example', (_, response) =>
      response.writeHead(302, { location: 'https://169.254.169.254/' }).end(),
    );
    const limits = { ...LIMITS, redirects: 1 };
    expect(await get(egress, url, { limits })).toMatchObject({ refusal: 'refused_address', sent: true });
    expect(asked).toHaveLength(1);
  });

  it('asks for the next address where it cannot reach one', async () => {
    const egress = await behindProxy();
    outside.names.host('api.example', ['93.184.216.99', '93.184.216.1', '2606:4700::1']);
    expect(await get(egress, api)).toMatchObject({ status: 200 });
    expect(asked.map(({ target }) => target)).toEqual(['93.184.216.99:443', '93.184.216.1:443']);
    outside.names.host('api.example', ['2606:4700::1']);
    expect(await get(egress, api)).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(asked.at(-1)!.target).toBe('[2606:4700::1]:443');
    outside.names.host('api.example', ['93.184.216.1']);
  });

  it.each([
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'],
    ['what is not TLS', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(10_000)}`],
  ])('sends nothing when it answers %s', async (_, answer) => {
    const egress = await behindProxy({ answer: () => answer });
    expect(await get(egress, api)).toMatchObject({ refusal: expect.any(String), sent: false });
    expect(outside.sockets.filter((_, index) => outside.attempts[index] === `${PROXY}:3128`)).not.toHaveLength(0);
    expect(outside.sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('sends nothing when it is led to another server than the name stands for', async () => {
    const egress = await behindProxy();
    const other = await outside.host('other.example', (_, response) => response.end('deceit'));
    outside.names.host('victim.example', [`93.184.216.${outside.published}`]);
    expect(await get(egress, other)).toMatchObject({ status: 200 });
    const result = await get(egress, 'https://victim.example/');
    expect(result).toMatchObject({ refusal: 'unreachable', sent: false, detail: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('waits for it no longer than the total time, and leaves no socket', async () => {
    const egress = await behindProxy({ answer: () => '' });
    const limits = { ...LIMITS, totalMs: 500 };
    expect(await get(egress, api, { limits })).toMatchObject({ refusal: 'timeout', sent: false });
    expect(outside.sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('fails while it is down', async () => {
    const egress = await behindProxy();
    outside.lead(`${PROXY}:3128`, 9);
    expect(await get(egress, api)).toMatchObject({ refusal: 'unreachable', sent: false });
  });

  it('goes around it to an origin of the configuration inside, and to local peers', async () => {
    await behindProxy();
    const identity = await outside.authority.identity(['idp.corp.example']);
    outside.lead('10.1.1.1:443', await outside.secure(identity, (_, response) => response.end('inside')));
    outside.names.host('idp.corp.example', ['10.1.1.1']);
    const peer = `http://127.0.0.1:${await outside.plain((_, response) => response.end('peer'))}`;
    const egress = outside.egress({ proxy: new URL('http://proxy.corp.example:3128'), localPeers: [peer] });
    const configured = 'https://idp.corp.example';
    expect(await get(egress, configured, { hosts: { configured } })).toMatchObject({ status: 200 });
    expect(await get(egress, peer)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
    outside.names.host('idp.corp.example', ['93.184.216.77']);
    await get(egress, configured, { hosts: { configured } });
    expect(asked.map(({ target }) => target)).toEqual(['93.184.216.77:443']);
  });
});

describe('the proxies of the environment', () => {
  const names = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'all_proxy',
    'NODE_USE_ENV_PROXY',
  ];

  it('are ignored', async () => {
    const port = await startForwardProxy(outside, asked);
    const saved = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${port}`;
    try {
      expect(await get(outside.egress(), api)).toMatchObject({ status: 200 });
    } finally {
      names.forEach((name, index) => {
        if (saved[index] === undefined) delete process.env[name];
        else process.env[name] = saved[index];
      });
    }
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
    expect(asked).toEqual([]);
  });
});
