import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { listening } from '../../support/event-reader.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { queueTasks, startedRun } from '../../support/factories/work.ts';
import { SERVICE_TOKEN } from '../../support/test-app.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ env: { CORS_ALLOWED_ORIGINS: 'https://a.example' } });
let baseUrl: string;
let tasks: string;

beforeAll(async () => {
  baseUrl = await listening(app);
  await queueTasks(app, organization.id, 30);
  tasks = `/organizations/${organization.id}/tasks?limit=20`;
});

async function get(path: string, headers: Record<string, string>, method = 'GET') {
  const call = request(baseUrl + path, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${owner.token}`, ...headers },
  });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  return { status: response.statusCode, headers: response.headers, body };
}

/** Without what is of the call alone. */
const dataOf = (body: Buffer) => JSON.parse(body.toString()).data as unknown;

describe('a large answer', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0.1, gzip;q=0.9', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ])('is compressed for who accepts %s', async (accepted, encoding, decompress) => {
    const plain = await get(tasks, {});
    const { status, headers, body } = await get(tasks, { 'accept-encoding': accepted });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringContaining('Accept-Encoding'),
      'content-length': String(body.length),
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(body.length).toBeLessThan(plain.body.length / 2);
    expect(dataOf(decompress(body))).toEqual(dataOf(plain.body));
  });

  it.each(['', 'identity', 'deflate', 'gzip;q=0', 'br;q=0, gzip;q=0', 'x'.repeat(100), 'gzip;q=0.2, identity'])(
    'is plain for who accepts %j',
    async (accepted) => {
      const { headers, body } = await get(tasks, { 'accept-encoding': accepted });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers.vary).toContain('Accept-Encoding');
      expect(dataOf(body)).toHaveLength(20);
    },
  );

  it('tells caches of both: who asks for it, and from which page', async () => {
    const { headers } = await get(tasks, { 'accept-encoding': 'br', origin: 'https://a.example' });
    expect(headers.vary).toBe('Origin, Accept-Encoding');
  });

  it('is compressed where it is the document', async () => {
    const { headers, body } = await get('/docs-json', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
    expect(JSON.parse(brotliDecompressSync(body).toString())).toHaveProperty('openapi');
  });
});

describe('nothing else is compressed', () => {
  const compressed = { 'accept-encoding': 'gzip, br' };

  it('neither small answers, nor refusals', async () => {
    const { id } = await createTask(owner, organization.id);
    for (const path of [`/organizations/${organization.id}/tasks/${id}`, `${tasks}&x=${'x'.repeat(100)}`])
      expect((await get(path, compressed)).headers).not.toHaveProperty('content-encoding');
  });

  it('nor answers that may hold a secret: those of calls that change something, and those of runtimes', async () => {
    const text = 'x'.repeat(9_000);
    const body = { title: 'Large', spec: { objective: text } };
    const created = await owner.post(`/organizations/${organization.id}/tasks`, body, compressed);
    expect([created.status, created.text.length > 9_000, created.headers['content-encoding']]).toEqual([
      201,
      true,
      undefined,
    ]);
    const run = await startedRun(app, organization.id);
    const listed = await app.client(run.executionToken).get(`/internal/agent${tasks}`, compressed);
    expect([listed.status, listed.text.length > 4_096, listed.headers['content-encoding']]).toEqual([
      200,
      true,
      undefined,
    ]);
  });

  it('nor streams', async () => {
    const { headers } = await owner.peek(`/organizations/${organization.id}/events`, compressed);
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('nor metrics and health', async () => {
    for (const path of ['/health/ready', '/metrics'])
      expect((await get(path, { ...compressed, authorization: `Bearer ${SERVICE_TOKEN}` })).headers).not.toHaveProperty(
        'content-encoding',
      );
  });
});
