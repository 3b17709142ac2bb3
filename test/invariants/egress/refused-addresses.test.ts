import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Egress } from '../../../src/kernel/egress/index.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS = { totalMs: 20_000, maxBytes: 1_000 };

/** What must never be connected to, as the host of a URL; one subject a line, its spellings behind it. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'loopback, in decimal, octal, hexadecimal, short and mixed spellings': [
    '127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.255 127.1 127.0.1 127.65530 127.16777215 2130706433 2130706434 017700000001',
    '0177.0.0.1 0177.1 0177.0.1 00000177.0.0.1 0177.00.00.01 0x7f.0.0.1 0x7f.1 0x7f.0x0.0x0.0x1 0X7F.0.0.1 0x7f000001',
    '0x7F000001 0x000000007f000001 0x7f.0x000001 127.0x1 0x7f.65535 127.0.0.01 127.00.0.1 127.0.0.0x1 %31%32%37.0.0.1',
    '127%2e0%2e0%2e1 127.0.0.1. 127.1. 2130706433. 0x7f000001.',
  ],
  'loopback, in letters that become digits and dots': [
    '１２７.0.0.1 １２７．０．０．１ 127。0。0。1 127｡0｡0｡1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟭𝟮𝟳.𝟬.𝟬.𝟭 ¹²⁷.⁰.⁰.¹ ₁₂₇.₀.₀.₁ ０ｘ７ｆ.1 １２７．１ ２１３０７０６４３３',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ｌｏｃａｌｈｏｓｔ 𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭 loc­alhost',
  ],
  'this machine, by name': [
    'localhost LOCALHOST LocalHost localhost. localhost.. a.localhost a.b.localhost A.LOCALHOST. %6c%6f%63%61%6c%68%6f%73%74',
  ],
  unspecified: ['0.0.0.0 0 0x0 00 000000000 0.0 0.0.0 0.1.2.3 0.255.255.255 [::] [0:0:0:0:0:0:0:0] [0::0] [::0.0.0.0]'],
  'private, RFC 1918': [
    '10.0.0.0 10.0.0.1 10.1 10.255.255.255 167772161 0xa000001 012.0.0.1 0xa.0.0.1 10.0.0.1. 172.16.0.1 172.16.1 172.31.255.255',
    '0xac100001 2886729729 0254.020.0.1 192.168.0.1 192.168.1 192.168.255.255 0xc0a80001 3232235521 0300.0250.0.1 １０.0.0.1 １９２．１６８．０．１',
  ],
  'link-local and metadata services': [
    '169.254.0.0 169.254.1.1 169.254.169.254 169.254.170.2 169.254.255.255 2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376',
    '169.254.43518 169.16689662 １６９．２５４．１６９．２５４ 168.63.129.16 2822734096 100.100.100.200 192.0.0.192 [fe80::1] [fe80::a9fe:a9fe]',
    '[febf:ffff::1] [FE80::1] [fd00:ec2::254] [fd00:ec2::23] [fd20:ce::254] [fd00:42::42] [fe80::1%25eth0] [fe80::1%eth0] [fe80::1%251]',
  ],
  'shared address space (carrier-grade NAT)': ['100.64.0.0 100.64.0.1 100.127.255.255 1681915905 0x64400001 100.100.1'],
  'documentation, benchmarks, protocol assignments, reserved': [
    '192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.0.2.255 198.51.100.1 198.51.100.255 203.0.113.1 203.0.113.255 198.18.0.1 198.19.255.255',
    '192.88.99.1 192.175.48.1 192.31.196.1 192.52.193.1 240.0.0.1 240.1 250.1.2.3 255.255.255.254 255.255.255.255 4294967295 0xffffffff 037777777777',
  ],
  multicast: [
    '224.0.0.1 224.0.0.251 232.1.1.1 239.255.255.250 0xe0000001 3758096385 [ff00::1] [ff02::1] [ff02::fb] [ff0e::1] [ffff::1]',
  ],
  'loopback, IPv6': [
    '[::1] [0::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::0:1] [0:0::0:1] [::0.0.0.1]',
  ],
  'IPv4 mapped into IPv6, public addresses too': [
    '[::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [0000::ffff:7f00:0001] [::ffff:0:0] [::ffff:10.0.0.1] [::ffff:a00:1]',
    '[::ffff:172.16.0.1] [::ffff:192.168.0.1] [::ffff:c0a8:1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:100.64.0.1] [::ffff:224.0.0.1]',
    '[::ffff:0.0.0.0] [::ffff:255.255.255.255] [::ffff:93.184.216.1] [::ffff:5db8:d801]',
  ],
  'IPv4-compatible and translated (SIIT)': [
    '[::127.0.0.1] [::7f00:1] [::10.0.0.1] [::a00:1] [::169.254.169.254] [::a9fe:a9fe] [::93.184.216.1] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1] [::ffff:0:a9fe:a9fe]',
  ],
  'translated by NAT64, public addresses too': [
    '[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [0064:ff9b::a00:1] [64:ff9b::10.0.0.1] [64:ff9b::169.254.169.254] [64:ff9b::a9fe:a9fe] [64:ff9b::c0a8:1]',
    '[64:ff9b::93.184.216.1] [64:ff9b:1::127.0.0.1] [64:ff9b:1::a9fe:a9fe] [64:ff9b:1:ffff::a00:1]',
  ],
  '6to4 and Teredo': [
    '[2002:7f00:1::] [2002:7f00:1::1] [2002:a00:1::1] [2002:c0a8:1::1] [2002:a9fe:a9fe::1] [2002:5db8:d801::1] [2001::1] [2001:0:7f00:1::] [2001:0:0:0:0:0:80ff:fffe]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  ],
  'unique local, site-local': [
    '[fc00::1] [fc01:2:3::4] [fd00::1] [fd12:3456:789a:1::1] [fdff:ffff::1] [FD00::1] [fec0::1] [feff::1]',
  ],
  'other special IPv6': [
    '[100::1] [100:0:0:1::1] [2001:2::1] [2001:3::1] [2001:4:112::1] [2001:10::1] [2001:1f::1] [2001:20::1] [2001:2f::1] [2001:30::1] [2001:1ff::1]',
    '[2001:db8::1] [2001:0db8:85a3::8a2e:370:7334] [2620:4f:8000::1] [3fff::1] [3fff:fff::1] [5f00::1] [4000::1] [8000::1] [c000::1] [e000::1] [1::1] [1fff::1] [::2] [::1:0:0:0]',
  ],
  'with credentials and other decoys before the host': [
    'public.example@127.0.0.1 public.example:443@127.0.0.1 public.example%40@10.0.0.1 a:b@169.254.169.254 @127.0.0.1 93.184.216.1@[::1] 127.0.0.1\\@public.example',
    '127.0.0.1#@public.example 127.0.0.1?@public.example \\127.0.0.1 /127.0.0.1 ///127.0.0.1 \t127.0.0.1 127\t.0.0.1',
    // A public host with credentials is refused too.
    'user:password@public.example 127.0.0.1@public.example user@public.example',
  ],
  'with ports': [
    '127.0.0.1:443 127.0.0.1:8443 localhost:8443 [::1]:8443 10.0.0.1:65535 public.example:22 public.example:25 public.example:80 public.example:1023',
  ],
  'what is no host at all': [
    '127.0.0.256 1.2.3.4.5 0x100000000 4294967296 256.1 127.0.0.1.1 [::1 [::g] [1::2::3] [::ffff:127.0.0.256] public%00.example pub<lic.example',
  ],
};

const table = Object.entries(FORMS).map(
  ([subject, lines]) => [subject, lines.flatMap((line) => line.split(' '))] as const,
);

let outside: Outside;
let egress: Egress;

beforeAll(async () => {
  outside = await Outside.start();
  outside.names.host('public.example', ['93.184.216.34']);
  egress = outside.egress();
});
afterAll(() => outside.stop());

async function refusalsOf(hosts: readonly string[]): Promise<(readonly [string, string])[]> {
  const limits = LIMITS;
  return Promise.all(
    hosts.map(async (host) => {
      const result = await egress.send({ url: `https://${host}/`, method: 'GET', limits, hosts: 'public' });
      return [host, 'refusal' in result ? `${result.refusal} ${result.sent}` : `answer ${result.status}`] as const;
    }),
  );
}

describe('a URL that names no public address', () => {
  it('is listed here in more than 280 forms, none of them twice', () => {
    const forms = table.flatMap(([, hosts]) => hosts);
    expect(forms.length).toBeGreaterThan(280);
    expect(new Set(forms).size).toBe(forms.length);
  });

  it.each(table)('is refused: %s', async (_, hosts) => {
    expect(await refusalsOf(hosts)).toEqual(hosts.map((host) => [host, 'refused_address false']));
    expect(outside.attempts).toEqual([]);
    expect(outside.names.asked).toEqual([]);
  });
});

describe('a name that has such an address', () => {
  it('is refused, whichever special range it is from', async () => {
    const literals = table
      .flatMap(([, hosts]) => hosts)
      .filter((host) => URL.canParse(`https://${host}`))
      .map((host) => new URL(`https://${host}`).hostname.replace(/^\[(.*)\]$/, '$1'))
      .filter((host) => /^[\d.]+$|:/.test(host));
    const addresses = [...new Set(literals)];
    expect(addresses.length).toBeGreaterThan(120);
    const names = addresses.map((address, index) => {
      outside.names.host(`inside-${index}.example`, [address]);
      return `inside-${index}.example`;
    });
    expect(await refusalsOf(names)).toEqual(names.map((name) => [name, 'refused_address false']));
    expect(outside.attempts).toEqual([]);
  });
});

describe('a public address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '191.255.255.255',
    '192.0.1.1',
    '192.167.255.255',
    '192.169.0.1',
    '198.17.255.255',
    '198.20.0.1',
    '203.0.112.1',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2003::1',
    '2400:cb00::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:829::200e',
    '3ffe::1',
  ])('is reached: %s', async (address) => {
    const name = `host-${address.replaceAll(/[.:]/g, '-')}.example`;
    outside.names.host(name, [address]);
    const host = address.includes(':') ? `[${address}]` : address;
    const before = outside.attempts.length;
    for (const url of [`https://${host}/`, `https://${name}/`]) {
      const result = await egress.send({ url, method: 'GET', limits: LIMITS, hosts: 'public' });
      expect(result).toMatchObject({ refusal: 'unreachable', sent: false, detail: 'ENETUNREACH' });
    }
    expect(outside.attempts.slice(before)).toEqual([`${address}:443`, `${address}:443`]);
  });
});
