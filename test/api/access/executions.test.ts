import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Config } from '../../../src/config/index.ts';
import {
  Capabilities,
  type ExecutionClaims,
  type ExecutionPrincipal,
  LiveExecutions,
} from '../../../src/kernel/auth/index.ts';
import { Clock } from '../../../src/kernel/clock/index.ts';
import { sql } from '../../../src/kernel/database/index.ts';
import { buildDocument } from '../../../src/kernel/http/index.ts';
import { type Answer, Client, organizationOf } from '../../support/client.ts';
import { SERVICE_TOKEN, TestApp } from '../../support/test-app.ts';
import { callers, startProbe } from './execution-probe.ts';

let app: TestApp;
let probe: NestFastifyApplication;
let owner: Awaited<ReturnType<TestApp['person']>>;
let organizationId: string;
let profileId: string;
/** Each test begins with a new minute and so with no failed attempts. */
let nowMs = 0;

beforeAll(async () => {
  app = await TestApp.start();
  probe = await startProbe(app.app.get(Config));
  jest.spyOn(probe.get(Clock), 'monotonicMs').mockImplementation(() => nowMs);
});
beforeEach(async () => {
  nowMs += 60_000;
  owner = await app.person();
  organizationId = await organizationOf(owner);
  profileId = (await owner.get(`/organizations/${organizationId}/agent-profiles`)).body.data[0].id as string;
});
afterAll(async () => {
  await probe.close();
  await app.close();
});

/** A run of the organization; `executionId` names a profile. */
const token = async (claims: Partial<ExecutionClaims> = {}) =>
  (await app.execution({ organizationId, executionId: profileId, ...claims })).token!;
const pathTo = (route: string) => `/internal/agent/organizations/${organizationId}/${route}`;
const as = (bearer: string | undefined, route = 'read', method = 'GET') =>
  new Client({ app: probe }, bearer).send(method, pathTo(route));
const ROUTES = [
  ['read', 'GET'],
  ['hot', 'POST'],
  ['work', 'POST'],
  ['enabled', 'PUT'],
] as const;

async function namesInDatabase(): Promise<string[]> {
  const { rows } = await app.db.query<{ name: string }>(
    'select distinct name from agent_profile where organization_id = $1',
    [organizationId],
  );
  return rows.map(({ name }) => name);
}

/** That all routes answer like this, and that nothing was written. */
async function expectRefused(
  bearer: string,
  status: number,
  code: string,
  routes: readonly (typeof ROUTES)[number][] = ROUTES,
) {
  const before = await namesInDatabase();
  const answers: Answer[] = [];
  for (const [route, method] of routes) {
    const answer = await as(bearer, route, method);
    expect([route, answer.status, answer.body.error?.code]).toEqual([route, status, code]);
    answers.push(answer);
  }
  expect((await namesInDatabase()).sort()).toEqual(before.sort());
  return answers;
}

const unauthorized = async () => ({ ...(await as('forged')).body, meta: null });

describe('an execution: 200', () => {
  it('reads and writes in its organization while it lives', async () => {
    const bearer = await token();
    for (const [route, method] of ROUTES)
      expect([route, (await as(bearer, route, method)).status]).toEqual([route, 200]);
    expect(await namesInDatabase()).toEqual(['enabled']);
    const others = await app.db.query(`select from agent_profile where name = 'enabled' and organization_id <> $1`, [
      organizationId,
    ]);
    expect(others.rowCount).toBe(0);
  });

  it('stands in the activity log as its agent', async () => {
    const agentProfileId = randomUUID();
    await as(await token({ agentProfileId, profileKey: 'growth' }), 'work', 'POST');
    const { body } = await owner.get(`/organizations/${organizationId}/activity?verb=organization.updated`);
    expect(body.data).toMatchObject([{ actor: { kind: 'agent', id: agentProfileId, name: 'growth' } }]);
  });

  it('with the key before the present one', async () => {
    const [, ...capabilityKeys] = app.app.get(Config).capabilityKeys;
    const old = new Capabilities(Object.assign(Object.create(app.app.get(Config)), { capabilityKeys }));
    const genuine = (await app.app.get(Capabilities).verify(await token()))!;
    expect((await as(old.issue(genuine))).status).toBe(200);
  });

  it('however the organization is spelled in the path', async () => {
    const path = pathTo('read').replace(organizationId, organizationId.toUpperCase());
    expect((await new Client({ app: probe }, await token()).get(path)).status).toBe(200);
  });

  it('to end what it does with a disabled profile, but not to start something new', async () => {
    await app.db.query(`update agent_profile set status = 'disabled' where id = $1`, [profileId]);
    const bearer = await token();
    expect((await as(bearer)).status).toBe(200);
    await expectRefused(bearer, 409, 'state_conflict', [['enabled', 'PUT']]);
  });
});

describe('an execution: 401', () => {
  it('with a token that has expired by the database’s clock, in the words for a forged one', async () => {
    const expired = await token({ expiresAt: '2026-01-01T00:00:00.000000Z' });
    const answers = await expectRefused(expired, 401, 'agent_unauthorized');
    for (const { body, headers } of answers) {
      expect({ ...body, meta: null }).toEqual(await unauthorized());
      expect(headers['www-authenticate']).toBe('Bearer');
    }
    const { rows } = await app.db.query<{ soon: string }>(
      `select to_char((clock_timestamp() + interval '1 minute') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as soon`,
    );
    expect((await as(await token({ expiresAt: rows[0]!.soon }))).status).toBe(200);
  });

  it.each(['onboarding', 'deleting'])('of an organization that is %s', async (status) => {
    await app.db.query('update organization set status = $2 where id = $1', [organizationId, status]);
    await expectRefused(await token(), 401, 'agent_unauthorized');
    // Whether or not the execution lives.
    await expectRefused(await token({ executionId: randomUUID() }), 401, 'agent_unauthorized');
  });

  it('of an organization that there is not', async () => {
    organizationId = randomUUID();
    await expectRefused(await token(), 401, 'agent_unauthorized');
  });

  it('in another organization', async () => {
    const elsewhere = await organizationOf(owner);
    const [first] = await expectRefused(await token({ organizationId: elsewhere }), 401, 'agent_unauthorized');
    expect({ ...first!.body, meta: null }).toEqual(await unauthorized());
  });

  it('of the wrong kind for the route', async () => {
    const expectEach = async (
      route: string,
      wrong: Partial<ExecutionClaims>,
      right: Partial<ExecutionClaims>,
      issue = 'wrong_kind',
    ) => {
      const { status, body } = await as(await token(wrong), route);
      expect([route, status, body.error]).toMatchObject([
        route,
        401,
        { code: 'agent_unauthorized', issues: [{ path: 'authorization', code: issue }] },
      ]);
      expect([route, (await as(await token(right), route)).status]).toEqual([route, 200]);
    };
    const turn = { execution: 'chat_turn', profileKind: 'chat', mode: null } as const;
    await expectEach('turns', {}, turn);
    await expectEach('operators', {}, { profileKind: 'operator' }, 'not_for_this_profile');
    await expectEach('not-verifying', { mode: 'verify' }, { mode: 'plan' });
    // A chat turn has no mode that could be wrong.
    expect((await as(await token(turn), 'not-verifying')).status).toBe(200);
  });

  it('on the routes of others, as others are on its own', async () => {
    expect((await as(await token(), 'runtimes')).status).toBe(401);
    const organization = await new Client({ app: probe }, await token()).get(`/organizations/${organizationId}`);
    expect([organization.status, organization.body.error.code]).toEqual([401, 'owner_unauthorized']);
    for (const [wrong, issues] of [
      [undefined, undefined],
      [SERVICE_TOKEN, [{ code: 'wrong_kind' }]],
      [owner.token, [{ code: 'wrong_kind' }]],
    ] as const) {
      const { status, body } = await as(wrong);
      expect([status, body.error]).toMatchObject([401, { code: 'agent_unauthorized', ...(issues && { issues }) }]);
    }
  });

  it('counts as a failed attempt when the token is wrong for the route', async () => {
    const wrong = await token({ organizationId: randomUUID() });
    for (let n = 0; n < 20; n += 1) expect((await as(wrong)).status).toBe(401);
    expect((await as(wrong)).status).toBe(429);
    expect((await as(await token())).status).toBe(200);
  });
});

describe('an execution: 409', () => {
  it.each<[string, () => Partial<ExecutionClaims>]>([
    ['is unknown', () => ({ executionId: randomUUID() })],
    ['has another lease by now', () => ({ generation: 2 })],
  ])('that %s', async (_what, claims) => {
    await expectRefused(await token(claims()), 409, 'state_conflict');
  });

  it('that stands in another organization', async () => {
    const [, elsewhere] = [organizationId, await organizationOf(owner)];
    const { body } = await owner.get(`/organizations/${elsewhere}/agent-profiles`);
    await expectRefused(await token({ executionId: body.data[0].id }), 409, 'state_conflict');
  });

  it('that has ended, however fresh its token', async () => {
    const bearer = await token();
    expect((await as(bearer)).status).toBe(200);
    await app.db.query('update agent_profile set deleted_at = clock_timestamp() where id = $1', [profileId]);
    await expectRefused(bearer, 409, 'state_conflict');
  });
});

describe('a route for owners and executions', () => {
  it('lets in both, and tells its handler whom', async () => {
    callers.length = 0;
    for (const bearer of [owner.token, await token()]) expect((await as(bearer, 'either')).status).toBe(200);
    expect(callers).toEqual(['owner', 'execution']);
  });

  it('refuses everybody else with the code of executions', async () => {
    const turn = await token({ execution: 'chat_turn' });
    for (const wrong of [undefined, 'forged', SERVICE_TOKEN, turn, await token({ organizationId: randomUUID() })]) {
      const { status, body } = await as(wrong, 'either');
      expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
    }
  });
});

describe('the document', () => {
  it('shows who may call, and what an execution may be answered', () => {
    const { paths, components } = buildDocument(probe, 'http://127.0.0.1');
    const operation = (route: string) => paths[`/internal/agent/organizations/{organizationId}/${route}`]!.get!;
    expect(components?.securitySchemes).toMatchObject({ agentExecutionCapability: { type: 'http', scheme: 'bearer' } });
    expect(operation('read').security).toEqual([{ agentExecutionCapability: [] }]);
    expect(Object.keys(operation('read').responses)).toEqual(['200', '400', '401', '409']);
    expect(JSON.stringify(operation('read').responses)).toMatch(/AgentUnauthorized.*StateConflict/);
    expect(operation('either').security).toEqual([{ ownerToken: [] }, { agentExecutionCapability: [] }]);
    expect(Object.keys(operation('either').responses)).toEqual(['200', '400', '401', '404', '409']);
  });
});

describe('the kinds of executions', () => {
  it('are each known to one module, and to one only', () => {
    const live = new LiveExecutions();
    expect(() => live.access({ execution: 'chat_turn' } as ExecutionPrincipal)).toThrow('chat_turn');
    const none = () => sql<never>`select`;
    const statements = { state: none, boundTo: none, hold: none };
    live.register('chat_turn', statements);
    expect(() => live.register('chat_turn', statements)).toThrow('chat_turn');
  });
});
