import { describe, expect, it } from '@jest/globals';
import {
  normalizeCurrency,
  normalizeDomain,
  normalizeTimezone,
  normalizeWebsite,
  slugBase,
} from './organization.policy.ts';

describe('normalizeWebsite', () => {
  it.each([
    ['https://Acme.example/about?x=1#y', 'https://acme.example'],
    ['http://acme.example', 'https://acme.example'],
    ['http://acme.example:80/', 'https://acme.example'],
    ['https://acme.example:8443', 'https://acme.example:8443'],
    ['http://acme.example:443', 'https://acme.example'],
    ['acme.example', 'https://acme.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://acme.example.', 'https://acme.example'],
  ])('%s is %s', (website, origin) => {
    expect(normalizeWebsite(website)).toBe(origin);
  });

  it.each([
    'ftp://acme.example',
    'javascript://acme.example',
    'https://user:pass@acme.example',
    'https://acme.example:80',
    'https://localhost',
    'https://intranet',
    'https://db.internal',
    'https://127.0.0.1',
    'https://0x7f.1',
    'https://[::1]',
    'https://10.0.0.1',
    '',
    'not a site',
  ])('refuses %s', (website) => {
    expect(normalizeWebsite(website)).toBeUndefined();
  });
});

describe('normalizeDomain', () => {
  it.each(['a b.example', 'acme.example/path', 'acme.example:80', 'user@acme.example', 'single', '1.2.3.4'])(
    'refuses %s',
    (domain) => {
      expect(normalizeDomain(domain)).toBeUndefined();
    },
  );
  it('lower-cases', () => {
    expect(normalizeDomain('Shop.ACME.example')).toBe('shop.acme.example');
  });
});

describe('normalizeTimezone', () => {
  it.each([
    ['europe/berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
  ])('%s is %s', (given, zone) => {
    expect(normalizeTimezone(given)).toBe(zone);
  });
  it.each(['+02:00', 'Mars/Olympus', ''])('refuses %s', (zone) => {
    expect(normalizeTimezone(zone)).toBeUndefined();
  });
});

describe('normalizeCurrency', () => {
  it('upper-cases a known code and refuses others', () => {
    expect(normalizeCurrency(' eur ')).toBe('EUR');
    expect(normalizeCurrency('EURO')).toBeUndefined();
  });
});

describe('slugBase', () => {
  it.each([
    ['Acme & Sons, Ltd.', 'acme-sons-ltd'],
    ['Bücher & Ötzi', 'bucher-otzi'],
    ['東京', 'dongjing'],
    ['***', 'organization'],
    ['x'.repeat(100), 'x'.repeat(60)],
  ])('%s asks for %s', (name, slug) => {
    expect(slugBase(name)).toBe(slug);
  });
});
