import { describe, expect, it } from '@jest/globals';
import { app, exchange, expectError } from './probe.ts';

describe('routes', () => {
  it('404 route_not_found for a path that no method has', async () => {
    expectError(await app.inject('/nowhere'), 404, 'route_not_found');
    expectError(await app.inject({ method: 'POST', url: '/nowhere', payload: { a: 1 } }), 404, 'route_not_found');
  });

  it.each([
    ['PATCH', '/things/1?x=1', 'DELETE, GET'],
    ['OPTIONS', '/things/1', 'DELETE, GET'],
    ['GET', '/echo', 'POST'],
    ['GET', '/headed', 'HEAD'],
    ['PROPFIND', '/things/1', 'DELETE, GET'],
  ] as const)('405 with Allow for %s %s', async (method, url, allow) => {
    const answer = await exchange(`${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  it('HEAD only where it is declared', async () => {
    expect((await app.inject({ method: 'HEAD', url: '/headed' })).statusCode).toBe(200);
    const answer = await app.inject({ method: 'HEAD', url: '/things/1' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('DELETE, GET');
  });

  it('405 comes before 401 and before the body', async () => {
    expectError(await app.inject({ method: 'PUT', url: '/echo', payload: '{' }), 405, 'method_not_allowed');
  });
});

describe('a query', () => {
  it.each([
    ['/things/1?a=%zz', 'a'],
    ['/things/1?a=1&b%20c=%ff&d', 'b c'],
    ['/things/1?a=%c3%28', 'a'],
    ['/things/1?%=1', ''],
    ['/echo?a=1%2', 'a'],
  ])('400 for one that is no percent-encoding, before a token is asked for: %s', async (url, path) => {
    const method = url.startsWith('/echo') ? 'POST' : 'GET';
    const answer = await app.inject({ method, url });
    expectError(answer, 400, 'validation_failed', 'malformed_query');
    expect(answer.json()).toMatchObject({ error: { issues: [{ path }] } });
  });

  it.each(['a=%F0%9F%98%80', 'a=b%26c%3D%25', 'a=50%25', 'a=+', '', 'ü'])('is taken as it is: %s', async (query) => {
    expect((await app.inject(`/things/1?${query}`)).statusCode).toBe(200);
  });
});

describe('one decision a path', () => {
  it.each(['/runs', '/%72uns', '/r%75n%73?x=1', 'http://x/runs', 'HTTPS://x/%72uns'])(
    '%s is the guarded route',
    async (target) => {
      const ask = (authorization: string) =>
        exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`);
      expectError(await ask(''), 401, 'owner_unauthorized');
      expect((await ask('Authorization: Bearer x\r\n')).statusCode).toBe(200);
    },
  );

  it.each(['//runs', '/./runs', '/things/../runs', '/things/%2e%2e/runs', '/runs/', '/runs%2f', '/RUNS', '/runs;a'])(
    '%s names no route, whoever asks',
    async (target) => {
      const ask = (authorization: string) =>
        exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`);
      expectError(await ask(''), 404, 'route_not_found');
      expectError(await ask('Authorization: Bearer x\r\n'), 404, 'route_not_found');
    },
  );
});
