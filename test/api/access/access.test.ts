import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../../src/app.module.ts';
import { Config } from '../../../src/config/index.ts';
import { Clock } from '../../../src/kernel/clock/index.ts';
import { createAdapter, Draining, Endpoint } from '../../../src/kernel/http/index.ts';
import { type Answer, Client, organizationOf } from '../../support/client.ts';
import { BOOTSTRAP_TOKEN, OTHER_SERVICE_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
/** What the process takes for the time; each test begins with a new minute and so with no failed attempts. */
let nowMs = 0;

beforeAll(() => {
  jest.spyOn(app.app.get(Clock), 'monotonicMs').mockImplementation(() => nowMs);
});
beforeEach(() => {
  nowMs += 60_000;
});

const forged = `brt_${'A'.repeat(43)}`;
const withHeader = (authorization: string) => app.anonymous.get('/organizations', { authorization });

function expectUnauthorized(answer: Answer, code = 'owner_unauthorized'): void {
  expect([answer.status, answer.body.error.code]).toEqual([401, code]);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

describe('an owner route: 200', () => {
  it('for a right token, however the scheme is spelled', async () => {
    const { token } = await app.person();
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await withHeader(`${scheme} ${token}`)).status).toBe(200);
  });

  it('and what else calls itself a token is no key that a route knows', async () => {
    const person = await app.person();
    const path = `/organizations/${await organizationOf(person)}?access_token=${forged}`;
    const answer = await person.get(path);
    expect([answer.status, answer.body.error.issues]).toMatchObject([
      400,
      [{ path: 'access_token', code: 'unknown_property' }],
    ]);
    const { body } = await person.post('/owner-tokens', { name: 'x', access_token: forged });
    expect(body.error.issues).toMatchObject([{ path: 'access_token', code: 'unknown_property' }]);
  });

  it('with an identity that is known for 10 s', async () => {
    const person = await app.person();
    await person.get('/organizations');
    await app.db.query('delete from owner_token where id = $1', [person.tokenId]);
    nowMs += 9_999;
    expect((await person.get('/organizations')).status).toBe(200);
    nowMs += 1;
    expectUnauthorized(await person.get('/organizations'));
  });
});

describe('an owner route: 401', () => {
  it('without a token, or without anything that could be one', async () => {
    expectUnauthorized(await app.anonymous.get('/organizations'));
    for (const header of ['', 'Bearer', 'Bearer ', 'Basic YTpi', `Bearer ${forged} x`, `Bearer  ${forged}`, forged])
      expectUnauthorized(await withHeader(header));
    expectUnauthorized(await withHeader(`Bearer ${'A'.repeat(8_193)}`));
  });

  it('before the body is read', async () => {
    expectUnauthorized(await app.anonymous.post('/owner-tokens', '{broken'));
    expectUnauthorized(await app.anonymous.post('/owner-tokens', 'x', { 'content-type': 'text/plain' }));
  });

  it('alike for tokens that are forged, revoked or expired', async () => {
    const [revoked, expired] = [await app.person(), await app.person()];
    await revoked.delete(`/owner-tokens/${revoked.tokenId}`);
    await app.db.query('update owner_token set expires_at = clock_timestamp() where id = $1', [expired.tokenId]);
    const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJib290c3RyYXAifQ.';
    const wrong = [forged, 'brt_short', `${BOOTSTRAP_TOKEN}x`, jwt, revoked.token, expired.token];
    const bodies = [];
    for (const token of wrong) {
      const answer = await withHeader(`Bearer ${token}`);
      expectUnauthorized(answer);
      bodies.push({ ...answer.body, meta: null });
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(bodies[0].error.issues).toMatchObject([{ path: 'authorization', code: 'unknown_token' }]);
  });

  it('with the issue wrong_kind for a right token of another kind', async () => {
    const organizationId = await organizationOf(await app.person());
    for (const token of [SERVICE_TOKEN, (await app.execution({ organizationId })).token!]) {
      const answer = await withHeader(`Bearer ${token}`);
      expectUnauthorized(answer);
      expect(answer.body.error.issues).toMatchObject([{ path: 'authorization', code: 'wrong_kind' }]);
    }
  });

  it('for a right token in the query or the body', async () => {
    for (const key of ['access_token', 'token', 'authorization']) {
      const path = `/organizations?${key}=${BOOTSTRAP_TOKEN}`;
      expectUnauthorized(await app.anonymous.get(path));
      expectUnauthorized(await app.client(forged).get(path));
      const body = { name: 'x', [key]: BOOTSTRAP_TOKEN };
      expectUnauthorized(await app.anonymous.post('/owner-tokens', body));
      expectUnauthorized(await app.client(forged).post('/owner-tokens', body));
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expectUnauthorized(await app.anonymous.post('/owner-tokens', `access_token=${BOOTSTRAP_TOKEN}`, form));
  });
});

describe('wrong attempts: 429', () => {
  const attempt = () => withHeader(`Bearer ${forged}`);
  const exhaust = async () => {
    for (let n = 0; n < 20; n += 1) expectUnauthorized(await attempt());
  };

  it('after 20 in a minute, until it is over', async () => {
    await exhaust();
    const answer = await attempt();
    expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited']);
    expect(answer.headers['retry-after']).toBe('60');
    nowMs += 59_500;
    expect((await attempt()).headers['retry-after']).toBe('1');
    nowMs += 500;
    expectUnauthorized(await attempt());
  });

  it('never for a right token, nor for a request without one', async () => {
    const person = await app.person();
    await exhaust();
    expect((await attempt()).status).toBe(429);
    expect((await person.get('/organizations')).status).toBe(200);
    expect((await app.bootstrap.get('/organizations')).status).toBe(200);
    expectUnauthorized(await app.anonymous.get('/organizations'));
    expect((await app.anonymous.get('/health/live')).status).toBe(200);
  });

  it('by the address of the connection, whatever it says of itself', async () => {
    await exhaust();
    const headers = { authorization: `Bearer ${forged}`, 'x-forwarded-for': '203.0.113.9' };
    expect((await app.anonymous.get('/organizations', headers)).status).toBe(429);
    const elsewhere = await app.app.inject({ url: '/organizations', headers, remoteAddress: '203.0.113.9' });
    expect(elsewhere.statusCode).toBe(401);
  });
});

@Controller('internal/probe')
class ProbeController {
  @Get('service')
  @Endpoint({ summary: 'For runtimes', auth: 'service', returns: Object })
  service(): object {
    return {};
  }

  @Get('either')
  @Endpoint({ summary: 'For owners and runtimes', auth: ['owner', 'service'], scope: 'read', returns: Object })
  either(): object {
    return {};
  }
}

describe('a service route', () => {
  let probe: NestFastifyApplication;
  const as = (token: string | undefined, path = 'service') =>
    new Client({ app: probe }, token).get(`/internal/probe/${path}`);

  beforeAll(async () => {
    const config = app.app.get(Config);
    const draining = new Draining();
    class Probe {}
    probe = await NestFactory.create<NestFastifyApplication>(
      { module: Probe, imports: [AppModule.register(config, draining)], controllers: [ProbeController] },
      createAdapter({ draining }),
      { bodyParser: false, logger: false, abortOnError: false },
    );
    await probe.init();
    await probe.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => probe.close());

  it('200 for each of the tokens that overlap', async () => {
    for (const token of [SERVICE_TOKEN, OTHER_SERVICE_TOKEN]) expect((await as(token)).status).toBe(200);
  });

  it('401 agent_unauthorized for every other token', async () => {
    const { token } = await app.person();
    const list = `${SERVICE_TOKEN},${OTHER_SERVICE_TOKEN}`;
    for (const wrong of [undefined, token, BOOTSTRAP_TOKEN, SERVICE_TOKEN.slice(0, -1), `${SERVICE_TOKEN}x`, list])
      expectUnauthorized(await as(wrong), 'agent_unauthorized');
    expect((await as(token)).body.error.issues).toMatchObject([{ code: 'wrong_kind' }]);
    expect((await as(`${SERVICE_TOKEN}x`)).body.error.issues).toMatchObject([{ code: 'unknown_token' }]);
    expect((await as(undefined)).body.error.issues).toBeUndefined();
  });

  it('takes both kinds where it says so, and refuses with the code of its path', async () => {
    const { token } = await app.person();
    for (const right of [token, BOOTSTRAP_TOKEN, SERVICE_TOKEN, OTHER_SERVICE_TOKEN])
      expect((await as(right, 'either')).status).toBe(200);
    expectUnauthorized(await as(forged, 'either'), 'agent_unauthorized');
    expectUnauthorized(await as(undefined, 'either'), 'agent_unauthorized');
  });
});
