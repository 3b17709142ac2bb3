import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OwnerIdentities } from '../../../src/kernel/auth/index.ts';
import { Clock } from '../../../src/kernel/clock/index.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, organization } = useOrganization();
/** Each test begins with a new minute and so with no failed attempts. */
let nowMs = 0;

beforeAll(() => {
  jest.spyOn(app.app.get(Clock), 'monotonicMs').mockImplementation(() => nowMs);
});
beforeEach(() => {
  nowMs += 60_000;
});

const octets = { 'content-type': 'application/octet-stream' };
const BODIES = [
  ['that is no JSON', '{', {}],
  ['of another type', 'x', { 'content-type': 'text/plain' }],
  ['that is compressed', '{}', { 'content-encoding': 'gzip' }],
  ['of 2 MB', 'x'.repeat(2 * 1024 * 1024), {}],
  ['of 51 MB by what it says', '', { ...octets, 'content-length': String(51 * 1024 * 1024) }],
] as const;

/** A route of each scheme, with the code of its 401. */
const ROUTES = [
  ['POST', () => '/internal/run-requests/claim', 'agent_unauthorized'],
  ['POST', () => `/internal/agent/organizations/${organization.id}/tasks`, 'agent_unauthorized'],
  ['PUT', () => `/internal/agent/organizations/${organization.id}/artifacts/${'0'.repeat(64)}`, 'agent_unauthorized'],
  ['POST', () => `/organizations/${organization.id}/tasks`, 'owner_unauthorized'],
  [
    'PUT',
    () => `/organizations/${organization.id}/chats/${randomUUID()}/attachments/${randomUUID()}`,
    'owner_unauthorized',
  ],
] as const;

const TOKENS = {
  unknown: 'nobody-knows-this-token-at-all-01234',
  'an owner’s, forged': `brt_${'A'.repeat(43)}`,
  'an execution’s, forged': 'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
};

const UNKNOWN = { path: 'authorization', code: 'unknown_token', message: expect.any(String) };

describe.each(ROUTES)('%s %p: 401', (method, path, code) => {
  it.each(BODIES)('for an unknown token with a body %s', async (_what, body, headers) => {
    for (const token of Object.values(TOKENS)) {
      const answer = await app.client(token).send(method, path(), body, headers);
      expect([answer.status, answer.body.error]).toEqual([401, { code, issues: [UNKNOWN] }]);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('for each attempt, and 429 after 20 of them', async () => {
    const attempt = () => app.client(TOKENS.unknown).send(method, path(), '{');
    for (let n = 0; n < 20; n += 1) expect((await attempt()).status).toBe(401);
    const { status, body, headers } = await attempt();
    expect([status, body.error.code, headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
  });
});

it('has its own code under /organizations for an execution that may not go there', async () => {
  const { id } = organization;
  for (const [claims, method, path] of [
    [{ organizationId: randomUUID() }, 'GET', `/organizations/${id}/knowledge`],
    [{ organizationId: id, mode: 'verify' }, 'POST', `/organizations/${id}/learning/growth/refresh`],
  ] as const) {
    const { status, body } = await (await app.execution(claims)).send(method, path);
    expect([status, body.error.code]).toEqual([401, 'owner_unauthorized']);
  }
});

it('asks once who it is', async () => {
  const identify = jest.spyOn(app.app.get(OwnerIdentities), 'identify');
  expect((await (await app.person()).get('/organizations')).status).toBe(200);
  // The administrator's, who made the token, and the person's.
  expect(identify).toHaveBeenCalledTimes(2);
});
