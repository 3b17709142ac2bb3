import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Egress, EgressResult } from '../../../src/kernel/egress/index.ts';
import { Outside } from '../../support/peers/outside.ts';
import { until } from '../../support/until.ts';

let outside: Outside;
let egress: Egress;
let url: string;
/** Requests that came and wait for their answer, by path. */
const held = new Map<string, ServerResponse>();
const results: Promise<EgressResult>[] = [];

beforeEach(async () => {
  outside = await Outside.start();
  egress = outside.egress();
  url = await outside.host('slow.example', (request, response) => held.set(request.url!, response));
});
afterEach(async () => {
  for (const response of held.values()) response.end();
  await Promise.all(results);
  held.clear();
  results.length = 0;
  outside.stop();
});

/** Sends a request for an organization to a path of its own. */
function send(organization: string | undefined, path: string, totalMs = 20_000): Promise<EgressResult> {
  const result = egress.send({
    url: `${url}${path}`,
    method: 'GET',
    limits: { totalMs, maxBytes: 1_000 },
    hosts: 'public',
    ...(organization === undefined ? {} : { organization: { id: organization, blockedDomains: [] } }),
  });
  results.push(result);
  return result;
}

const arrived = (count: number) => until(`${count} requests have arrived`, () => held.size >= count);
const hasArrived = (path: string) => until(`the request to ${path} has arrived`, () => held.has(path));

describe('of one organization', () => {
  it('four requests are on their way at once; the fifth waits, and another organization passes it', async () => {
    for (let each = 1; each <= 5; each += 1) void send('acme', `/acme/${each}`);
    await arrived(4);
    void send('other', '/other');
    await hasArrived('/other');
    expect([...held.keys()].sort()).toEqual(['/acme/1', '/acme/2', '/acme/3', '/acme/4', '/other']);
    held.get('/acme/2')!.end();
    await hasArrived('/acme/5');
  });

  it('a request that waits in vain has sent nothing when its total time is over', async () => {
    for (let each = 1; each <= 4; each += 1) void send('acme', `/acme/${each}`);
    await arrived(4);
    expect(await send('acme', '/acme/5', 300)).toMatchObject({ refusal: 'timeout', sent: false });
    held.get('/acme/1')!.end();
    void send('acme', '/acme/6');
    await hasArrived('/acme/6');
    expect(held.has('/acme/5')).toBe(false);
  });

  it('a thousand may wait, and one more is refused at once', async () => {
    for (let each = 1; each <= 4; each += 1) void send('acme', `/acme/${each}`);
    await arrived(4);
    for (let each = 0; each < 1_000; each += 1) void send('acme', '/acme/waiting', 2_000);
    expect(await send('acme', '/acme/refused')).toMatchObject({ refusal: 'timeout', sent: false });
    void send('other', '/other');
    await hasArrived('/other');
    expect(await Promise.all(results.slice(4, 1_004))).toEqual(
      Array(1_000).fill(expect.objectContaining({ refusal: 'timeout', sent: false })),
    );
  });
});

describe('of all', () => {
  it('32 requests are on their way at once; the 33rd waits', async () => {
    for (let each = 0; each < 32; each += 1) void send(`organization-${each % 8}`, `/${each}`);
    await arrived(32);
    void send('ninth', '/ninth');
    void send(undefined, '/deployment');
    expect(await send('tenth', '/tenth', 300)).toMatchObject({ refusal: 'timeout', sent: false });
    expect(held.size).toBe(32);
    held.get('/7')!.end();
    held.get('/8')!.end();
    await Promise.all([hasArrived('/ninth'), hasArrived('/deployment')]);
  });

  it('a refused or failed request gives its place back', async () => {
    for (let each = 0; each < 100; each += 1) void send('acme', '/refused', 1).catch(() => undefined);
    const failed = Array.from({ length: 100 }, () =>
      egress.send({
        url: 'https://nowhere.example/',
        method: 'GET',
        limits: { totalMs: 9_000, maxBytes: 1 },
        hosts: 'public',
      }),
    );
    await Promise.all([...failed, ...results]);
    void send('acme', '/after');
    await hasArrived('/after');
  });
});
