import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { createSchedule, makeDue } from '../../support/factories/schedules.ts';
import { endTask } from '../../support/factories/tasks.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;
let path: string;

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  path = `/organizations/${organizationId}/schedules`;
});

const notFound = { error: { code: 'schedule_not_found' } };

describe('GET /organizations/{organizationId}/schedules: 200', () => {
  it('lists the newest first, page by page, and what was filtered for', async () => {
    const organization = await organizationOf(owner);
    const of = `/organizations/${organization}/schedules`;
    const growth = await createSchedule(app, organization);
    const support = await createSchedule(app, organization, {}, 'support');
    await owner.post(`${of}/${growth.id}/pause`);
    const first = await owner.get(`${of}?limit=1`);
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual([support.id]);
    const second = await owner.get(`${of}?limit=1&cursor=${first.body.pagination.nextCursor}`);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([growth.id]);
    const ids = async (query: string) =>
      (await owner.get(`${of}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('status=paused')).toEqual([growth.id]);
    expect(await ids('origin=system')).toEqual([]);
    expect(await ids('origin=agent&order=asc')).toEqual([growth.id, support.id]);
    expect(await ids(`agentProfileId=${await profileOf(app, organization, 'support')}`)).toEqual([support.id]);
  });
});

describe('GET …/schedules/{scheduleRef}: 200', () => {
  it('reads by id and by key', async () => {
    const schedule = await createSchedule(app, organizationId, { name: 'Weekly report' });
    const { status, body } = await owner.get(`${path}/${schedule.id.toUpperCase()}`);
    expect([status, body.data]).toEqual([200, schedule]);
    expect((await owner.get(`${path}/weekly-report`)).body.data).toEqual(schedule);
  });
});

describe('GET …/schedules/{scheduleRef}: 404', () => {
  it.each([randomUUID(), 'no-such-key'])('%s', async (ref) => {
    const { status, body } = await owner.get(`${path}/${ref}`);
    expect([status, body]).toMatchObject([404, notFound]);
  });
});

describe('POST …/pause: 200', () => {
  it('pauses once, and moves updatedAt once', async () => {
    const { id, updatedAt, nextRunAt } = await createSchedule(app, organizationId);
    const { status, body } = await owner.post(`${path}/${id}/pause`);
    expect([status, body.data]).toMatchObject([200, { status: 'paused', nextRunAt }]);
    expect(body.data.updatedAt > updatedAt).toBe(true);
    expect((await owner.post(`${path}/${id}/pause`)).body.data).toEqual(body.data);
    const log = await owner.get(`/organizations/${organizationId}/activity?subjectId=${id}`);
    expect(log.body.data.map(({ verb }: { verb: string }) => verb)).toEqual(['schedule.paused', 'schedule.created']);
  });

  it('keeps a slot that is due from being taken', async () => {
    const { id } = await createSchedule(app, organizationId);
    await makeDue(app, id);
    await owner.post(`${path}/${id}/pause`);
    await app.runJob('schedules-fire');
    expect((await owner.get(`${path}/${id}/occurrences`)).body.data).toEqual([]);
  });

  it('works on schedules of the backend', async () => {
    const { id } = await createSchedule(app, organizationId);
    await app.db.query(`update schedule set origin = 'system' where id = $1`, [id]);
    expect((await owner.post(`${path}/${id}/pause`)).body.data).toMatchObject({ status: 'paused', origin: 'system' });
  });
});

describe('POST …/resume: 200', () => {
  it('goes on with the first slot in the future, in its phase, and makes up for nothing', async () => {
    const { id } = await createSchedule(app, organizationId);
    const slot = await makeDue(app, id, '150 minutes');
    await owner.post(`${path}/${id}/pause`);
    const { body } = await owner.post(`${path}/${id}/resume`);
    const next = Temporal.Instant.from(slot).add({ minutes: 180 }).toString({ fractionalSecondDigits: 6 });
    expect(body.data).toMatchObject({ status: 'enabled', nextRunAt: next, state: { missedCount: 0 } });
    await app.runJob('schedules-fire');
    expect((await owner.get(`${path}/${id}/occurrences`)).body.data).toEqual([]);
  });

  it('lets what fires once fire now when its time has passed, and once', async () => {
    const at = '9000-01-01T00:00:00Z';
    const { id } = await createSchedule(app, organizationId, { trigger: { kind: 'once', at } });
    await owner.post(`${path}/${id}/pause`);
    expect((await owner.post(`${path}/${id}/resume`)).body.data.nextRunAt).toBe('9000-01-01T00:00:00.000000Z');
    await owner.post(`${path}/${id}/pause`);
    const slot = await makeDue(app, id);
    expect((await owner.post(`${path}/${id}/resume`)).body.data).toMatchObject({ status: 'enabled', nextRunAt: slot });
    await app.runJob('schedules-fire');
    await owner.post(`${path}/${id}/pause`);
    expect((await owner.post(`${path}/${id}/resume`)).body.data).toMatchObject({ status: 'enabled', nextRunAt: null });
    await app.runJob('schedules-fire');
    const { body } = await owner.get(`${path}/${id}/occurrences`);
    expect(body.data).toMatchObject([{ plannedAt: slot, status: 'created' }]);
  });

  it('leaves an enabled one as it is', async () => {
    const schedule = await createSchedule(app, organizationId);
    expect((await owner.post(`${path}/${schedule.id}/resume`)).body.data).toEqual(schedule);
  });
});

describe.each(['pause', 'resume', 'run-now'])('POST …/%s: 404', (call) => {
  it('for what is not there', async () => {
    const { status, body } = await owner.post(`${path}/${randomUUID()}/${call}`);
    expect([status, body]).toMatchObject([404, notFound]);
  });
});

describe('POST …/run-now: 200', () => {
  it('creates a root task of the template and says so', async () => {
    const criteria = ['It is short', 'It is true'];
    const task = {
      title: 'Report',
      objective: 'Write it',
      acceptanceCriteria: criteria,
      priority: 7,
      budget: { maxReplans: 1 },
    };
    const schedule = await createSchedule(
      app,
      organizationId,
      { task: { ...task, ownerAgentProfileKey: 'support' } },
      'operator',
    );
    const { status, body } = await owner.post(`${path}/${schedule.id}/run-now`);
    const { taskId, plannedAt } = body.data;
    expect([status, body.data]).toMatchObject([
      200,
      { scheduleId: schedule.id, origin: 'run_now', status: 'created', reason: null, taskId: expect.any(String) },
    ]);
    const { body: shown } = await owner.get(`/organizations/${organizationId}/tasks/${taskId}`);
    expect(shown.data).toMatchObject({
      title: 'Report',
      kind: 'task',
      status: 'pending',
      parentId: null,
      priority: 7,
      ownerAgentProfileId: await profileOf(app, organizationId, 'support'),
      dedupeKey: `schedule:${schedule.id}:${plannedAt}`,
      spec: {
        objective: 'Write it',
        inputs: [],
        acceptanceCriteria: criteria.map((description) => ({ kind: 'text', description })),
        budget: { maxAgentRuns: 20, maxAttemptsPerPhase: 3, maxReplans: 1, maxActions: 20 },
        verification: 'none',
      },
    });
    const { body: after } = await owner.get(`${path}/${schedule.id}`);
    expect(after.data).toEqual({ ...schedule, lastRunAt: expect.any(String) });
    expect((await owner.get(`${path}/${schedule.id}/occurrences`)).body.data).toEqual([body.data]);
    const log = await owner.get(`/organizations/${organizationId}/activity?subjectId=${taskId}`);
    expect(log.body.data).toMatchObject([{ verb: 'task.created', actor: { kind: 'owner' } }]);
  });

  it('works while paused, and again when the task has ended', async () => {
    const { id } = await createSchedule(app, organizationId);
    await owner.post(`${path}/${id}/pause`);
    const first = await owner.post(`${path}/${id}/run-now`);
    expect(first.status).toBe(200);
    await endTask(app, organizationId, first.body.data.taskId);
    const second = await owner.post(`${path}/${id}/run-now`);
    expect(second.body.data.taskId).not.toBe(first.body.data.taskId);
    expect((await owner.get(`${path}/${id}`)).body.data.status).toBe('paused');
  });

  it('answers a repeat of its Idempotency-Key with the same occurrence', async () => {
    const { id } = await createSchedule(app, organizationId);
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [
      await owner.post(`${path}/${id}/run-now`, undefined, key),
      await owner.post(`${path}/${id}/run-now`, undefined, key),
    ];
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('POST …/run-now: 409', () => {
  const conflict = { error: { code: 'state_conflict' } };

  it('while the previous task lives', async () => {
    const { id } = await createSchedule(app, organizationId);
    await owner.post(`${path}/${id}/run-now`);
    expect(await owner.post(`${path}/${id}/run-now`)).toMatchObject({ status: 409, body: conflict });
  });

  it('while work dispatch is stopped', async () => {
    const organization = await organizationOf(owner);
    const { id } = await createSchedule(app, organization);
    await owner.put(`/organizations/${organization}/work-dispatch`, { status: 'stopped' });
    const answer = await owner.post(`/organizations/${organization}/schedules/${id}/run-now`);
    expect(answer).toMatchObject({ status: 409, body: conflict });
    const { body } = await owner.get(`/organizations/${organization}/schedules/${id}/occurrences`);
    expect(body.data).toEqual([]);
  });

  it('while its profile is disabled', async () => {
    const organization = await organizationOf(owner);
    const { id } = await createSchedule(app, organization);
    const profile = await profileOf(app, organization);
    await owner.patch(`/organizations/${organization}/agent-profiles/${profile}`, { status: 'disabled' });
    const answer = await owner.post(`/organizations/${organization}/schedules/${id}/run-now`);
    expect(answer).toMatchObject({ status: 409, body: conflict });
  });
});

describe('GET …/occurrences: 200', () => {
  it('lists by planned time, page by page, and what was filtered for', async () => {
    const { id } = await createSchedule(app, organizationId);
    const slot = await makeDue(app, id);
    await app.runJob('schedules-fire');
    await app.db.query(`update task set status = 'completed' where dedupe_key = $1`, [`schedule:${id}:${slot}`]);
    await owner.post(`${path}/${id}/run-now`);
    const first = await owner.get(`${path}/${id}/occurrences?limit=1`);
    expect(first.body.data).toMatchObject([{ origin: 'run_now' }]);
    const second = await owner.get(`${path}/${id}/occurrences?limit=1&cursor=${first.body.pagination.nextCursor}`);
    expect(second.body.data).toMatchObject([{ origin: 'timer', plannedAt: slot, status: 'created' }]);
    const timer = await owner.get(`${path}/${id}/occurrences?origin=timer`);
    expect(timer.body.data).toEqual(second.body.data);
    expect((await owner.get(`${path}/${id}/occurrences?status=skipped`)).body.data).toEqual([]);
  });
});

describe('GET …/occurrences: 404', () => {
  it('for what is not there', async () => {
    const { status, body } = await owner.get(`${path}/${randomUUID()}/occurrences`);
    expect([status, body]).toMatchObject([404, notFound]);
  });
});
