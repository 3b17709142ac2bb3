import { expect, it } from '@jest/globals';
import { hostOfStore, storeCredential } from './store-address.ts';

const SUFFIXES = ['.upstash.io', '.redis.acme.example'];

it.each([
  'http://eu1-still-fox-12345.upstash.io',
  'https://eu1-still-fox-12345.upstash.io:8443',
  'https://eu1-still-fox-12345.upstash.io:443',
  'https://user@eu1-still-fox-12345.upstash.io',
  'https://eu1-still-fox-12345.upstash.io/get',
  'https://eu1-still-fox-12345.upstash.io//',
  'https://eu1-still-fox-12345.upstash.io?_token=a',
  'https://eu1-still-fox-12345.upstash.io#a',
  'https://.upstash.io',
  'https://upstash.io',
  'https://evil-upstash.io',
  'https://a..upstash.io',
  'https://-a.upstash.io',
  'https://a.upstash.io.evil.example',
  'https://a.upstash.io.',
  'https://127.0.0.1',
  'https://ａ.upstash.io',
  ' https://a.upstash.io',
])('refuses the address %s', (url) => {
  expect(hostOfStore(url, SUFFIXES)).toBeUndefined();
  expect(() => storeCredential({ url, token: 'a' }, SUFFIXES)).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: 'url', code: 'invalid_uri' })] }),
  );
});

it('brings an address into the one form by which a store is known', () => {
  const given = { url: 'https://EU1-still-Fox-1.upstash.io/', token: 'a' };
  expect(storeCredential(given, SUFFIXES)).toEqual({ url: 'https://eu1-still-fox-1.upstash.io', token: 'a' });
  expect(hostOfStore('https://a.b.redis.acme.example', SUFFIXES)).toBe('a.b.redis.acme.example');
});

it.each(['', 'a b', 'é', 'a\r\nb'])('refuses the token %j, which no header can carry', (token) => {
  expect(() => storeCredential({ url: 'https://a.upstash.io', token }, SUFFIXES)).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: 'token' })] }),
  );
});
