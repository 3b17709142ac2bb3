import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { listening } from '../../support/event-reader.ts';
import { organizationOf } from '../../support/client.ts';
import { scrape } from '../../support/scrape.ts';
import { until } from '../../support/until.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let baseUrl: string;
beforeAll(async () => {
  baseUrl = await listening(app);
});

const durations = 'http_request_duration_seconds';
const counted = async (method: string, route: string, status: string) =>
  (await scrape(app)).of(`${durations}_count`, { method, route, status }) ?? 0;

describe('the durations of requests', () => {
  it('are by method, pattern of the route and status', async () => {
    const id = await organizationOf(owner);
    const route = '/organizations/:organizationId';
    const before = [await counted('GET', route, '200'), await counted('GET', route, '404')];
    for (let call = 0; call < 3; call += 1) await owner.get(`/organizations/${id}`);
    await app.bootstrap.get('/organizations/00000000-0000-4000-8000-000000000000');
    expect([await counted('GET', route, '200'), await counted('GET', route, '404')]).toEqual([
      before[0]! + 3,
      before[1]! + 1,
    ]);
    const { series } = await scrape(app);
    const bounds = [...series.keys()].filter(
      (key) =>
        key.startsWith(`business_runner_${durations}_bucket`) &&
        key.includes(`${route}"`) &&
        key.includes('"200"') &&
        key.includes('"GET"'),
    );
    expect(bounds.map((key) => /le="([^"]+)"/.exec(key)![1])).toEqual([
      '0.005',
      '0.02',
      '0.1',
      '0.5',
      '2',
      '10',
      '+Inf',
    ]);
    expect(series.get(bounds.at(-1)!)).toBe(before[0]! + 3);
  });

  it('of what matches no route are one series for each status, whatever method and path were made up', async () => {
    const before = await counted('other', 'other', '404');
    for (let made = 0; made < 5; made += 1) await owner.get(`/made-up-${made}`);
    await owner.send('PROPFIND', '/made-up');
    await owner.send('DELETE', '/health/live');
    expect(await counted('other', 'other', '404')).toBe(before + 6);
    const names = [...(await scrape(app)).series.keys()].filter((key) => key.includes(durations));
    expect(names.filter((key) => /made-up|PROPFIND|DELETE/.test(key))).toEqual([]);
    expect(names.some((key) => key.includes('status="405"'))).toBe(true);
  });
});

describe('requests in flight', () => {
  it('are those without an end of their answer', async () => {
    const idle = (await scrape(app)).of('http_requests_in_flight')!;
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.write(`POST /organizations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n`);
    socket.write('Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{');
    const now = async () => (await scrape(app)).of('http_requests_in_flight');
    await until('it is in flight', async () => (await now()) === idle + 1);
    socket.end('}');
    await text(socket);
    await until('it is at its end', async () => (await now()) === idle);
  });
});
