import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { createSchedule, EVERY_HOUR, makeDue, scheduleBody, schedulesPath } from '../../support/factories/schedules.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
let growth: Client;

beforeAll(async () => {
  growth = (await place.run()).agent;
});

const at = (rest = '') => schedulesPath(place.organizationId, rest);
const service = () => app.service;
const create = (overrides: Record<string, unknown> = {}, key = 'growth') =>
  createSchedule(app, place.organizationId, overrides, key);
const issuesOf = ({ body }: Answer) =>
  body.error.issues.map(({ path, code }: { path: string; code: string }) => [path, code]);
/** Another profile of a department; answers its key. */
async function neighbourOf(department: string): Promise<string> {
  const key = `${department}-${randomUUID().slice(0, 8)}`;
  await place.owner.post(place.path('/agent-profiles'), { key, name: key, kind: 'department', department });
  return key;
}
const conflict = { status: 409, body: { error: { code: 'state_conflict' } } };
const AT = '9000-01-01T00:00:00.000000Z';

describe.each([
  ['GET', ''],
  ['POST', ''],
  ['GET', '/some-key'],
  ['PATCH', '/some-key'],
  ['POST', '/some-key/pause'],
  ['POST', '/some-key/resume'],
  ['DELETE', '/some-key'],
])('%s …/schedules%s: 404', (method, rest) => {
  const bodies: Record<string, object> = {
    'POST ': scheduleBody({ agentProfileId: randomUUID() }),
    'PATCH /some-key': { expectedUpdatedAt: AT },
  };
  it('in an organization that is not there, or is being deleted', async () => {
    const gone = await Workplace.open(app);
    await gone.owner.delete(gone.path(''));
    for (const organizationId of [randomUUID(), gone.organizationId]) {
      const { status, body } = await service().send(
        method,
        schedulesPath(organizationId, rest),
        bodies[`${method} ${rest}`],
      );
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
  });

  if (rest !== '')
    it('for a schedule that is not there', async () => {
      const { status, body } = await service().send(method, at(rest), bodies[`${method} ${rest}`]);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    });
});

describe('GET …/schedules and …/{scheduleRef}: 200', () => {
  it('show a department its own, and operator, chat and runtimes all', async () => {
    const mine = await create();
    const theirs = await create({}, 'support');
    const operator = (await place.run({}, 'operator')).agent;
    const ids = async (client: Client, query = '') =>
      (await client.get(at(`?limit=200${query}`))).body.data.map(({ id }: { id: string }) => id);
    for (const seen of [await ids(growth), await ids(service(), `&agentProfileId=${place.profile()}`)]) {
      expect(seen).toContain(mine.id);
      expect(seen).not.toContain(theirs.id);
    }
    for (const seen of [await ids(operator), await ids(service())])
      expect(seen).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect((await growth.get(at(`/${mine.key}`))).body.data).toEqual(mine);
    expect((await growth.get(at(`/${theirs.id}`))).status).toBe(404);
    expect((await service().get(at(`/${theirs.id}?agentProfileId=${place.profile()}`))).status).toBe(404);
    expect((await operator.get(at(`/${theirs.id}`))).body.data).toEqual(theirs);
  });
});

describe('PATCH …/schedules/{scheduleRef}: 200', () => {
  const patch = async (id: string, updatedAt: string, change: object, client = service()) =>
    client.patch(at(`/${id}`), { expectedUpdatedAt: updatedAt, ...change });

  it('changes name, timing and task, and nothing else', async () => {
    const task = { title: 'Old', objective: 'Old', acceptanceCriteria: ['Old'], priority: 3 };
    const made = await create({ task });
    await place.owner.post(place.path(`/schedules/${made.id}/pause`));
    const { data: before } = (await service().get(at(`/${made.id}`))).body;
    const trigger = { kind: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' };
    const change = { name: 'New', trigger, nextRunAt: AT, task: { objective: 'New' } };
    const { status, body } = await patch(made.id, before.updatedAt, change);
    expect([status, body.data]).toEqual([
      200,
      {
        ...before,
        name: 'New',
        trigger,
        nextRunAt: AT,
        taskTemplate: { ...before.taskTemplate, spec: { ...before.taskTemplate.spec, objective: 'New' } },
        updatedAt: body.data.updatedAt,
      },
    ]);
    expect([body.data.status, body.data.updatedAt > before.updatedAt]).toEqual(['paused', true]);
  });

  it('goes by the new trigger from now on; an interval keeps its phase', async () => {
    const made = await create();
    const half = await patch(made.id, made.updatedAt, { trigger: { ...EVERY_HOUR, everyMinutes: 30 } });
    const earlier = Temporal.Instant.from(made.nextRunAt!).subtract({ minutes: 30 });
    expect(half.body.data.nextRunAt).toBe(earlier.toString({ fractionalSecondDigits: 6 }));
    const once = await patch(made.id, half.body.data.updatedAt, { trigger: { kind: 'once', at: AT } });
    expect(once.body.data.nextRunAt).toBe(AT);
  });

  it('takes the fence in any spelling of the same instant, and without a change leaves all as it is', async () => {
    const made = await create();
    const spelled = Temporal.Instant.from(made.updatedAt)
      .toZonedDateTimeISO('+02:00')
      .toString({ timeZoneName: 'never' });
    const { status, body } = await patch(made.id, spelled, {});
    expect([status, body.data]).toEqual([200, made]);
  });

  it('lets one of two edits at once through, and none of an edit and what fired', async () => {
    const made = await create();
    const names = ['One', 'Two', 'Three', 'Four'];
    const answers = await Promise.all(names.map((name) => patch(made.id, made.updatedAt, { name })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    const { updatedAt } = answers.find(({ status }) => status === 200)!.body.data;
    await makeDue(app, made.id);
    await app.runJob('schedules-fire');
    expect((await patch(made.id, updatedAt, { name: 'After it fired' })).status).toBe(200);
  });
});

describe('PATCH …/schedules/{scheduleRef}: 200, parts of the task', () => {
  it('changes limits of the budget one by one, and whether slots may overlap', async () => {
    const task = { title: 'T', objective: 'O', budget: { maxAgentRuns: 7, maxReplans: 0 } };
    const made = await create({ task });
    const patch = async (updatedAt: string, change: object) =>
      (await service().patch(at(`/${made.id}`), { expectedUpdatedAt: updatedAt, ...change })).body.data;
    const budget = await patch(made.updatedAt, { task: { budget: { maxActions: 1 } } });
    expect(budget.taskTemplate.spec.budget).toEqual({
      maxAgentRuns: 7,
      maxAttemptsPerPhase: 3,
      maxReplans: 0,
      maxActions: 1,
    });
    expect(budget.taskTemplate.allowOverlap).toBe(false);
    const overlapping = await patch(budget.updatedAt, { allowOverlap: true });
    expect(overlapping).toEqual({
      ...budget,
      taskTemplate: { ...budget.taskTemplate, allowOverlap: true },
      updatedAt: overlapping.updatedAt,
    });
    expect((await patch(overlapping.updatedAt, { name: 'Other' })).taskTemplate.allowOverlap).toBe(true);
    const log = await place.owner.get(place.path(`/activity?subjectId=${made.id}`));
    expect(log.body.data.map(({ details }: { details: object }) => details)).toContainEqual({
      changed: ['allowOverlap'],
    });
  });
});

describe('PATCH …/schedules/{scheduleRef}: 400', () => {
  it('without the fence, for what was planned in the past, and for another owner of the schedule', async () => {
    const made = await create();
    const fence = { expectedUpdatedAt: made.updatedAt };
    const issues = async (body: object) => issuesOf(await service().patch(at(`/${made.id}`), body));
    expect(await issues({ name: 'x' })).toEqual([['expectedUpdatedAt', 'required']]);
    expect(await issues({ ...fence, nextRunAt: '2020-01-01T00:00:00Z' })).toEqual([['nextRunAt', 'not_in_future']]);
    const often = { kind: 'cron', expression: '*/4 * * * *', timezone: 'UTC' };
    expect(await issues({ ...fence, trigger: often })).toEqual([['trigger.expression', 'too_frequent']]);
    expect(await issues({ ...fence, task: { budget: { maxAgentRuns: 0 } } })).toEqual([
      ['task.budget.maxAgentRuns', 'out_of_range'],
    ]);
    expect(await issues({ ...fence, key: 'x' })).toEqual([['key', 'unknown_property']]);
    expect(await issues({ ...fence, status: 'paused' })).toEqual([['status', 'unknown_property']]);
    expect(await issues({ ...fence, task: { ownerAgentProfileKey: 'nobody' } })).toEqual([
      ['task.ownerAgentProfileKey', 'unknown_reference'],
    ]);
  });
});

describe.each([
  ['PATCH', '', (updatedAt: string) => ({ expectedUpdatedAt: updatedAt, name: 'Mine' })],
  ['POST', '/pause', () => ({})],
  ['POST', '/resume', () => ({})],
  ['DELETE', '', () => undefined],
] as const)('%s …/schedules/{scheduleRef}%s: 404 and 409', (method, rest, bodyOf) => {
  const answerOf = (client: Client, schedule: { id: string; updatedAt: string }) =>
    client.send(method, at(`/${schedule.id}${rest}`), bodyOf(schedule.updatedAt));
  const from = async (client: Client, schedule: { id: string; updatedAt: string }) =>
    (await answerOf(client, schedule)).status;

  it('404 where a department does not see it', async () => {
    const support = (await place.run({}, 'support')).agent;
    const made = await create();
    const { status, body } = await answerOf(support, made);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });

  it('409 where the agent sees it, and it is not its to change', async () => {
    const operator = (await place.run({}, 'operator')).agent;
    const made = await create();
    expect(await answerOf(operator, made)).toMatchObject(conflict);
    // Of the same department, and not the profile that owns it.
    const neighbour = await neighbourOf('growth');
    expect(await from(service(), { ...(await create({}, neighbour)), updatedAt: made.updatedAt })).not.toBe(404);
    expect(await from(growth, await create({}, neighbour))).toBe(409);
    await app.db.query(`update schedule set origin = 'system' where id = $1`, [made.id]);
    expect([await from(growth, made), await from(operator, made), await from(service(), made)]).toEqual([
      409, 409, 409,
    ]);
    await app.db.query(`update schedule set origin = 'user' where id = $1`, [made.id]);
    expect(await from(operator, made)).toBe(200);
  });

  it('for a runtime by the profile that it names', async () => {
    const made = await create();
    const as = (agentProfileId: string) =>
      method === 'DELETE'
        ? service().delete(at(`/${made.id}?agentProfileId=${agentProfileId}`))
        : service().send(method, at(`/${made.id}${rest}`), { ...bodyOf(made.updatedAt), agentProfileId });
    expect((await as(place.profile('support'))).status).toBe(404);
    expect(await as(place.profile('operator'))).toMatchObject(conflict);
  });
});

describe('POST …/resume: 409', () => {
  it('for a schedule whose profile was deleted, whoever asks', async () => {
    const key = await neighbourOf('growth');
    const { id } = await create({}, key);
    await place.owner.delete(place.path(`/agent-profiles/${await profileOf(app, place.organizationId, key)}`));
    expect(await service().post(at(`/${id}/resume`), {})).toMatchObject(conflict);
    const answer = await place.owner.post(place.path(`/schedules/${id}/resume`));
    expect(answer).toMatchObject(conflict);
    expect((await place.owner.get(place.path(`/schedules/${id}`))).body.data.status).toBe('paused');
  });
});

describe('POST …/pause and …/resume: 200', () => {
  it('by the department whose profile owns it', async () => {
    const { id } = await create();
    expect((await growth.post(at(`/${id}/pause`))).body.data).toMatchObject({ status: 'paused' });
    expect((await growth.post(at(`/${id}/resume`), {})).body.data).toMatchObject({ status: 'enabled' });
  });
});

describe('DELETE …/schedules/{scheduleRef}: 200', () => {
  it('hides it at once, frees its key and keeps its tasks', async () => {
    const made = await create({ key: 'short-lived' });
    const { body: ran } = await place.owner.post(place.path(`/schedules/${made.id}/run-now`));
    const { status, body } = await growth.delete(at(`/short-lived?expectedUpdatedAt=${made.updatedAt}`));
    expect([status, body.data.id]).toEqual([200, made.id]);
    expect((await growth.get(at(`/${made.id}`))).status).toBe(404);
    expect((await place.owner.get(place.path(`/schedules/${made.id}`))).status).toBe(404);
    expect((await place.owner.get(place.path(`/tasks/${ran.data.taskId}`))).body.data.status).toBe('pending');
    expect((await create({ key: 'short-lived' })).id).not.toBe(made.id);
  });
});

describe('DELETE …/schedules/{scheduleRef}: 409', () => {
  it('when it was changed since it was read', async () => {
    const made = await create();
    const answer = await growth.delete(at(`/${made.id}?expectedUpdatedAt=${AT}`));
    expect(answer).toMatchObject(conflict);
    expect((await growth.get(at(`/${made.id}`))).status).toBe(200);
  });
});
