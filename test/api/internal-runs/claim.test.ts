import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import {
  allowRuns,
  CLAIM_PATH,
  type Claimed,
  claim,
  claimOne,
  lapseClaim,
  queueTask,
  queueTasks,
  rowsOf,
  start,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
// Enough for all that these tests claim.
beforeEach(() => allowRuns(app, organization.id, 20));

const ids = (answer: { body: { data: Claimed[] } }) => answer.body.data.map(({ runRequestId }) => runRequestId);

describe('POST /internal/run-requests/claim: 200', () => {
  it('holds ready work under a token of its own, for 30 seconds', async () => {
    const task = await queueTask(app, organization.id, { priority: 5 });
    const { status, body } = await claim(app, organization.id, { workerId: 'w' });
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        organizationId: organization.id,
        runRequestId: task.runRequestId,
        taskId: task.taskId,
        agentProfileId: expect.any(String),
        mode: 'execute',
        priority: 5,
        leaseToken: expect.stringMatching(/^[\w-]{43}$/),
        claimExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
      },
    ]);
    const { request } = await rowsOf(app, task);
    expect(request).toMatchObject({ status: 'claimed', worker_id: 'w', attempt_count: 0 });
    const leaseMs = request.claim_expires_at - request.claimed_at;
    expect(leaseMs).toBeGreaterThanOrEqual(29_990);
    expect(leaseMs).toBeLessThanOrEqual(30_010);
    expect(JSON.stringify(request)).not.toContain(body.data[0].leaseToken);
  });

  it('answers an empty array when nothing is ready', async () => {
    await queueTask(app, organization.id, { scheduledAt: `clock_timestamp() + interval '1 hour'` });
    const { status, body } = await claim(app, organization.id);
    expect([status, body.data, body.pagination]).toEqual([200, [], undefined]);
  });

  it('goes by priority, then class, then time', async () => {
    const late = await queueTask(app, organization.id);
    const background = await queueTask(app, organization.id, { kind: 'discovery', priority: 1 });
    const standard = await queueTask(app, organization.id, { priority: 1 });
    const later = await queueTask(app, organization.id);
    const answer = await claim(app, organization.id, { limit: 10 });
    expect(ids(answer)).toEqual([standard, background, late, later].map(({ runRequestId }) => runRequestId));
  });

  it.each([1, 10])('does so whosever profile the work is of, %i at a time', async (limit) => {
    const tasks = [];
    for (const [profile, priority] of [
      ['support', 1],
      ['growth', 3],
      ['support', 2],
      ['engineering', 2],
      ['growth', 1],
      ['support', 3],
    ] as const)
      tasks.push({ priority, ...(await queueTask(app, organization.id, { profile, priority })) });
    const claimed: string[] = [];
    while (claimed.length < tasks.length) claimed.push(...ids(await claim(app, organization.id, { limit })));
    const inOrder = tasks.toSorted((a, b) => b.priority - a.priority);
    expect(claimed).toEqual(inOrder.map(({ runRequestId }) => runRequestId));
  });

  it('goes by the order of what a filter leaves', async () => {
    await queueTask(app, organization.id, { profile: 'growth', priority: 9 });
    const low = await queueTask(app, organization.id, { profile: 'growth', phase: 'plan', priority: 1 });
    const high = await queueTask(app, organization.id, { profile: 'support', phase: 'plan', priority: 5 });
    const answers = [];
    for (let call = 0; call < 3; call += 1)
      answers.push(...ids(await claim(app, organization.id, { modes: ['plan'], executionClasses: ['standard'] })));
    expect(answers).toEqual([high.runRequestId, low.runRequestId]);
  });

  it('passes by the work of profiles that may not start', async () => {
    await queueTasks(app, organization.id, 3, { profile: 'growth', priority: 9 });
    await queueTasks(app, organization.id, 3, { profile: 'support', priority: 8 });
    const tasks = await queueTasks(app, organization.id, 3, { profile: 'engineering' });
    await app.db.query(`update agent_profile set status = 'disabled' where organization_id = $1 and key = 'growth'`, [
      organization.id,
    ]);
    await app.db.query(
      `update profile_capacity l set max_live_runs = 0 from agent_profile p
     where l.organization_id = $1 and p.organization_id = $1 and p.id = l.agent_profile_id and p.key = 'support'`,
      [organization.id],
    );
    const answer = await claim(app, organization.id, { limit: 10 });
    expect(ids(answer).sort()).toEqual(tasks.map(({ runRequestId }) => runRequestId).sort());
  });

  it('takes no more than the limit, and nothing twice', async () => {
    const tasks = await queueTasks(app, organization.id, 5);
    const first = ids(await claim(app, organization.id, { limit: 3 }));
    const second = ids(await claim(app, organization.id, { limit: 3 }));
    expect([first.length, second.length]).toEqual([3, 2]);
    expect([...first, ...second].sort()).toEqual(tasks.map(({ runRequestId }) => runRequestId).sort());
  });

  it('takes turns among organizations within one call', async () => {
    const others = await Promise.all([organizationOf(owner), organizationOf(owner)]);
    const all = [organization.id, ...others];
    for (const id of others) await allowRuns(app, id, 20);
    await queueTasks(app, all[0]!, 10);
    await queueTasks(app, all[1]!, 10);
    await queueTasks(app, all[2]!, 1);
    const { body } = await claim(app, organization.id, { organizationIds: all, limit: 10 });
    const count = (id: string) => body.data.filter((each: Claimed) => each.organizationId === id).length;
    expect(body.data).toHaveLength(10);
    expect(all.map(count).toSorted((a, b) => a - b)).toEqual([1, 4, 5]);
    expect(new Set(body.data.slice(0, 3).map((each: Claimed) => each.organizationId)).size).toBe(3);
  });

  it('takes only what is asked for', async () => {
    const plan = await queueTask(app, organization.id, { phase: 'plan' });
    const support = await queueTask(app, organization.id, { profile: 'support' });
    const background = await queueTask(app, organization.id, { kind: 'learning' });
    const none = await claim(app, organization.id, { profileKeys: ['chat'] });
    expect(none.body.data).toEqual([]);
    for (const [filter, { runRequestId }] of [
      [{ modes: ['plan', 'verify'] }, plan],
      [{ profileKeys: ['support'] }, support],
      [{ executionClasses: ['background'] }, background],
    ] as const)
      expect(ids(await claim(app, organization.id, { ...filter, limit: 5 }))).toEqual([runRequestId]);
  });

  it('takes organizations by id in capitals too', async () => {
    const { runRequestId } = await queueTask(app, organization.id);
    const answer = await claim(app, organization.id, { organizationIds: [organization.id.toUpperCase()] });
    expect(ids(answer)).toEqual([runRequestId]);
  });

  it('skips what a stopped dispatch, a disabled profile or a used-up capacity would refuse', async () => {
    await queueTask(app, organization.id);
    const support = await queueTask(app, organization.id, { profile: 'support', priority: -1 });
    await owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'stopped' });
    expect(ids(await claim(app, organization.id, { limit: 5 }))).toEqual([]);
    await owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'running' });
    await app.db.query(`update agent_profile set status = 'disabled' where organization_id = $1 and key = 'growth'`, [
      organization.id,
    ]);
    expect(ids(await claim(app, organization.id, { limit: 5 }))).toEqual([support.runRequestId]);
    await app.db.query(`update agent_profile set status = 'enabled' where organization_id = $1`, [organization.id]);
    await start(app, await claimOne(app, organization.id));
    await queueTask(app, organization.id);
    const capacity = (table: string, limit: number) =>
      app.db.query(`update ${table} set max_live_runs = ${limit} where organization_id = $1`, [organization.id]);
    await capacity('profile_capacity', 1);
    expect(ids(await claim(app, organization.id))).toEqual([]);
    await capacity('profile_capacity', 2);
    // The live run, and the claim of the other profile.
    await capacity('organization_capacity', 2);
    expect(ids(await claim(app, organization.id))).toEqual([]);
    await capacity('organization_capacity', 3);
    expect(ids(await claim(app, organization.id))).toHaveLength(1);
  });

  it('answers a repeat with the same items and new tokens, of which the latest count', async () => {
    await queueTasks(app, organization.id, 3);
    const body = { workerId: 'w', requestKey: randomUUID(), bootId: randomUUID(), limit: 2 };
    const first = await claim(app, organization.id, body);
    const again = await claim(app, organization.id, body);
    expect(ids(again)).toEqual(ids(first));
    const [old, latest] = [first, again].map((answer) => answer.body.data[0] as Claimed);
    expect(latest!.leaseToken).not.toBe(old!.leaseToken);
    expect(latest!.claimExpiresAt).toBe(old!.claimExpiresAt);
    expect((await start(app, old!)).body.error.code).toBe('run_lease_expired');
    expect((await start(app, latest!)).status).toBe(200);
    // What was started is no claim any more; another worker's key is another key.
    expect(ids(await claim(app, organization.id, body))).toEqual(ids(first).slice(1));
    expect(ids(await claim(app, organization.id, { ...body, workerId: 'v' }))).toHaveLength(1);
  });

  it('answers a repeat after the lease with other work', async () => {
    const task = await queueTask(app, organization.id);
    const body = { workerId: 'w', requestKey: randomUUID() };
    await claimOne(app, organization.id, body);
    await lapseClaim(app, task);
    const next = await queueTask(app, organization.id);
    expect(ids(await claim(app, organization.id, body))).toEqual([next.runRequestId]);
  });
});

describe('POST /internal/run-requests/claim: 400', () => {
  it.each([
    ['no worker', { workerId: undefined }, 'workerId', 'required'],
    ['a long worker', { workerId: 'x'.repeat(201) }, 'workerId', 'invalid_length'],
    ['no boot', { bootId: undefined }, 'bootId', 'required'],
    ['a boot that is no UUID', { bootId: '1' }, 'bootId', 'invalid_uuid'],
    ['no limit worth the name', { limit: 0 }, 'limit', 'out_of_range'],
    ['a large limit', { limit: 51 }, 'limit', 'out_of_range'],
    ['a long wait', { waitSeconds: 31 }, 'waitSeconds', 'out_of_range'],
    ['an organization that is no UUID', { organizationIds: ['acme'] }, 'organizationIds', 'invalid_item'],
    ['an unknown mode', { modes: ['improvise'] }, 'modes', 'invalid_item'],
    ['an unknown class', { executionClasses: ['fast'] }, 'executionClasses', 'invalid_item'],
    ['a lease of its own choice', { leaseSeconds: 5 }, 'leaseSeconds', 'unknown_property'],
  ])('refuses %s', async (_what, overrides, path, code) => {
    const { status, body } = await claim(app, organization.id, overrides);
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code })]]);
  });
});

describe('POST /internal/run-requests/claim: 401', () => {
  it.each([
    ['nobody', () => app.anonymous],
    ['an owner', () => owner],
  ])('refuses %s', async (_who, client) => {
    const { status, body } = await client().post(CLAIM_PATH, { workerId: 'w', bootId: randomUUID() });
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});
