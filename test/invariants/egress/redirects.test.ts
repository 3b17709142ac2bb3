import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS = { totalMs: 20_000, maxBytes: 1_000, redirects: 3 };
let outside: Outside;
/** Where the first host redirects to, and with which status. */
let answer: { status: number; location: string | undefined };
const came: { request: IncomingMessage; body: string }[] = [];
let first: string;
let second: string;

beforeAll(async () => {
  outside = await Outside.start();
  const note = async (request: IncomingMessage) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    came.push({ request, body });
  };
  first = await outside.host('first.example', async (request, response) => {
    await note(request);
    if (request.url === '/end') response.end('end');
    else response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location }).end();
  });
  second = await outside.host('second.example', async (request, response) => {
    await note(request);
    response.end('second');
  });
});
afterAll(() => outside.stop());
beforeEach(() => {
  came.length = 0;
  outside.attempts.length = 0;
});

function send(more: Partial<EgressRequest> = {}) {
  const request = { url: `${first}/`, method: 'GET', limits: LIMITS, hosts: 'public' } as const;
  return outside.egress({ localPeers: ['http://127.0.0.1:9'] }).send({ ...request, ...more });
}

const requests = () => came.map(({ request: { method, url, headers } }) => `${method} https://${headers.host}${url}`);

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is handed to the caller who wants none followed', async (status) => {
    answer = { status, location: 'http://127.0.0.1/' };
    const result = await send({ limits: { ...LIMITS, redirects: 0 } });
    expect(result).toMatchObject({ status, headers: { location: 'http://127.0.0.1/' }, url: `${first}/` });
    expect(requests()).toHaveLength(1);
  });

  it.each([
    ['http://second.example/', 'not_https'],
    ['http://127.0.0.1/', 'not_https'],
    ['https://127.0.0.1/', 'refused_address'],
    ['https://0x7f.1:8443/', 'refused_address'],
    ['//169.254.169.254/latest/meta-data/', 'refused_address'],
    ['https://[::ffff:10.0.0.1]/', 'refused_address'],
    ['https://localhost/', 'refused_address'],
    ['https://inside.example/', 'refused_address'],
    ['https://user:password@second.example/', 'refused_address'],
    ['https://second.example:25/', 'refused_address'],
    ['https://www.blocked.example/', 'blocked_domain'],
    ['file:///etc/passwd', 'not_https'],
    ['gopher://second.example/', 'not_https'],
    ['https://[::1', 'redirect'],
  ])('to %s is refused as %s', async (location, refusal) => {
    outside.names.host('inside.example', ['10.0.0.1']);
    answer = { status: 302, location };
    const organization = { id: 'acme', blockedDomains: ['blocked.example'] };
    expect(await send({ organization })).toMatchObject({ refusal, sent: true });
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
  });

  it('out of a list of origins is refused', async () => {
    answer = { status: 302, location: `${second}/` };
    expect(await send({ hosts: [first] })).toMatchObject({ refusal: 'refused_address', sent: true });
    expect(requests()).toHaveLength(1);
  });

  it('in a circle ends at the limit', async () => {
    answer = { status: 302, location: '/again' };
    expect(await send()).toMatchObject({ refusal: 'redirect', sent: true });
    expect(requests()).toEqual([`GET ${first}/`, ...Array(3).fill(`GET ${first}/again`)]);
  });

  it('without a location is an answer', async () => {
    answer = { status: 302, location: undefined };
    expect(await send()).toMatchObject({ status: 302 });
  });

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
    [308, 'DELETE', 'DELETE'],
  ])('%i makes of %s a %s', async (status, method, next) => {
    answer = { status, location: '/end' };
    const body = method === 'HEAD' ? undefined : 'text';
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer CANARY-egress' };
    expect(await send({ method, headers, ...(body && { body }) })).toMatchObject({ status: 200, url: `${first}/end` });
    expect(requests()).toEqual([`${method} ${first}/`, `${next} ${first}/end`]);
    const keepsBody = next === method && body !== undefined;
    expect(came[1]).toMatchObject({ body: keepsBody ? 'text' : '' });
    expect(came[1]!.request.headers['content-type']).toBe(keepsBody || !body ? 'text/plain' : undefined);
    expect(came[1]!.request.headers.authorization).toBe('Bearer CANARY-egress');
  });

  it('to another origin takes no credentials along, whatever header they are in', async () => {
    answer = { status: 302, location: `${second}/path` };
    const secrets = { Authorization: 'Bearer CANARY-egress', Cookie: 'a=CANARY-egress', 'X-Api-Key': 'CANARY-egress' };
    const headers = { ...secrets, 'Private-Token': 'CANARY-egress', Accept: 'text/plain' };
    expect(await send({ headers })).toMatchObject({ status: 200, url: `${second}/path` });
    expect(JSON.stringify(came[0]!.request.rawHeaders).match(/CANARY-egress/g)).toHaveLength(4);
    expect(came[1]!.request.headers).toEqual({
      host: 'second.example',
      connection: 'close',
      accept: 'text/plain',
      'accept-encoding': 'identity',
      'user-agent': 'business-runner',
    });
  });

  it.each([307, 308])('%i takes no body to another origin', async (status) => {
    answer = { status, location: `${second}/` };
    const result = await send({ method: 'POST', body: 'client_secret=CANARY-egress' });
    expect(result).toMatchObject({ refusal: 'redirect', sent: true });
    expect(requests()).toEqual([`POST ${first}/`]);
  });
});
