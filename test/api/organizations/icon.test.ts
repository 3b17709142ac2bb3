import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useWebsite } from '../../support/peers/website.ts';
import { TestApp } from '../../support/test-app.ts';
import { usePerson } from '../../support/use-test-app.ts';

const website = useWebsite();
const app = new TestApp();
beforeAll(() => app.open({ env: website.env }));
afterAll(() => app.close());
const owner = usePerson(app);

const image = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/media-types', name));
const PNG = image('square.png');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h8v8z"/></svg>';
const page = (head: string) => `<!doctype html><head>${head}</head><body>`;
let id: string;

/** A new organization with this website. */
async function at(site: string | null = website.origin): Promise<string> {
  id = await organizationOf(owner);
  await app.db.query('update organization set website = $2 where id = $1', [id, site]);
  return id;
}
const icon = (headers = {}, method = 'GET') => owner.send(method, `/organizations/${id}/icon`, undefined, headers);
const expire = () => app.db.query(`update organization_icon set expires_at = now() where organization_id = $1`, [id]);

beforeEach(() => at());

describe('GET /organizations/{organizationId}/icon: 200', () => {
  it('shows the declared icon, to be kept for an hour', async () => {
    website.become({ '/': page('<link rel=icon href=/a.png>'), '/a.png': PNG });
    const { status, headers, text } = await icon();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-disposition': 'inline',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
    expect(text.length).toBeGreaterThan(0);
    expect(website.asked).toEqual(['/', '/a.png']);
  });

  it('answers HEAD with the same headers, and from what was found before', async () => {
    website.become({ '/': page('<link rel=icon href=/a.png>'), '/a.png': PNG });
    const got = await icon();
    const headed = await icon({}, 'HEAD');
    const shown = ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy'];
    expect(headed.status).toBe(200);
    expect(headed.text).toBe('');
    for (const name of shown) expect(headed.headers[name]).toBe(got.headers[name]);
    expect(website.asked).toHaveLength(2);
  });

  it.each([
    ['square.png', 'image/png'],
    ['square.jpeg', 'image/jpeg'],
    ['square.gif', 'image/gif'],
    ['square.webp', 'image/webp'],
    ['square.avif', 'image/avif'],
  ])('knows %s by its bytes', async (name, type) => {
    website.become({ '/favicon.ico': image(name) });
    expect((await icon()).headers['content-type']).toBe(type);
  });

  it.each<[string, Record<string, string | Buffer>, string]>([
    [
      'a drawing',
      { '/': page('<link rel=icon href=a.png><link rel=icon href=a.svg>'), '/a.svg': SVG, '/a.png': PNG },
      'image/svg+xml; charset=utf-8',
    ],
    [
      'the next one where a drawing is harmful',
      {
        '/': page('<link rel=icon href=a.svg><link rel=icon href=a.png>'),
        '/a.svg': SVG.replace('<path', '<script/><path'),
        '/a.png': PNG,
      },
      'image/png',
    ],
    [
      'an image that stands in the page',
      { '/': page(`<link rel=icon href="data:image/png;base64,${PNG.toString('base64')}">`) },
      'image/png',
    ],
    [
      'a drawing that stands in the page',
      { '/': page(`<link rel=icon href="data:image/svg+xml,${encodeURIComponent(SVG)}">`) },
      'image/svg+xml; charset=utf-8',
    ],
    [
      'a touch icon',
      { '/': page('<link rel=icon href=gone.png><link rel=apple-touch-icon href=t.png>'), '/t.png': PNG },
      'image/png',
    ],
    [
      'an icon of the manifest',
      {
        '/': page('<link rel=manifest href=/m/app.json>'),
        '/m/app.json': '{"icons":[{"src":"i.png"}]}',
        '/m/i.png': PNG,
      },
      'image/png',
    ],
    ['one at a usual path', { '/': page(''), '/favicon.png': PNG }, 'image/png'],
    ['one at a usual path where there is no page', { '/favicon.ico': PNG }, 'image/png'],
    ['one behind a redirect', { '/': page('<link rel=icon href=a>') }, 'image/png'],
    [
      'one that a long page declares',
      { '/': `${page('<link rel=icon href=a.png>')}${'<p>long'.repeat(200_000)}`, '/a.png': PNG },
      'image/png',
    ],
  ])('finds %s', async (_, pages, type) => {
    website.become(pages);
    website.pages.set('/a', (_request, response) => response.writeHead(302, { location: '/b' }).end());
    website.pages.set('/b', (_request, response) => response.end(PNG));
    const { status, headers } = await icon();
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  it('goes on with the icon before while the website is asked anew', async () => {
    website.become({ '/favicon.ico': PNG });
    await icon();
    await expire();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    website.become({});
    website.pages.set('/', (_request, response) => {
      asked.resolve();
      void held.promise.then(() => response.end(page('')));
    });
    const other = await TestApp.start({ env: website.env, databaseUrl: app.databaseUrl });
    const looking = icon();
    await asked.promise;
    const meanwhile = await other.client(owner.token).get(`/organizations/${id}/icon`);
    expect([meanwhile.status, meanwhile.headers['content-type']]).toEqual([200, 'image/png']);
    expect((await icon()).headers['content-type']).toBe('image/png');
    held.resolve();
    expect((await looking).status).toBe(204);
    await other.close();
  });
});

describe('GET /organizations/{organizationId}/icon: 204', () => {
  it('without a website, and asks nobody', async () => {
    await at(null);
    const { status, headers, text } = await icon();
    expect([status, text, headers['cache-control']]).toEqual([204, '', 'private, max-age=60']);
    expect((await icon({}, 'HEAD')).status).toBe(204);
  });

  it('where none is found, and asks again after a minute, then two', async () => {
    website.become({ '/': page('') });
    expect((await icon()).status).toBe(204);
    const asked = website.asked.length;
    expect((await icon()).status).toBe(204);
    expect(website.asked).toHaveLength(asked);
    const minutes = async () => {
      const { rows } = await app.db.query(
        `select round(extract(epoch from expires_at - clock_timestamp()) / 60)::int as minutes
         from organization_icon where organization_id = $1`,
        [id],
      );
      return rows[0].minutes;
    };
    expect(await minutes()).toBe(1);
    await expire();
    await icon();
    expect(await minutes()).toBe(2);
    await app.db.query('update organization_icon set failures = 40, expires_at = now() where organization_id = $1', [
      id,
    ]);
    await icon();
    expect(await minutes()).toBe(60);
  });

  it.each<[string, string | Buffer]>([
    ['a page', page('')],
    ['nothing', ''],
    ['more than 256 KiB', Buffer.concat([PNG, Buffer.alloc(256 * 1_024)])],
    ['a harmful drawing', SVG.replace('<path', '<image href="https://evil.example/a.png"/><path')],
    ['text', 'an icon'],
  ])('where the icon is %s', async (_, content) => {
    website.become({ '/favicon.ico': content });
    expect((await icon()).status).toBe(204);
  });

  it('forgets the icon of the website before', async () => {
    website.become({ '/favicon.ico': PNG });
    expect((await icon()).status).toBe(200);
    await app.db.query('update organization set website = $2 where id = $1', [id, 'https://elsewhere.invalid']);
    expect((await icon()).status).toBe(204);
    await app.db.query('update organization set website = $2 where id = $1', [id, website.origin]);
    website.become({ '/favicon.ico': image('square.gif') });
    expect((await icon()).headers['content-type']).toBe('image/gif');
  });
});

describe('GET /organizations/{organizationId}/icon: 304', () => {
  it('to who has it already', async () => {
    website.become({ '/favicon.ico': PNG });
    const { headers } = await icon();
    const again = await icon({ 'if-none-match': `W/"x", ${String(headers['etag'])}` });
    expect([again.status, again.text, again.headers['cache-control']]).toEqual([304, '', 'private, max-age=3600']);
    expect((await icon({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

describe('GET /organizations/{organizationId}/icon: 404', () => {
  it('to who is no member', async () => {
    const stranger = await app.person('stranger');
    const { status, body } = await stranger.get(`/organizations/${id}/icon`);
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});
