import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestApp } from '../../support/test-app.ts';
import {
  type ClaimedTurn,
  claimTurn,
  heldTurn,
  onTurn,
  streamingTurn,
  turnRow,
} from '../../support/factories/turns.ts';
import {
  allowRuns,
  claim,
  claimOne,
  onRun,
  queueTask,
  queueTasks,
  rowsOf,
  startClaimed,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let workerId: string;
beforeEach(() => {
  workerId = `worker-${organization.id}`;
});

const recover = (bootId: string = randomUUID(), rest: { alone?: boolean } = {}) =>
  app.service.post(`/internal/workers/${workerId}/recover`, { bootId, ...rest });
/** As if the last sign of life had come so long ago; the silence that counts is 30 seconds. */
const age = async (seconds: number) => {
  const then = `clock_timestamp() - interval '${seconds} seconds'`;
  await app.db.query(`update run set heartbeat_at = ${then} where organization_id = $1`, [organization.id]);
  await app.db.query(`update run_request set claimed_at = ${then} where organization_id = $1`, [organization.id]);
  await app.db.query(`update message set heartbeat_at = ${then} where organization_id = $1 and leased`, [
    organization.id,
  ]);
};

describe('POST /internal/workers/{workerId}/recover: 200', () => {
  it('gives back claims and runs of earlier boots that were silent', async () => {
    await queueTask(app, organization.id);
    const run = await startClaimed(app, organization.id);
    await queueTask(app, organization.id);
    const claimed = await claimOne(app, organization.id, { workerId });
    await age(31);
    const { status, body } = await recover();
    expect([status, body.data]).toEqual([
      200,
      { runs: [run.runId], claims: [claimed.runRequestId], turns: [], retryAfterMs: null },
    ]);
    expect((await rowsOf(app, claimed)).request).toMatchObject({ status: 'queued', ready: true, release_count: 0 });
    const { task, request, runs } = await rowsOf(app, run);
    expect([runs[0].status, runs[0].error.code]).toEqual(['expired', 'lease_expired']);
    // At once: nobody reported a failure.
    expect([task.status, request.status, request.ready]).toEqual(['pending', 'queued', true]);
    expect((await onRun(app, run, 'heartbeat')).body.error.code).toBe('run_lease_expired');
    expect((await recover()).body.data).toEqual({ runs: [], claims: [], turns: [], retryAfterMs: null });
  });

  it('takes a lease that three beats do not divide into even periods', async () => {
    const other = await TestApp.start({ env: { RUN_LEASE_SECONDS: '10' } });
    try {
      await queueTask(app, organization.id);
      const run = await startClaimed(app, organization.id);
      const path = `/internal/workers/${workerId}/recover`;
      const fresh = await other.service.post(path, { bootId: randomUUID() });
      expect([fresh.status, fresh.body.data.runs]).toEqual([200, []]);
      expect(fresh.body.data.retryAfterMs).toBeGreaterThan(0);
      await age(6);
      expect((await other.service.post(path, { bootId: randomUUID() })).body.data.runs).toEqual([run.runId]);
    } finally {
      await other.close();
    }
  });

  it('gives several claims of one organization back, of which nothing was ready any more', async () => {
    await allowRuns(app, organization.id, 40);
    await queueTasks(app, organization.id, 40);
    const { body: claims } = await claim(app, organization.id, { workerId, limit: 40 });
    await app.db.query(`update organization_dispatch set next_ready_at = null where organization_id = $1`, [
      organization.id,
    ]);
    await age(31);
    const { status, body } = await recover();
    expect(status).toBe(200);
    expect(new Set(body.data.claims)).toEqual(
      new Set(claims.data.map(({ runRequestId }: { runRequestId: string }) => runRequestId)),
    );
    expect((await claim(app, organization.id, { limit: 40 })).body.data).toHaveLength(40);
  });

  it('leaves what is fresh, and says when to ask again', async () => {
    await queueTask(app, organization.id);
    const run = await startClaimed(app, organization.id);
    await queueTask(app, organization.id);
    await claimOne(app, organization.id, { workerId });
    await age(10);
    const { data } = (await recover()).body;
    expect(data).toMatchObject({ runs: [], claims: [] });
    expect(data.retryAfterMs).toBeGreaterThan(15_000);
    expect(data.retryAfterMs).toBeLessThanOrEqual(20_000);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(200);
  });

  it('gives back what is fresh too, for a worker that is alone', async () => {
    await queueTask(app, organization.id);
    const run = await startClaimed(app, organization.id);
    await queueTask(app, organization.id);
    const claimed = await claimOne(app, organization.id, { workerId });
    const turn = await heldTurn(app, organization.id, { workerId });
    const { status, body } = await recover(randomUUID(), { alone: true });
    expect([status, body.data]).toEqual([
      200,
      { runs: [run.runId], claims: [claimed.runRequestId], turns: [turn.turnId], retryAfterMs: null },
    ]);
    expect((await onRun(app, run, 'heartbeat')).body.error.code).toBe('run_lease_expired');
    expect((await onTurn(app, turn, 'heartbeat')).body.error.code).toBe('run_lease_expired');
  });

  it('leaves what this boot holds, for one that is alone too', async () => {
    await queueTask(app, organization.id);
    const bootId = randomUUID();
    const claimed = await claimOne(app, organization.id, { workerId, bootId });
    const { body } = await recover(bootId, { alone: true });
    expect(body.data).toMatchObject({ claims: [], retryAfterMs: null });
    expect((await rowsOf(app, claimed)).request.status).toBe('claimed');
  });

  it('leaves what this boot and other workers hold', async () => {
    await queueTask(app, organization.id);
    const run = await startClaimed(app, organization.id);
    await age(31);
    const own = await recover(run.bootId);
    workerId = 'another';
    const others = await recover();
    for (const { body } of [own, others])
      expect(body.data).toEqual({ runs: [], claims: [], turns: [], retryAfterMs: null });
    expect((await rowsOf(app, run)).runs[0].status).toBe('starting');
  });
});

describe('POST /internal/workers/{workerId}/recover: 200, of chat turns', () => {
  it('gives back turns of earlier boots that were silent', async () => {
    const held = await heldTurn(app, organization.id);
    const streaming = await streamingTurn(app, organization.id);
    await age(31);
    const { body } = await recover();
    expect(new Set(body.data.turns)).toEqual(new Set([held.turnId, streaming.turnId]));
    expect(body.data.retryAfterMs).toBeNull();
    expect(await turnRow(app, held)).toMatchObject({ status: 'pending', leased: false, attempt: 0 });
    expect(await turnRow(app, streaming)).toMatchObject({ status: 'pending', leased: false, attempt: 1, draft: 2 });
    expect((await onTurn(app, streaming, 'heartbeat')).body.error.code).toBe('run_lease_expired');
    expect((await claimTurn(app, organization.id)).turnId).toBe(held.turnId);
  });

  it('leaves what is fresh, what this boot holds, and what others do', async () => {
    const bootId = randomUUID();
    const turns: ClaimedTurn[] = [await heldTurn(app, organization.id, { bootId })];
    turns.push(await heldTurn(app, organization.id, { workerId: 'another' }));
    await age(31);
    turns.push(await heldTurn(app, organization.id));
    const { data } = (await recover(bootId)).body;
    expect(data.turns).toEqual([]);
    expect(data.retryAfterMs).toBeGreaterThan(20_000);
    for (const turn of turns) expect((await onTurn(app, turn, 'heartbeat')).status).toBe(200);
  });
});

describe('POST /internal/workers/{workerId}/recover: 400', () => {
  it.each([
    ['no boot', {}],
    ['a boot that is no UUID', { bootId: '7' }],
  ])('refuses %s', async (_what, body) => {
    const answer = await app.service.post(`/internal/workers/${workerId}/recover`, body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, 'bootId']);
  });
  it('refuses a long worker', async () => {
    workerId = 'x'.repeat(201);
    expect((await recover()).body.error.issues[0].path).toBe('workerId');
  });
});

describe('POST /internal/workers/{workerId}/recover: 401', () => {
  it('refuses an owner', async () => {
    const { status, body } = await owner.post(`/internal/workers/${workerId}/recover`, { bootId: randomUUID() });
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});
