import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { type Claimed, claimOne, lapseClaim, queueTask, rowsOf, start } from '../../support/work.ts';

let app: TestApp;
let owner: Client;
let organizationId: string;
let claimed: Claimed;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.person();
});
afterAll(() => app.close());
beforeEach(async () => {
  organizationId = await organizationOf(owner);
  await queueTask(app, organizationId);
  claimed = await claimOne(app, organizationId);
});

const release = (overrides: Partial<Claimed> = {}) => {
  const { runRequestId, organizationId: id, leaseToken } = { ...claimed, ...overrides };
  return app.service.post(`/internal/run-requests/${runRequestId}/release`, { organizationId: id, leaseToken });
};

describe('POST /internal/run-requests/{runRequestId}/release: 200', () => {
  it('queues the work again at once, without counting an attempt', async () => {
    const { status, body } = await release();
    expect([status, body.data]).toEqual([200, { runRequestId: claimed.runRequestId, status: 'queued' }]);
    const { request } = await rowsOf(app, claimed);
    expect(request).toMatchObject({
      status: 'queued',
      ready: true,
      release_count: 1,
      attempt_count: 0,
      worker_id: null,
    });
    expect((await claimOne(app, organizationId)).runRequestId).toBe(claimed.runRequestId);
  });
});

describe('POST /internal/run-requests/{runRequestId}/release: 400', () => {
  it('wants the token', async () => {
    const { status, body } = await app.service.post(`/internal/run-requests/${claimed.runRequestId}/release`, {
      organizationId,
    });
    expect([status, body.error.issues[0].path]).toEqual([400, 'leaseToken']);
  });
});

describe('POST /internal/run-requests/{runRequestId}/release: 401', () => {
  it('refuses an owner', async () => {
    const { status, body } = await owner.post(`/internal/run-requests/${claimed.runRequestId}/release`, {});
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('POST /internal/run-requests/{runRequestId}/release: 409', () => {
  it('refuses a claim that was started', async () => {
    await start(app, claimed);
    const before = await rowsOf(app, claimed);
    const { status, body } = await release();
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'already_started']);
    expect(await rowsOf(app, claimed)).toEqual(before);
  });

  it.each<[string, () => Promise<Partial<Claimed>>]>([
    ['another token', async () => ({ leaseToken: 'x'.repeat(43) })],
    ['an unknown request', async () => ({ runRequestId: randomUUID() })],
    ['an unknown organization', async () => ({ organizationId: randomUUID() })],
    ['a lapsed claim', async () => (await lapseClaim(app, claimed), {})],
    ['a claim that was given back', async () => (await release(), {})],
  ])('refuses %s', async (_what, given) => {
    const overrides = await given();
    const before = await rowsOf(app, claimed);
    const { status, body } = await release(overrides);
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect(await rowsOf(app, claimed)).toEqual(before);
  });
});
