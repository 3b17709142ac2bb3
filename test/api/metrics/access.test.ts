import { describe, expect, it } from '@jest/globals';
import { useTestApp } from '../../support/use-test-app.ts';

const OTHER = 'CANARY-metrics-other-bT4mX9kQ2wR7yB1m';

const app = useTestApp();

describe('200', () => {
  it('for the token of METRICS_TOKEN, as text that nobody keeps', async () => {
    const { status, headers, text } = await app.scraper.get('/metrics');
    expect([status, headers['content-type'], headers['cache-control'], headers['x-request-id']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
      expect.any(String),
    ]);
    expect(text).toMatch(/^# HELP /);
  });
});

describe('401', () => {
  it.each([
    ['nothing', {}],
    ['another token', { authorization: `Bearer ${OTHER}` }],
    ['a part of the token', { authorization: `Bearer ${OTHER.slice(0, 20)}` }],
    ['another scheme', { authorization: 'Basic bWV0cmljczptZXRyaWNz' }],
    ['nothing behind the scheme', { authorization: 'Bearer ' }],
  ])('for %s', async (_, headers) => {
    const { status, headers: answered, body } = await app.anonymous.get('/metrics', headers);
    expect([status, answered['www-authenticate'], body.error.code]).toEqual([401, 'Bearer', 'owner_unauthorized']);
    expect(body.message).toBe('Send METRICS_TOKEN as a bearer token.');
  });

  it('for every other token of the deployment, and for the right one in the query', async () => {
    const owner = await app.person();
    for (const client of [owner, app.bootstrap, app.service]) expect((await client.get('/metrics')).status).toBe(401);
    expect((await app.anonymous.get(`/metrics?access_token=${app.scraper.token}`)).status).toBe(401);
  });
});

describe('404', () => {
  const without = useTestApp({ env: { METRICS_TOKEN: '' } });

  it('without METRICS_TOKEN, whatever the caller brings, in the words of a route that does not exist', async () => {
    const unknown = await without.anonymous.get('/nothing-here');
    for (const client of [without.anonymous, without.scraper, without.bootstrap]) {
      const { status, body } = await client.get('/metrics');
      expect([status, { ...body, meta: 0 }]).toEqual([404, { ...unknown.body, meta: 0 }]);
    }
  });
});

describe('405', () => {
  it.each(['HEAD', 'POST', 'OPTIONS'])('for %s', async (method) => {
    const { status, headers } = await app.scraper.send(method, '/metrics');
    expect([status, headers.allow]).toEqual([405, 'GET']);
  });
});

describe('429', () => {
  it('after 20 wrong tokens of one address in a minute; the right one is let in all the same', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 40; attempt += 1) statuses.push((await app.client(OTHER).get('/metrics')).status);
    expect(statuses.slice(-20)).toEqual(Array.from({ length: 20 }, () => 429));
    expect((await app.scraper.get('/metrics')).status).toBe(200);
  });
});
