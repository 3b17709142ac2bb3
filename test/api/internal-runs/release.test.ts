import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Claimed,
  claimOne,
  endRest,
  lapseClaim,
  onRun,
  queueTask,
  queueTasks,
  rowsOf,
  start,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let claimed: Claimed;
beforeEach(async () => {
  await queueTask(app, organization.id);
  claimed = await claimOne(app, organization.id);
});

/** Seconds between a release and the end of the rest. */
const restOf = (request: { available_at: string; updated_at: string }) =>
  (Date.parse(request.available_at) - Date.parse(request.updated_at)) / 1_000;

const release = (overrides: Partial<Claimed> = {}) => {
  const { runRequestId, organizationId: id, leaseToken } = { ...claimed, ...overrides };
  return app.service.post(`/internal/run-requests/${runRequestId}/release`, { organizationId: id, leaseToken });
};

describe('POST /internal/run-requests/{runRequestId}/release: 200', () => {
  it('queues the work again behind a rest of a second, without counting an attempt', async () => {
    const { status, body } = await release();
    expect([status, body.data]).toEqual([200, { runRequestId: claimed.runRequestId, status: 'queued' }]);
    const { request } = await rowsOf(app, claimed);
    expect(request).toMatchObject({
      status: 'queued',
      ready: false,
      release_count: 1,
      attempt_count: 0,
      worker_id: null,
    });
    expect(restOf(request)).toBe(1);
    await endRest(app, claimed);
    expect((await claimOne(app, organization.id)).runRequestId).toBe(claimed.runRequestId);
  });

  it('lets others that are ready go first, whatever the priorities', async () => {
    await queueTasks(app, organization.id, 2, { priority: -1 });
    const handedOut = [claimed.runRequestId];
    for (let turn = 0; turn < 2; turn += 1) {
      await release();
      claimed = await claimOne(app, organization.id);
      handedOut.push(claimed.runRequestId);
    }
    expect(new Set(handedOut).size).toBe(3);
  });

  it('rests for longer with each release in a row, whatever lapses between, at most a minute', async () => {
    const rests: number[] = [];
    for (let time = 1; time <= 8; time += 1) {
      await release();
      rests.push(restOf((await rowsOf(app, claimed)).request));
      await endRest(app, claimed);
      claimed = await claimOne(app, organization.id);
      if (time !== 4) continue;
      await lapseClaim(app, claimed);
      await app.runJob('run-claims-lapsed');
      claimed = await claimOne(app, organization.id);
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect((await rowsOf(app, claimed)).request).toMatchObject({ release_count: 8, lapse_count: 1 });
  });

  it('begins the row anew behind a start', async () => {
    for (let time = 0; time < 2; time += 1) {
      await release();
      await endRest(app, claimed);
      claimed = await claimOne(app, organization.id);
    }
    const runId = randomUUID();
    await start(app, claimed, { runId });
    const error = { code: 'failed', message: 'It failed.', retryable: true, retryAfterSeconds: 0 };
    await onRun(app, { ...claimed, runId }, 'fail', { error });
    claimed = await claimOne(app, organization.id);
    await release();
    const { request } = await rowsOf(app, claimed);
    expect([restOf(request), request.release_count]).toEqual([1, 3]);
  });

  it('is what `why` says', async () => {
    await release();
    const { body } = await owner.get(`/organizations/${organization.id}/tasks/${claimed.taskId}/why`);
    expect(body.data).toMatchObject({
      nextMover: { kind: 'run_request', until: expect.any(String) },
      explanation: 'The request rests because a worker gave it back; others go first.',
    });
  });
});

describe('POST /internal/run-requests/{runRequestId}/release: 400', () => {
  it('wants the token', async () => {
    const { status, body } = await app.service.post(`/internal/run-requests/${claimed.runRequestId}/release`, {
      organizationId: organization.id,
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
