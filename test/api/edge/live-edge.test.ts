import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, company, organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

/** The rules of the edge once more on real routes, for what only the whole application can get wrong. */
const app = await TestApp.start();
afterAll(() => app.close());

let owner: Client;
let organization: string;

beforeAll(async () => {
  owner = await app.person();
  organization = `/organizations/${await organizationOf(owner)}`;
});

/** Routes with a body, one of the family that has a code of its own. */
const bodies = [
  ['POST', () => '/organizations', 'request_failed'],
  ['POST', () => '/owner-tokens', undefined],
  ['PATCH', () => organization, undefined],
  ['PUT', () => `${organization}/work-dispatch`, undefined],
] as const;

describe.each(bodies)('the body of %s %s', (method, path, family) => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    owner.send(method, path(), body, { 'idempotency-key': randomUUID(), ...headers });

  it.each([
    ['nests 65 deep', `{"name":${'['.repeat(64)}${']'.repeat(64)}}`, 'too_deep'],
    ['names a key twice', '{"name":"a","name":"b"}', 'duplicate_key'],
    ['reaches for a prototype', '{"__proto__":{"name":"a"}}', 'forbidden_key'],
    ['reaches for a constructor', '{"constructor":{"prototype":{}}}', 'forbidden_key'],
    ['holds an integer beyond 2^53', '{"name":9007199254740993}', 'inexact_number'],
    ['holds a lone surrogate', '{"name":"\\ud800"}', 'invalid_text'],
    ['is cut short', '{"name":"a"', 'malformed_json'],
  ])('is 400 when it %s', async (_what, body, issue) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: family ?? 'validation_failed', issues: [{ code: issue }] });
  });

  it('is 413 over 1 MiB, and read at 1 MiB', async () => {
    const body = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - '{"name":""}'.length) });
    expect((await send(body(1024 * 1024))).status).toBe(400);
    const { status, body: answer } = await send(body(1024 * 1024 + 1));
    expect([status, answer.error.code]).toEqual([413, family ?? 'payload_too_large']);
  });

  it('is 415 when it is compressed or no JSON', async () => {
    for (const [name, value] of [
      ['content-encoding', 'gzip'],
      ['content-type', 'text/plain'],
      ['content-type', 'multipart/form-data; boundary=x'],
    ] as const) {
      const { status, body } = await send('{}', { [name]: value });
      expect([status, body.error.code]).toEqual([415, family ?? 'unsupported_media_type']);
    }
  });

  it('is not read from somebody without a token', async () => {
    const { status, headers, body } = await app.anonymous.send(method, path(), 'x'.repeat(2 * 1024 * 1024));
    expect([status, body.error.code]).toEqual([401, 'owner_unauthorized']);
    expect(headers['www-authenticate']).toBe('Bearer');
  });
});

describe('a route', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/nothing'],
    ['GET', '/Organizations'],
  ])('%s %s is 404 route_not_found', async (method, path) => {
    const { status, body } = await owner.send(method, path);
    expect([status, body]).toEqual([
      404,
      expect.objectContaining({ success: false, statusCode: 404, error: { code: 'route_not_found' } }),
    ]);
  });

  it.each([
    ['PUT', '/organizations', 'GET, POST'],
    ['HEAD', '/organizations', 'GET, POST'],
    ['OPTIONS', '/owner-tokens', 'GET, POST'],
    ['POST', '/organizations/x/work-dispatch', 'GET, PUT'],
    ['DELETE', '/health/live', 'GET, HEAD'],
    ['POST', '/docs', 'GET'],
  ])('%s %s is 405', async (method, path, allow) => {
    for (const client of [owner, app.anonymous]) {
      const { status, headers } = await client.send(method, path);
      expect([status, headers.allow]).toEqual([405, allow]);
    }
  });

  it('takes a token from the header only', async () => {
    for (const [path, body] of [
      [`/organizations?access_token=${owner.token}`, undefined],
      ['/owner-tokens', { name: 'a', access_token: owner.token }],
    ] as const)
      expect((await app.anonymous.send(body ? 'POST' : 'GET', path, body)).status).toBe(401);
  });
});

describe('every answer', () => {
  const answers = async (headers: Record<string, string>) => [
    await owner.get('/organizations', headers),
    await owner.post('/organizations', company(), { 'idempotency-key': randomUUID(), ...headers }),
    await owner.get('/organizations/nonsense', headers),
    await owner.get(`/organizations/${randomUUID()}`, headers),
    await owner.get('/nothing', headers),
    await owner.delete('/health/live', headers),
    await app.anonymous.get('/organizations', headers),
    await app.anonymous.get('/health/ready', headers),
  ];

  it('carries the caller’s request and trace id, and is kept out of caches', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const got = await answers({ 'x-request-id': 'mine-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(got.map(({ status }) => status)).toEqual([200, 201, 400, 404, 404, 405, 401, 200]);
    for (const { headers, body } of got) {
      expect(headers).toMatchObject({
        'x-request-id': 'mine-1',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(body.meta).toEqual({ timestamp: expect.any(String), requestId: 'mine-1', traceId });
    }
  });

  it('gets a request id of its own where the caller gave none that is safe', async () => {
    for (const { headers, body } of await answers({ 'x-request-id': 'a b\u00ff', traceparent: 'broken' })) {
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(body.meta).toEqual({ timestamp: expect.any(String), requestId: headers['x-request-id'] });
    }
  });
});

describe('health', () => {
  it('is live and ready for everybody', async () => {
    for (const [path, status] of [
      ['/health/live', 'live'],
      ['/health/ready', 'ready'],
    ] as const)
      expect(await app.anonymous.get(path)).toMatchObject({ status: 200, body: { success: true, data: { status } } });
  });

  it('is live but not ready while migrations are missing', async () => {
    const noCatalog = mkdtempSync(join(tmpdir(), 'no-catalog-'));
    const unmigrated = await TestApp.start({
      databaseUrl: await freshDatabase('empty'),
      env: { CATALOG_DIR: noCatalog },
    });
    const [live, ready] = [
      await unmigrated.anonymous.get('/health/live'),
      await unmigrated.anonymous.get('/health/ready'),
    ];
    await unmigrated.close();
    rmSync(noCatalog, { recursive: true });
    expect(live.status).toBe(200);
    expect([ready.status, ready.body.error]).toEqual([
      503,
      { code: 'service_unavailable', issues: [expect.objectContaining({ code: 'migrations_missing' })] },
    ]);
  });

  it('is ready but degraded while the object store takes nothing', async () => {
    const objectStoreDir = mkdtempSync(join(tmpdir(), 'objects-'));
    const storeless = await TestApp.start({ env: { OBJECT_STORE_DIR: objectStoreDir } });
    expect((await storeless.anonymous.get('/health/ready')).status).toBe(200);
    rmSync(objectStoreDir, { recursive: true });
    const [live, ready] = [
      await storeless.anonymous.get('/health/live'),
      await storeless.anonymous.get('/health/ready'),
    ];
    await storeless.close();
    expect(live.status).toBe(200);
    expect([ready.status, ready.body.data]).toEqual([200, { status: 'ready', degraded: ['object_store'] }]);
  });
});
