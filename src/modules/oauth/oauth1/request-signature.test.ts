import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Signer, signedHeader } from './request-signature.ts';

/** Another library, which has no types. */
interface SecondOpinion {
  _normaliseRequestParams(parameters: Record<string, string>): string;
  _createSignatureBase(method: string, url: string, parameters: string): string;
  _createSignature(base: string, secret: string): string;
}
// @ts-expect-error -- it has no types
const { OAuth } = (await import('oauth')) as {
  OAuth: new (...settings: readonly (string | null)[]) => SecondOpinion;
};

const SIGNER: Signer = {
  consumerKey: 'dpf43f3p2l4k3l03',
  consumerSecret: 'kd94hf93k423kf44',
  signatureMethod: 'HMAC-SHA1',
};

/** The parameters of a header, decoded. */
function parametersOf(header: string): Record<string, string> {
  expect(header).toMatch(/^OAuth /);
  const pairs = header.slice('OAuth '.length).split(', ');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)="([^"]*)"$/.exec(pair)!;
      return [decodeURIComponent(name!), decodeURIComponent(value!)];
    }),
  );
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** As RFC 5849 has it (3.4), from the decoded pairs of query and header. */
function expectedSignature(method: string, baseUrl: string, pairs: [string, string][], key: string, hash = 'sha1') {
  const normalized = pairs
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const base = [method, encode(baseUrl), encode(normalized)].join('&');
  return createHmac(hash, key).update(base).digest('base64');
}

function protocolPairs(parameters: Record<string, string>): [string, string][] {
  return Object.entries(parameters).filter(([name]) => name !== 'oauth_signature');
}

it('signs the query of section 3.4.1.1 as the section has it, names with escapes and repeated ones among it', () => {
  const signer = {
    consumerKey: '9djdj82h48djs9d2',
    consumerSecret: 'j49sk3j29djd',
    signatureMethod: 'HMAC-SHA1',
    token: { key: 'kkk9d7dh3k39sjv7', secret: 'dh893hdasih9' },
  } as const;
  // What the section has in the body stands in the query here: both are signed alike.
  const address = 'http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q';
  const parameters = parametersOf(signedHeader(signer, 'POST', address));
  const query: [string, string][] = [
    ['b5', '=%3D'],
    ['a3', 'a'],
    ['c@', ''],
    ['a2', 'r b'],
    ['c2', ''],
    ['a3', '2 q'],
  ];
  const key = `${encode(signer.consumerSecret)}&${encode(signer.token.secret)}`;
  expect(parameters.oauth_signature).toBe(
    expectedSignature('POST', 'http://example.com/request', [...query, ...protocolPairs(parameters)], key),
  );
  expect(parameters).toMatchObject({
    oauth_consumer_key: '9djdj82h48djs9d2',
    oauth_token: 'kkk9d7dh3k39sjv7',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_version: '1.0',
  });
  expect(parameters.oauth_nonce).toMatch(/^[0-9a-f]{32}$/);
});

it("encodes ! ' ( ) * and everything else that RFC 3986 does not leave alone", () => {
  const odd = "!'()*~-._ +&=/?%ü€😀";
  const address = `https://photos.example.net/photos?${new URLSearchParams({ odd, [odd]: 'name' }).toString()}`;
  const parameters = parametersOf(
    signedHeader({ ...SIGNER, consumerSecret: odd }, 'GET', address, { oauth_verifier: odd }),
  );
  expect(parameters.oauth_verifier).toBe(odd);
  const pairs: [string, string][] = [['odd', odd], [odd, 'name'], ...protocolPairs(parameters)];
  expect(parameters.oauth_signature).toBe(
    expectedSignature('GET', 'https://photos.example.net/photos', pairs, `${encode(odd)}&`),
  );
});

it.each([
  ['HMAC-SHA1', 'sha1'],
  ['HMAC-SHA256', 'sha256'],
] as const)('signs with %s', (signatureMethod, hash) => {
  const parameters = parametersOf(
    signedHeader({ ...SIGNER, signatureMethod }, 'POST', 'https://photos.example.net/initiate', {
      oauth_callback: 'http://printer.example.com/ready?state=a%20b',
    }),
  );
  expect(parameters.oauth_signature).toBe(
    expectedSignature(
      'POST',
      'https://photos.example.net/initiate',
      protocolPairs(parameters),
      'kd94hf93k423kf44&',
      hash,
    ),
  );
});

it('agrees with another library', () => {
  const other = new OAuth('', '', SIGNER.consumerKey, SIGNER.consumerSecret, '1.0', null, 'HMAC-SHA1');
  const token = { key: 'nnch734d00sl2jdk', secret: 'pfkkdhi9sl3r4s00' };
  const parameters = parametersOf(
    signedHeader({ ...SIGNER, token }, 'GET', 'http://photos.example.net/photos?file=vacation.jpg&size=original'),
  );
  // Its own way to the signature, with our nonce and time.
  const { oauth_signature: signature, ...protocol } = parameters;
  const normalized = other._normaliseRequestParams({ ...protocol, file: 'vacation.jpg', size: 'original' });
  const base = other._createSignatureBase('GET', 'http://photos.example.net/photos', normalized);
  expect(signature).toBe(other._createSignature(base, token.secret));
});
