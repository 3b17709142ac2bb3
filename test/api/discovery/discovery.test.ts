import { describe, expect, it } from '@jest/globals';
import { discoveryOf, endDiscovery } from '../../support/factories/discovery.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { createTask, readTask } from '../../support/factories/tasks.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** The job looks across organizations. */
const app = useTestApp({ ownDatabase: true });

const tick = () => app.runJob('discovery');
const setUp = (place: Workplace) => place.owner.post(place.path('/integration-setup/complete'));
const read = ({ owner, organizationId }: Workplace) => discoveryOf(owner, organizationId);
const end = (place: Workplace, taskId: string | null, how?: Parameters<typeof endDiscovery>[3]) =>
  endDiscovery(app, place.organizationId, taskId!, how);

/** An organization whose research has tasks. */
async function researching(): Promise<Workplace> {
  const place = await Workplace.open(app);
  await tick();
  return place;
}

/** Ends all research, with knowledge. */
async function research(place: Workplace): Promise<void> {
  for (const { taskId } of (await read(place)).intentions) await end(place, taskId);
  await tick();
}

/** Lets the next attempt of a key be due. */
const due = ({ organizationId }: Workplace, key: string) =>
  app.db.query(
    `update discovery_intention set next_attempt_at = clock_timestamp() where organization_id = $1 and key = $2`,
    [organizationId, key],
  );

describe('GET …/discovery: 200', () => {
  it('shows a new organization, whose research gets its tasks from the job', async () => {
    const place = await Workplace.open(app);
    const before = await read(place);
    const waiting = { status: 'waiting', taskId: null };
    expect(before).toEqual({
      status: 'researching',
      integrationSetupCompletedAt: null,
      intentions: ['company_profile', 'customers', 'market'].map((key) => ({
        key,
        status: 'pending',
        attempts: 0,
        taskId: null,
        nextAttemptAt: expect.any(String),
      })),
      departments: { growth: waiting, engineering: waiting, support: waiting },
    });
    await tick();
    const after = await read(place);
    expect(after.intentions).toEqual(
      before.intentions.map(({ key }) => ({
        key,
        status: 'task_created',
        attempts: 1,
        taskId: expect.any(String),
        nextAttemptAt: null,
      })),
    );
    const { taskId } = after.intentions[0]!;
    expect(await readTask(place.owner, place.organizationId, taskId!)).toMatchObject({
      kind: 'discovery',
      status: 'pending',
      ownerAgentProfileId: place.profile('operator'),
      spec: { budget: { maxAgentRuns: 10 } },
    });
    const requests = await place.owner.get(place.path(`/run-requests?taskId=${taskId}`));
    expect(requests.body.data).toMatchObject([{ executionClass: 'background' }]);
  });

  it('goes from the research over the setup to the departments, and is complete', async () => {
    const place = await researching();
    await research(place);
    expect((await read(place)).status).toBe('awaiting_integration_setup');
    await setUp(place);
    expect(await read(place)).toMatchObject({
      status: 'departments_running',
      departments: { growth: { status: 'pending' } },
    });
    await tick();
    const { departments } = await read(place);
    for (const [key, department] of Object.entries(departments)) {
      const task = await readTask(place.owner, place.organizationId, department!.taskId!);
      expect([task, department!.status]).toMatchObject([
        { kind: 'discovery', ownerAgentProfileId: place.profile(key) },
        'task_created',
      ]);
      await end(place, department!.taskId);
    }
    await tick();
    expect((await read(place)).status).toBe('complete');
  });

  it('is complete for an organization from before', async () => {
    const place = await Workplace.open(app);
    for (const table of ['discovery_intention', 'discovery'])
      await app.db.query(`delete from ${table} where organization_id = $1`, [place.organizationId]);
    const none = { growth: null, engineering: null, support: null };
    expect(await read(place)).toMatchObject({ status: 'complete', intentions: [], departments: none });
    expect((await setUp(place)).body.data.status).toBe('complete');
    await place.owner.patch(place.path(''), { config: { departments: { growth: { enabled: false } } } });
    await place.owner.patch(place.path(''), { config: { departments: { growth: { enabled: true } } } });
    expect(await read(place)).toMatchObject({ status: 'complete', departments: none });
  });
});

describe('a task of the discovery', () => {
  it('is done again where it left nothing, twice, and then a person is told', async () => {
    const place = await researching();
    const market = async () => (await read(place)).intentions.find(({ key }) => key === 'market')!;
    const tasks: string[] = [];
    for (const attempt of [1, 2, 3]) {
      const { taskId } = await market();
      tasks.push(taskId!);
      await end(place, taskId, { withRecord: false, status: attempt === 2 ? 'failed' : 'completed' });
      await tick();
      const after = await market();
      expect(after).toMatchObject({ status: 'failed', attempts: attempt, taskId });
      expect(after.nextAttemptAt === null).toBe(attempt === 3);
      // Not before it is due.
      await tick();
      expect((await market()).attempts).toBe(attempt);
      if (attempt === 3) continue;
      await due(place, 'market');
      await tick();
      expect(await market()).toMatchObject({ status: 'task_created', attempts: attempt + 1 });
    }
    expect(new Set(tasks).size).toBe(3);
    const inbox = await place.owner.get(place.path('/human-inbox?kind=notification'));
    const told = inbox.body.data.filter(({ title }: { title: string }) => title.startsWith('Discovery'));
    expect(told).toMatchObject([{ severity: 'attention', taskId: tasks[2], status: 'open' }]);
    // The others are enough.
    await research(place);
    expect((await read(place)).status).toBe('awaiting_integration_setup');
  });

  it('that an owner retries counts again, and takes the notice back', async () => {
    const place = await researching();
    const { intentions } = await read(place);
    await app.db.query(`update discovery_intention set attempts = 3 where organization_id = $1`, [
      place.organizationId,
    ]);
    for (const { taskId } of intentions) await end(place, taskId, { withRecord: false, status: 'failed' });
    await tick();
    expect((await read(place)).status).toBe('research_failed');
    const { taskId, key } = intentions[0]!;
    expect((await place.owner.post(place.path(`/tasks/${taskId}/retry`), {})).status).toBe(200);
    await tick();
    const again = await read(place);
    expect([again.status, again.intentions[0]]).toMatchObject(['researching', { key, status: 'task_created', taskId }]);
    await end(place, taskId);
    await tick();
    expect((await read(place)).status).toBe('awaiting_integration_setup');
    const inbox = await place.owner.get(place.path('/human-inbox?kind=notification&status=withdrawn'));
    expect(inbox.body.data.some(({ title }: { title: string }) => title.startsWith('Discovery'))).toBe(true);
  });

  it('that is cancelled is not done again', async () => {
    const place = await researching();
    const { taskId } = (await read(place)).intentions[0]!;
    await place.owner.post(place.path(`/tasks/${taskId}/cancel`), {});
    await tick();
    expect((await read(place)).intentions[0]).toMatchObject({ status: 'failed', attempts: 1, nextAttemptAt: null });
  });

  it('counts only by a record that nobody revoked', async () => {
    const place = await researching();
    const { taskId } = (await read(place)).intentions[0]!;
    await app.db.query(
      `update knowledge set revoked_at = now(), revoked_by = '{}', revocation_reason = 'x' where organization_id = $1`,
      [place.organizationId],
    );
    await end(place, taskId, { withRecord: false });
    await tick();
    expect((await read(place)).intentions[0]!.status).toBe('failed');
  });

  it('waits while work is stopped, and where another task has its key', async () => {
    const place = await Workplace.open(app);
    await createTask(place.owner, place.organizationId, { dedupeKey: 'discovery:market:1' });
    await place.owner.put(place.path('/work-dispatch'), { status: 'stopped' });
    await tick();
    const statuses = async () =>
      Object.fromEntries((await read(place)).intentions.map(({ key, status }) => [key, status]));
    expect(await statuses()).toEqual({ company_profile: 'pending', customers: 'pending', market: 'pending' });
    await place.owner.put(place.path('/work-dispatch'), { status: 'running' });
    await tick();
    expect(await statuses()).toEqual({ company_profile: 'task_created', customers: 'task_created', market: 'pending' });
  });
});

describe('POST …/integration-setup/complete: 200', () => {
  it('counts once', async () => {
    const place = await Workplace.open(app);
    const first = await setUp(place);
    expect([first.status, first.body.data.status]).toEqual([200, 'researching']);
    expect((await setUp(place)).body.data).toEqual(first.body.data);
    expect(first.body.data.integrationSetupCompletedAt).toEqual(expect.any(String));
    const log = await place.owner.get(place.path('/activity?verb=integration_setup.completed'));
    expect(log.body.data).toHaveLength(1);
    await tick();
    await research(place);
    expect((await read(place)).status).toBe('departments_running');
  });
});

describe('departments', () => {
  it('that are switched off wait, and do not count', async () => {
    const place = await researching();
    await place.owner.patch(place.path(''), {
      config: { departments: { growth: { enabled: false }, support: { enabled: false } } },
    });
    await setUp(place);
    await research(place);
    await tick();
    const { departments } = await read(place);
    expect(departments).toMatchObject({
      growth: { status: 'waiting' },
      engineering: { status: 'task_created' },
      support: { status: 'waiting' },
    });
    await end(place, departments.engineering!.taskId);
    await tick();
    expect((await read(place)).status).toBe('complete');
    await place.owner.patch(place.path(''), { config: { departments: { growth: { enabled: true } } } });
    expect(await read(place)).toMatchObject({
      status: 'departments_running',
      departments: { growth: { status: 'pending' } },
    });
    // By provisioning too.
    const key = { 'idempotency-key': '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' };
    const body = { departments: ['growth', 'engineering', 'support'] };
    expect((await place.owner.post(place.path('/agent-profiles/provision'), body, key)).status).toBe(200);
    expect(await read(place)).toMatchObject({ departments: { support: { status: 'pending' } } });
  });

  it('whose built-in profile is disabled let the oldest other one do it, or wait', async () => {
    const place = await researching();
    for (const key of ['growth', 'support'])
      await place.owner.patch(place.path(`/agent-profiles/${place.profile(key)}`), { status: 'disabled' });
    const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const other = (await place.owner.post(place.path('/agent-profiles'), profile)).body.data.id;
    await setUp(place);
    await research(place);
    await tick();
    const { departments } = await read(place);
    const task = await readTask(place.owner, place.organizationId, departments.growth!.taskId!);
    expect([task, departments.support]).toMatchObject([
      { ownerAgentProfileId: other },
      { status: 'pending', taskId: null },
    ]);
  });
});
