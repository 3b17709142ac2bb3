import { describe, expect, it } from '@jest/globals';
import { profileOf } from '../../support/factories/profiles.ts';
import { createSchedule, makeDue } from '../../support/factories/schedules.ts';
import { endTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** What the tick makes of slots. */
const { app, owner, organization } = useOrganization({ per: 'test' });

const at = (rest: string) => `/organizations/${organization.id}${rest}`;
const tick = () => app.runJob('schedules-fire');
const read = async (id: string) => (await owner.get(at(`/schedules/${id}`))).body.data;
const occurrences = async (id: string) => (await owner.get(at(`/schedules/${id}/occurrences?order=asc`))).body.data;
const tasks = async () => (await owner.get(at('/tasks'))).body.data;

describe('a slot that has come', () => {
  it('makes one task of the profile, by the backend, and the next slot stands in phase', async () => {
    const schedule = await createSchedule(app, organization.id);
    const slot = await makeDue(app, schedule.id);
    await Promise.all([tick(), tick()]);
    const [occurrence] = await occurrences(schedule.id);
    expect(occurrence).toMatchObject({ plannedAt: slot, origin: 'timer', status: 'created', reason: null });
    expect(await tasks()).toMatchObject([
      {
        id: occurrence.taskId,
        status: 'pending',
        parentId: null,
        ownerAgentProfileId: await profileOf(app, organization.id),
        dedupeKey: `schedule:${schedule.id}:${slot}`,
      },
    ]);
    const nextRunAt = Temporal.Instant.from(slot).add({ hours: 1 }).toString({ fractionalSecondDigits: 6 });
    const after = await read(schedule.id);
    // Firing is no edit.
    expect(after).toEqual({ ...schedule, nextRunAt, lastRunAt: expect.any(String) });
    const log = await owner.get(at(`/activity?subjectId=${occurrence.taskId}`));
    expect(log.body.data).toMatchObject([{ verb: 'task.created', actor: { kind: 'system', name: 'schedules' } }]);
  });

  it('is none before its time', async () => {
    const { id } = await createSchedule(app, organization.id);
    await tick();
    expect(await occurrences(id)).toEqual([]);
  });

  it('leaves what fires once enabled, without a next slot', async () => {
    const { id } = await createSchedule(app, organization.id, {
      trigger: { kind: 'once', at: '9000-01-01T00:00:00Z' },
    });
    await makeDue(app, id);
    await app.db.query(
      `update schedule set trigger = jsonb_set(trigger, '{at}', to_jsonb(to_char(next_run_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) where id = $1`,
      [id],
    );
    await tick();
    await tick();
    expect(await read(id)).toMatchObject({ status: 'enabled', nextRunAt: null, lastRunAt: expect.any(String) });
    expect(await occurrences(id)).toHaveLength(1);
  });

  it('is taken in the order of time, whatever the number', async () => {
    const made = await Promise.all(Array.from({ length: 130 }, () => createSchedule(app, organization.id)));
    for (const { id } of made) await makeDue(app, id);
    await tick();
    const { rows } = await app.db.query(`select from task where organization_id = $1`, [organization.id]);
    expect(rows).toHaveLength(130);
  });
});

describe('a slot that meets the task of the one before', () => {
  it('is skipped and counted, and taken again once that has ended', async () => {
    const { id } = await createSchedule(app, organization.id);
    await makeDue(app, id, '30 minutes');
    await tick();
    await makeDue(app, id, '1 minute');
    await tick();
    const [first, second] = await occurrences(id);
    expect([first.status, second.status, second.reason, second.taskId]).toEqual([
      'created',
      'skipped',
      'overlap',
      null,
    ]);
    expect(await read(id)).toMatchObject({ state: { overlapSkipped: 1 }, lastError: null });
    await endTask(app, organization.id, first.taskId);
    await makeDue(app, id);
    await tick();
    expect(await occurrences(id)).toHaveLength(3);
    expect(await tasks()).toHaveLength(2);
  });

  it('is taken where overlap is allowed', async () => {
    const { id } = await createSchedule(app, organization.id, { allowOverlap: true });
    await makeDue(app, id, '1 minute');
    await tick();
    await makeDue(app, id);
    await tick();
    expect(await tasks()).toHaveLength(2);
    expect(await read(id)).toMatchObject({ state: { overlapSkipped: 0 }, taskTemplate: { allowOverlap: true } });
  });
});

describe('a slot of a disabled profile', () => {
  const disabled = { code: 'profile_disabled', message: expect.any(String), at: expect.any(String) };

  it.each(['operator', 'support'])('is skipped and says so, when %s is', async (key) => {
    const task = { title: 'Report', objective: 'Write', ownerAgentProfileKey: 'support' };
    const { id } = await createSchedule(app, organization.id, { task }, 'operator');
    const profile = at(`/agent-profiles/${await profileOf(app, organization.id, key)}`);
    await owner.patch(profile, { status: 'disabled' });
    await makeDue(app, id, '1 minute');
    await tick();
    expect(await occurrences(id)).toMatchObject([{ status: 'skipped', reason: 'profile_disabled', taskId: null }]);
    expect(await read(id)).toMatchObject({ status: 'enabled', lastError: disabled, lastRunAt: null });
    await owner.patch(profile, { status: 'enabled' });
    await makeDue(app, id);
    await tick();
    expect(await read(id)).toMatchObject({ lastError: null, lastRunAt: expect.any(String) });
    expect(await tasks()).toHaveLength(1);
  });

  it('of what fires once waits, says so, and is taken when the profile may work again', async () => {
    const { id } = await createSchedule(app, organization.id, {
      trigger: { kind: 'once', at: '9000-01-01T00:00:00Z' },
    });
    const profile = at(`/agent-profiles/${await profileOf(app, organization.id, 'growth')}`);
    await owner.patch(profile, { status: 'disabled' });
    const slot = await makeDue(app, id);
    await tick();
    const waiting = await read(id);
    expect(waiting).toMatchObject({ nextRunAt: slot, lastError: disabled, lastRunAt: null });
    // It is found, and not tried again.
    await tick();
    expect(await read(id)).toEqual(waiting);
    expect(await occurrences(id)).toEqual([]);
    await owner.patch(profile, { status: 'enabled' });
    await tick();
    await tick();
    expect(await read(id)).toMatchObject({ nextRunAt: null, lastError: null, lastRunAt: expect.any(String) });
    expect(await occurrences(id)).toMatchObject([{ plannedAt: slot, status: 'created' }]);
    expect(await tasks()).toHaveLength(1);
  });

  it('is none once the profile is deleted: its schedules are paused', async () => {
    const ads = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const { body } = await owner.post(at('/agent-profiles'), ads);
    const { id } = await createSchedule(app, organization.id, {}, 'growth-ads');
    const other = await createSchedule(app, organization.id);
    await makeDue(app, id);
    await owner.delete(at(`/agent-profiles/${body.data.id}`));
    await tick();
    expect(await read(id)).toMatchObject({ status: 'paused', lastError: null });
    expect(await occurrences(id)).toEqual([]);
    expect((await read(other.id)).status).toBe('enabled');
  });
});

describe('slots of a stop of work dispatch', () => {
  it('wait, fire once when work is handed out again, and the others are said to have been stopped', async () => {
    const { id } = await createSchedule(app, organization.id);
    await owner.put(at('/work-dispatch'), { status: 'stopped' });
    await makeDue(app, id, '3 hours 30 minutes');
    await tick();
    expect(await occurrences(id)).toEqual([]);
    await owner.put(at('/work-dispatch'), { status: 'running' });
    // The stop began long ago: before the first of the slots, after the second.
    const began = (ago: string) =>
      app.db.query(
        `update activity set at = clock_timestamp() - $2::interval where organization_id = $1 and verb = 'work_dispatch.stopped'`,
        [organization.id, ago],
      );
    await began('2 hours');
    await tick();
    expect(
      (await occurrences(id)).map(({ status, reason }: { status: string; reason: string }) => [status, reason]),
    ).toEqual([
      ['created', null],
      ['skipped', 'missed'],
      ['skipped', 'dispatch_stopped'],
      ['skipped', 'dispatch_stopped'],
    ]);
    expect(await read(id)).toMatchObject({ state: { missedCount: 3 } });
    expect(await tasks()).toHaveLength(1);
  });
});

describe('a slot that was found', () => {
  it.each([
    ['paused', (id: string) => owner.post(at(`/schedules/${id}/pause`))],
    ['deleted', (id: string) => app.service.delete(`/internal/agent${at(`/schedules/${id}`)}`)],
  ])('makes nothing once the schedule is %s', async (_what, change) => {
    const { id } = await createSchedule(app, organization.id);
    await makeDue(app, id);
    // The change holds the schedule while the tick looks at it, and commits first.
    const holder = await app.db.connect();
    await holder.query('begin');
    await holder.query('select from schedule where id = $1 for no key update', [id]);
    const changing = change(id);
    await tick();
    await holder.query('commit');
    holder.release();
    expect((await changing).status).toBe(200);
    await tick();
    expect(await tasks()).toEqual([]);
  });
});

describe('a deleted organization', () => {
  it('fires nothing, and its schedules go with it', async () => {
    const { id } = await createSchedule(app, organization.id);
    await owner.post(at(`/schedules/${id}/run-now`));
    await makeDue(app, id);
    await owner.delete(at(''));
    await tick();
    await app.runJob('organization-purge');
    const { rows } = await app.db.query(
      `select id from schedule where organization_id = $1 union all select id from schedule_occurrence where organization_id = $1`,
      [organization.id],
    );
    expect(rows).toEqual([]);
  });
});
