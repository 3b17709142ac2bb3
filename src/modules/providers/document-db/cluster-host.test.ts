import { expect, it } from '@jest/globals';
import { clusterHost } from './cluster-host.ts';

const DOMAINS = ['.mongodb.net', '.docs.acme.test'];

it.each([
  ['shop.ab1cd.mongodb.net', 'shop.ab1cd.mongodb.net'],
  ['Shop.AB1cd.MongoDB.net', 'shop.ab1cd.mongodb.net'],
  ['shop.mongodb.net', 'shop.mongodb.net'],
  ['a.docs.acme.test', 'a.docs.acme.test'],
])('takes %s', (given, host) => {
  expect(clusterHost(given, DOMAINS, 'clusterHost')).toBe(host);
});

it.each([
  'mongodb.net',
  '.mongodb.net',
  'evilmongodb.net',
  'a.evilmongodb.net',
  'shop.mongodb.net.evil.test',
  'mongodb+srv://shop.mongodb.net',
  'user@shop.mongodb.net',
  'shop.mongodb.net:27017',
  'shop.mongodb.net/admin',
  'shop.mongodb.net?tls=false',
  'a.mongodb.net,b.mongodb.net',
  'a b.mongodb.net',
  'a..mongodb.net',
  '-a.mongodb.net',
  '%2f.mongodb.net',
  '_mongodb._tcp.mongodb.net',
  'shop.mongodb.net.',
  '10.0.0.1',
  '[::1]',
  `${'a'.repeat(64)}.mongodb.net`,
  `${'a.'.repeat(125)}mongodb.net`,
])('refuses %s', (given) => {
  expect(() => clusterHost(given, DOMAINS, 'clusterHost')).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: 'clusterHost' })] }),
  );
});
