import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { organizationOf } from '../../support/client.ts';
import type { TestApp } from '../../support/test-app.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const ORIGIN = 'https://app.example';
const OTHERS = ['https://app.example.evil', 'http://app.example', 'https://app.example:8443', 'null', ''];

const app = useTestApp({ env: { CORS_ALLOWED_ORIGINS: `${ORIGIN}, http://localhost:5173` } });
const closed = useTestApp();
const owner = usePerson(app);
let tasks: string;

beforeAll(async () => {
  tasks = `/organizations/${await organizationOf(owner)}/tasks`;
});

const preflight = (of: TestApp, path: string, origin: string, method = 'POST') =>
  of.anonymous.send('OPTIONS', path, undefined, {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });
const corsOf = (headers: Readonly<Record<string, unknown>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('a page of a listed origin', () => {
  it('is told what it may send, without a token', async () => {
    for (const origin of [ORIGIN, 'http://localhost:5173']) {
      const { status, headers, text } = await preflight(app, tasks, origin);
      expect([status, text]).toEqual([204, '']);
      expect(headers).toMatchObject({
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': expect.stringContaining('authorization'),
        'access-control-max-age': '600',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('reads answers and refusals of owner routes', async () => {
    for (const [client, status] of [
      [owner, 200],
      [app.anonymous, 401],
    ] as const) {
      const answer = await client.get(tasks, { origin: ORIGIN });
      expect([answer.status, answer.headers.vary]).toEqual([status, 'Origin']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    expect((await owner.get(`${tasks}/${randomUUID()}`, { origin: ORIGIN })).headers).toHaveProperty(
      'access-control-allow-origin',
    );
  });

  it('is not let in by a cookie', async () => {
    const headers = { origin: ORIGIN, cookie: `authorization=Bearer ${owner.token}` };
    expect((await app.anonymous.get(tasks, headers)).status).toBe(401);
  });

  it('may call no route of agents, and none that is not there', async () => {
    for (const [path, method, status] of [
      ['/internal/run-requests/claim', 'POST', 405],
      [tasks, 'DELETE', 405],
      ['/health/live', 'GET', 405],
      ['/nothing', 'GET', 404],
    ] as const) {
      const { status: got, headers } = await preflight(app, path, ORIGIN, method);
      expect([path, got, corsOf(headers)]).toEqual([path, status, []]);
    }
    expect(corsOf((await app.service.post('/internal/run-requests/claim', {}, { origin: ORIGIN })).headers)).toEqual(
      [],
    );
  });
});

describe('a page of any other origin', () => {
  it.each(OTHERS)('%p is told nothing', async (origin) => {
    const { status, headers } = await preflight(app, tasks, origin);
    expect([status, corsOf(headers)]).toEqual([405, []]);
    expect(corsOf((await owner.get(tasks, { origin })).headers)).toEqual([]);
  });
});

it('no page may call unless an origin is listed', async () => {
  const { status, headers } = await preflight(closed, tasks, ORIGIN);
  expect([status, corsOf(headers)]).toEqual([405, []]);
  const answer = await closed.client(owner.token).get(tasks, { origin: ORIGIN });
  expect([answer.status, corsOf(answer.headers), answer.headers.vary]).toEqual([200, [], undefined]);
});
