import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Authority } from '../../support/peers/authority.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS: EgressRequest['limits'] = { totalMs: 20_000, maxBytes: 1_000 };
const PUBLIC = '93.184.216.34';
let outside: Outside;

beforeEach(async () => {
  outside = await Outside.start();
});
afterEach(() => outside.stop());

function get(host: string, more: Partial<EgressRequest> = {}) {
  return outside.egress().send({ url: `https://${host}/`, method: 'GET', limits: LIMITS, hosts: 'public', ...more });
}

describe('a host', () => {
  it.each<[string, readonly string[]]>([
    ['of only private addresses', ['10.0.0.1']],
    ['with one private address among public ones', [PUBLIC, '192.168.0.1', '93.184.216.35']],
    ['with a private address of the other kind', [PUBLIC, 'fd00::1']],
    ['with a public IPv6 and a loopback IPv4 address', ['2606:4700::1', '127.0.0.1']],
    ['with a mapped address', ['::ffff:10.0.0.1']],
    ['with a metadata service', [PUBLIC, '169.254.169.254']],
  ])('%s is refused as a whole', async (_, addresses) => {
    outside.names.host('host.example', addresses);
    expect(await get('host.example')).toMatchObject({ refusal: 'refused_address', sent: false });
    expect(outside.attempts).toEqual([]);
  });

  it('that is another name for one inside is refused', async () => {
    outside.names.host('host.example', { alias: 'metadata.internal', addresses: ['169.254.169.254'] });
    expect(await get('host.example')).toMatchObject({ refusal: 'refused_address', sent: false });
    outside.names.host('mixed.example', { alias: 'other.internal', addresses: [PUBLIC, '::1'] });
    expect(await get('mixed.example')).toMatchObject({ refusal: 'refused_address', sent: false });
    expect(outside.attempts).toEqual([]);
  });

  it('that rebinds is connected to at the address that was checked, and asked about once', async () => {
    const origin = await outside.host('rebind.example', (_, response) => response.end('public'));
    outside.names.host('rebind.example', ['93.184.216.1'], ['127.0.0.1']);
    expect(await get('rebind.example')).toMatchObject({ status: 200, url: `${origin}/` });
    expect(outside.names.asked).toEqual(['rebind.example A', 'rebind.example AAAA']);
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
    expect(await get('rebind.example')).toMatchObject({ refusal: 'refused_address', sent: false });
    expect(outside.attempts).toHaveLength(1);
  });

  it('that rebinds between two redirects is checked at each', async () => {
    await outside.host('rebind.example', (_, response) => response.writeHead(302, { location: '/next' }).end());
    outside.names.host('rebind.example', ['93.184.216.1'], ['10.0.0.1']);
    const limits = { ...LIMITS, redirects: 3 };
    expect(await get('rebind.example', { limits })).toMatchObject({ refusal: 'refused_address', sent: true });
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
  });

  it('with several public addresses is tried at all of them and at no others', async () => {
    outside.names.host('host.example', ['93.184.216.35', '2606:4700::1', PUBLIC]);
    expect(await get('host.example')).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(outside.attempts).toEqual([`93.184.216.35:443`, `${PUBLIC}:443`, '2606:4700::1:443']);
  });

  it('without addresses is unreachable', async () => {
    expect(await get('nowhere.example')).toMatchObject({ refusal: 'unreachable', sent: false });
    outside.names.host('empty.example', []);
    expect(await get('empty.example')).toMatchObject({ refusal: 'unreachable', sent: false });
  });

  it('about which no server says anything is unreachable after two seconds', async () => {
    outside.names.host('silent.example', 'silent');
    const began = performance.now();
    const result = await get('silent.example');
    expect(result).toMatchObject({ refusal: 'unreachable', sent: false });
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('about which no server says anything costs no more than the total time', async () => {
    outside.names.host('silent.example', 'silent');
    const limits = { ...LIMITS, totalMs: 200 };
    const began = performance.now();
    expect(await get('silent.example', { limits })).toMatchObject({ refusal: 'timeout', sent: false });
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

describe('an origin that the configuration names', () => {
  const configured = { configured: 'https://idp.corp.example' };

  it.each(['10.1.2.3', '172.20.0.1', '192.168.4.5', 'fd12::1', PUBLIC])('may have the address %s', async (address) => {
    outside.names.host('idp.corp.example', [address]);
    const result = await get('idp.corp.example', { hosts: configured });
    expect(result).toMatchObject({ refusal: 'unreachable', detail: 'ENETUNREACH' });
    expect(outside.attempts).toEqual([`${address}:443`]);
  });

  it.each(['127.0.0.1', '::1', '169.254.169.254', 'fe80::1', 'fd00:ec2::254', '100.64.0.1', '224.0.0.1', '0.0.0.0'])(
    'may not have the address %s',
    async (address) => {
      outside.names.host('idp.corp.example', [address]);
      const result = await get('idp.corp.example', { hosts: configured });
      expect(result).toMatchObject({ refusal: 'refused_address', sent: false });
      expect(outside.attempts).toEqual([]);
    },
  );

  it.each(['idp.corp.example:8443', 'other.corp.example', 'corp.example', 'a.idp.corp.example', 'idp.corp.example.'])(
    'does not open the way to %s',
    async (host) => {
      outside.names.host(host.replace(/:.*|\.$/, ''), ['10.1.2.3']);
      expect(await get(host, { hosts: configured })).toMatchObject({ refusal: 'refused_address', sent: false });
      expect(outside.names.asked).toEqual([]);
    },
  );

  it('stays https', async () => {
    const request = { url: 'http://idp.corp.example/', hosts: { configured: 'http://idp.corp.example' } };
    expect(await get('', request)).toMatchObject({ refusal: 'not_https', sent: false });
  });
});

describe('a list of origins', () => {
  it('permits exactly these, at public addresses', async () => {
    const hosts = [await outside.host('api.example', (_, response) => response.end('here')), 'https://inside.example'];
    outside.names.host('inside.example', ['10.0.0.1']);
    expect(await get('api.example', { hosts })).toMatchObject({ status: 200 });
    for (const other of [
      'www.api.example',
      'api.example:8443',
      'example',
      'api.example.evil.example',
      'inside.example',
    ])
      expect(await get(other, { hosts })).toMatchObject({ refusal: 'refused_address', sent: false });
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
  });
});

describe('a blocked domain', () => {
  const organization = { id: 'acme', blockedDomains: ['blocked.example', 'xn--bcher-kva.example'] };

  it.each([
    'blocked.example',
    'BLOCKED.example',
    'blocked.example.',
    'blocked.example..',
    'www.blocked.example',
    'a.b.blocked.example.',
    'ｂｌｏｃｋｅｄ.example',
    'blocked。example',
    'bücher.example',
    'BÜCHER.example',
    'xn--bcher-kva.example',
    'shop.bücher.example:8443',
    'www.%62locked.example',
  ])('is refused as %s, without asking a name server', async (host) => {
    expect(await get(host, { organization })).toMatchObject({ refusal: 'blocked_domain', sent: false });
    expect(outside.names.asked).toEqual([]);
  });

  it('is also refused where it was written in letters', async () => {
    const asWritten = { id: 'acme', blockedDomains: ['Bücher.Example.'] };
    expect(await get('xn--bcher-kva.example', { organization: asWritten })).toMatchObject({
      refusal: 'blocked_domain',
    });
  });

  it.each(['notblocked.example', 'blocked.example.org', 'example', 'blocked-example.example'])(
    'does not block %s',
    async (host) => {
      expect(await get(host, { organization })).toMatchObject({ refusal: 'unreachable' });
    },
  );

  it('is refused at origins of lists and of the configuration too, and only for its organization', async () => {
    for (const hosts of [['https://blocked.example'], { configured: 'https://blocked.example' }])
      expect(await get('blocked.example', { organization, hosts })).toMatchObject({ refusal: 'blocked_domain' });
    expect(await get('blocked.example')).toMatchObject({ refusal: 'unreachable' });
  });
});

describe('what is not https', () => {
  it.each([
    'http://public.example/',
    'ftp://public.example/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'ws://a.example',
  ])('is refused: %s', async (url) => {
    expect(await get('', { url })).toMatchObject({ refusal: 'not_https', sent: false });
    expect(outside.names.asked).toEqual([]);
  });
});

describe('a local peer', () => {
  it('is reached by https with its own authority, and by http, if it is listed exactly', async () => {
    const authority = await Authority.create();
    const port = await outside.secure(await authority.identity(['localhost']), (_, response) => response.end('peer'));
    const plain = await outside.plain((_, response) => response.end('plain peer'));
    const localPeers = [`https://localhost:${port}`, `http://127.0.0.1:${plain}`];
    const egress = outside.egress({ localPeers, localCa: authority.pem });
    const send = (url: string) => egress.send({ url, method: 'GET', limits: LIMITS, hosts: 'public' });
    for (const peer of localPeers) expect(await send(`${peer}/path`)).toMatchObject({ status: 200 });
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ refusal: 'refused_address' });
    expect(await send(`https://localhost:${plain}/`)).toMatchObject({ refusal: 'refused_address' });
    expect(await send(`http://localhost:${plain}/`)).toMatchObject({ refusal: 'not_https' });
  });
});
