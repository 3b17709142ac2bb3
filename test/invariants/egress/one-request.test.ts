import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import type { EgressRequest, EgressResult } from '../../../src/kernel/egress/index.ts';
import { Metrics } from '../../../src/kernel/metrics/index.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS: EgressRequest['limits'] = { totalMs: 10_000, maxBytes: 1_000 };
const textOf = (result: EgressResult) => ('body' in result ? result.body.toString() : undefined);
let outside: Outside;

beforeAll(async () => {
  outside = await Outside.start();
});
afterAll(() => outside.stop());

describe('a request', () => {
  it('reaches a public host by the address that its name has, and brings its answer back', async () => {
    let came: { method: string; url: string; headers: IncomingHttpHeaders; body: string } | undefined;
    const origin = await outside.host('api.acme.example', async (request, response) => {
      const chunks = await request.setEncoding('utf8').toArray();
      came = { method: request.method!, url: request.url!, headers: request.headers, body: chunks.join('') };
      response.writeHead(201, { 'X-Answer': 'yes' }).end('created');
    });
    const result = await outside.egress().send({
      url: `${origin}/things?one=1#part`,
      method: 'POST',
      headers: { Authorization: 'Bearer CANARY-egress', 'Content-Type': 'text/plain' },
      body: 'a thing',
      limits: LIMITS,
      hosts: 'public',
    });
    expect(result).toMatchObject({ status: 201, headers: { 'x-answer': 'yes' }, url: `${origin}/things?one=1` });
    expect(textOf(result)).toBe('created');
    expect(outside.attempts).toEqual(['93.184.216.1:443']);
    expect(came).toEqual({
      method: 'POST',
      url: '/things?one=1',
      body: 'a thing',
      headers: {
        host: 'api.acme.example',
        connection: 'close',
        'user-agent': 'business-runner',
        'accept-encoding': 'identity',
        'content-length': '7',
        'content-type': 'text/plain',
        authorization: 'Bearer CANARY-egress',
      },
    });
  });

  it('is counted by how it ended', async () => {
    const metrics = new Metrics();
    const egress = outside.egress({}, metrics);
    const origin = await outside.host('counted.example', (_, response) => response.writeHead(500).end());
    for (const url of [origin, origin, 'https://127.0.0.1/', 'http://counted.example/'])
      await egress.send({ url, method: 'GET', limits: LIMITS, hosts: 'public' });
    const lines = (await metrics.scrape()).split('\n').filter((line) => / [1-9]/.test(line));
    expect(lines.filter((line) => /egress_\w+(_total|_count)/.test(line))).toEqual([
      'business_runner_egress_requests_total{outcome="answered"} 2',
      'business_runner_egress_requests_total{outcome="refused_address"} 1',
      'business_runner_egress_requests_total{outcome="not_https"} 1',
      'business_runner_egress_request_duration_seconds_count 4',
    ]);
    expect(await metrics.scrape()).toContain('business_runner_egress_requests_open 0');
  });
});
