import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IconLookupService } from '../../../src/modules/organizations/icon/icon-lookup.service.ts';
import { type Answering, Outside } from '../../support/peers/outside.ts';

const PNG = readFileSync(join(import.meta.dirname, '../../fixtures/media-types/square.png'));
/** The whole look-up, and what a busy machine needs beside it. */
const LIMIT_MS = 8_000 + 2_000;
const MOST_REQUESTS = 12;
/** Addresses of this machine and the network around it, in spellings that names and redirects can have. */
const INSIDE = [
  'https://127.0.0.1/a.png',
  'https://2130706433/a.png',
  'https://0x7f.1/a.png',
  'https://[::1]/a.png',
  'https://[::ffff:127.0.0.1]/a.png',
  'https://localhost/a.png',
  'https://10.0.0.7/a.png',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/a.png',
  'https://inside.example/a.png',
  'https://half-inside.example/a.png',
];

let outside: Outside;
let origin: string;
let answer: Answering;
const asked: string[] = [];
/** Timers of answers that drip. */
const timers = new Set<NodeJS.Timeout>();

beforeAll(async () => {
  outside = await Outside.start();
  outside.names.host('inside.example', ['10.0.0.7']);
  outside.names.host('half-inside.example', ['93.184.216.1', '127.0.0.1']);
  origin = await outside.host('site.example', (request, response) => {
    asked.push(request.url!);
    answer(request, response);
  });
});
beforeEach(() => {
  outside.attempts.length = 0;
  asked.length = 0;
});
afterEach(() => {
  for (const timer of timers) clearInterval(timer);
  timers.clear();
});
afterAll(() => outside.stop());

/** Where connections went, but to the site itself. */
const elsewhere = () => outside.attempts.filter((attempt) => attempt !== '93.184.216.1:443');

async function find(website = origin, blockedDomains: readonly string[] = []) {
  const lookup = new IconLookupService(outside.egress({ localPeers: ['http://127.0.0.1:9'] }));
  const began = performance.now();
  const found = await lookup.find(
    { organizationId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11', website, blockedDomains },
    new AbortController().signal,
  );
  expect(performance.now() - began).toBeLessThan(LIMIT_MS);
  expect(asked.length).toBeLessThanOrEqual(MOST_REQUESTS * 4);
  return found;
}

const page =
  (head: string): Answering =>
  (request, response) =>
    request.url === '/' ? response.end(`<head>${head}</head>`) : response.writeHead(404).end();

describe('a website that points inside', () => {
  it.each(INSIDE)('by an icon at %s: no connection', async (href) => {
    answer = page(`<link rel=icon href="${href}">`);
    expect(await find()).toBeUndefined();
    expect(elsewhere()).toEqual([]);
  });

  it.each(INSIDE)('by a redirect to %s: no connection', async (location) => {
    answer = (_, response) => response.writeHead(302, { location }).end();
    expect(await find()).toBeUndefined();
    expect(elsewhere()).toEqual([]);
  });

  it('by a base, a manifest, and an icon of a manifest: no connection', async () => {
    answer = (request, response) =>
      request.url === '/app.json'
        ? response.end('{"icons":[{"src":"https://127.0.0.1/a.png"},{"src":"//10.0.0.7/a.png"}]}')
        : response.end(
            '<base href="https://10.0.0.7/"><link rel=icon href=a.png><link rel=manifest href="https://site.example/app.json">',
          );
    expect(await find()).toBeUndefined();
    expect(elsewhere()).toEqual([]);
  });

  it.each(['https://inside.example', 'https://half-inside.example', 'https://127.0.0.1', 'https://localhost'])(
    'by its own address %s: no connection',
    async (website) => {
      expect(await find(website)).toBeUndefined();
      expect(outside.attempts).toEqual([]);
    },
  );

  it('at the second look-up of its name: no connection', async () => {
    outside.names.host('rebinding.example', ['93.184.216.1'], ['93.184.216.1'], ['127.0.0.1']);
    answer = page('');
    await find('https://rebinding.example');
    expect(outside.attempts.filter((attempt) => !attempt.startsWith('93.184.216.1:'))).toEqual([]);
  });
});

describe('a website that', () => {
  it('is blocked by the organization is not asked, nor is a blocked host of its icon', async () => {
    expect(await find(origin, ['site.example'])).toBeUndefined();
    expect(outside.attempts).toEqual([]);
    answer = page('<link rel=icon href="https://cdn.blocked.example/a.png">');
    await find(origin, ['blocked.example']);
    expect(elsewhere()).toEqual([]);
  });

  it('declares an icon without encryption is not asked for it', async () => {
    answer = page('<link rel=icon href="http://site.example/a.png">');
    expect(await find()).toBeUndefined();
    expect(asked).not.toContain('/a.png');
  });

  it('declares a thousand icons gets twelve requests', async () => {
    answer = page(Array.from({ length: 1_000 }, (_, index) => `<link rel=icon href=/${index}.png>`).join(''));
    expect(await find()).toBeUndefined();
    expect(asked).toHaveLength(MOST_REQUESTS);
  });

  it('redirects without end gets four requests for each asset', async () => {
    answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
    expect(await find()).toBeUndefined();
    expect(asked.length).toBeLessThanOrEqual(5 * 4);
  });

  it('drips ends in time, and an icon that does not drip is found', async () => {
    answer = (request, response) => {
      if (request.url === '/favicon.ico') return response.end(PNG);
      response.writeHead(200);
      timers.add(setInterval(() => response.write(' '), 50));
      return undefined;
    };
    expect((await find())?.mediaType).toBe('image/png');
  });

  it('sends without end is read up to the limit', async () => {
    answer = (request, response) => {
      if (request.url === '/favicon.png') return response.end(PNG);
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      return more();
    };
    expect((await find())?.mediaType).toBe('image/png');
  });

  it('lies about types, lengths and codings gives nothing', async () => {
    answer = (request, response) => {
      if (request.url === '/favicon.ico')
        response.writeHead(200, { 'content-type': 'image/png' }).end('<p>not an image');
      else if (request.url === '/favicon.svg') response.writeHead(200, { 'content-encoding': 'gzip' }).end(PNG);
      else if (request.url === '/favicon.png') response.writeHead(200, { 'content-length': '1000000' }).end(PNG);
      else response.writeHead(200, { 'content-length': '0' }).end();
    };
    expect(await find()).toBeUndefined();
  });
});
