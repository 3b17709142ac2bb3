import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { Workplace } from '../../support/engine-rows.ts';
import { createSchedule, EVERY_HOUR, makeDue, scheduleBody, schedulesPath } from '../../support/schedules.ts';
import { TestApp } from '../../support/test-app.ts';

let app: TestApp;
let place: Workplace;
let growth: Client;
let growthRun: string;

beforeAll(async () => {
  app = await TestApp.start();
  place = await Workplace.open(app);
  const { agent, runId } = await place.run();
  [growth, growthRun] = [agent, runId];
});
afterAll(() => app.close());

const at = (rest = '') => schedulesPath(place.organizationId, rest);
const service = () => app.service;
const create = (overrides: Record<string, unknown> = {}, key = 'growth') =>
  createSchedule(app, place.organizationId, overrides, key);
const issuesOf = ({ body }: Answer) =>
  body.error.issues.map(({ path, code }: { path: string; code: string }) => [path, code]);
const conflict = { status: 409, body: { error: { code: 'state_conflict' } } };
const AT = '9000-01-01T00:00:00.000000Z';

describe('POST …/schedules: 201', () => {
  it('makes a schedule of the calling execution, which sets where it comes from', async () => {
    const { status, body } = await growth.post(at(), scheduleBody({ name: 'Daily: Größe!', key: undefined }));
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        organizationId: place.organizationId,
        agentProfileId: place.profile(),
        key: 'daily-grosse',
        name: 'Daily: Größe!',
        status: 'enabled',
        origin: 'agent',
        createdByAgentProfileId: place.profile(),
        sourceRunId: growthRun,
        sourceChatId: null,
        sourceMessageId: null,
        trigger: EVERY_HOUR,
        taskTemplate: {
          title: 'Report',
          kind: 'task',
          ownerAgentProfileKey: 'growth',
          spec: {
            objective: 'Write the report',
            inputs: [],
            acceptanceCriteria: [],
            budget: { maxAgentRuns: 20, maxAttemptsPerPhase: 3, maxReplans: 3, maxActions: 20 },
            verification: 'none',
          },
          priority: 0,
          allowOverlap: false,
        },
        state: { missedCount: 0, overlapSkipped: 0 },
        nextRunAt: expect.any(String),
        lastRunAt: null,
        lastError: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const { nextRunAt, createdAt } = body.data;
    const wait = Temporal.Instant.from(nextRunAt).since(createdAt).total('minutes');
    expect(Math.round(wait)).toBe(60);
  });

  it('for a runtime: of the profile that it names, with the live run that it names', async () => {
    const body = scheduleBody({ agentProfileId: place.profile(), runId: growthRun });
    const answer = await service().post(at(), body);
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      {
        agentProfileId: place.profile(),
        createdByAgentProfileId: place.profile(),
        sourceRunId: growthRun,
        origin: 'agent',
      },
    ]);
    const log = await place.owner.get(place.path(`/activity?subjectId=${answer.body.data.id}`));
    expect(log.body.data).toMatchObject([{ verb: 'schedule.created', actor: { kind: 'agent', name: 'growth' } }]);
  });

  it.each([
    [
      { kind: 'cron', expression: ' 0  9 * * mon ', timezone: 'europe/berlin' },
      { kind: 'cron', expression: '0 9 * * MON', timezone: 'Europe/Berlin' },
    ],
    [
      { kind: 'once', at: '9000-01-01T01:00:00+01:00' },
      { kind: 'once', at: AT },
    ],
    [
      { ...EVERY_HOUR, everyMinutes: 525_600 },
      { ...EVERY_HOUR, everyMinutes: 525_600 },
    ],
  ])('takes the trigger %j', async (trigger, shown) => {
    expect((await create({ trigger })) as object).toMatchObject({ trigger: shown });
  });

  it('takes the bounds of the texts, and a first slot of its own', async () => {
    const task = {
      title: 't'.repeat(200),
      objective: 'o'.repeat(20_000),
      acceptanceCriteria: ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(2_000)),
    };
    const made = await create({ name: 'n'.repeat(200), key: 'k'.repeat(100), task, nextRunAt: AT });
    expect(made.nextRunAt).toBe(AT);
  });
});

describe('POST …/schedules: 200', () => {
  it('answers a repeat of a key with the schedule that was made, whatever was edited since', async () => {
    const body = scheduleBody({ agentProfileId: place.profile(), key: 'repeated', nextRunAt: AT });
    const first = await service().post(at(), body);
    const again = await service().post(at(), body);
    expect([first.status, again.status, again.body.data]).toEqual([201, 200, first.body.data]);
    const { updatedAt } = first.body.data;
    await service().patch(at('/repeated'), { expectedUpdatedAt: updatedAt, name: 'Another' });
    const third = await service().post(at(), body);
    expect([third.status, third.body.data.name]).toEqual([200, 'Another']);
  });

  it('makes one of many at once', async () => {
    const body = scheduleBody({ agentProfileId: place.profile() });
    const answers = await Promise.all(Array.from({ length: 8 }, () => service().post(at(), body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  });
});

describe('POST …/schedules: 400', () => {
  it.each([
    [{ trigger: { ...EVERY_HOUR, everyMinutes: 4 } }, ['trigger.everyMinutes', 'out_of_range']],
    [{ trigger: { ...EVERY_HOUR, everyMinutes: 525_601 } }, ['trigger.everyMinutes', 'out_of_range']],
    [{ trigger: { ...EVERY_HOUR, timezone: 'Europe/Nowhere' } }, ['trigger.timezone', 'invalid_timezone']],
    [
      { trigger: { kind: 'cron', expression: '* * * * * *', timezone: 'UTC' } },
      ['trigger.expression', 'invalid_expression'],
    ],
    [{ trigger: { kind: 'once', at: '2020-01-01T00:00:00Z' } }, ['trigger.at', 'not_in_future']],
    [{ trigger: { kind: 'never' } }, ['trigger.kind', 'unknown_value']],
    [{ nextRunAt: '2020-01-01T00:00:00Z' }, ['nextRunAt', 'not_in_future']],
    [{ name: 'n'.repeat(201) }, ['name', 'invalid_length']],
    [{ key: 'Not A Slug' }, ['key', 'invalid_slug']],
    [{ key: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' }, ['key', 'invalid_slug']],
    [{ task: { title: 't', objective: 'o'.repeat(20_001) } }, ['task.objective', 'invalid_length']],
    [
      { task: { title: 't', objective: 'o', acceptanceCriteria: ['1', '2', '3', '4', '5', '6'] } },
      ['task.acceptanceCriteria', 'invalid_length'],
    ],
    [
      { task: { title: 't', objective: 'o', acceptanceCriteria: ['x'.repeat(2_001)] } },
      ['task.acceptanceCriteria', 'invalid_item'],
    ],
    [
      { task: { title: 't', objective: 'o', ownerAgentProfileKey: 'nobody' } },
      ['task.ownerAgentProfileKey', 'unknown_reference'],
    ],
    // A department gives work to its own profiles.
    [
      { task: { title: 't', objective: 'o', ownerAgentProfileKey: 'support' } },
      ['task.ownerAgentProfileKey', 'unknown_reference'],
    ],
    [{ origin: 'system' }, ['origin', 'unknown_property']],
  ])('%j', async (overrides, issue) => {
    const answer = await growth.post(at(), scheduleBody(overrides));
    expect([answer.status, issuesOf(answer)]).toEqual([400, [issue]]);
  });

  it('for a runtime that names no profile, or one that is not there', async () => {
    expect(issuesOf(await service().post(at(), scheduleBody()))).toEqual([['agentProfileId', 'required']]);
    const unknown = scheduleBody({ agentProfileId: randomUUID() });
    expect(issuesOf(await service().post(at(), unknown))).toEqual([['agentProfileId', 'unknown_reference']]);
  });
});

describe('POST …/schedules: 401', () => {
  it('for an execution that names another profile, run or turn than its own', async () => {
    for (const named of [
      { agentProfileId: place.profile('support') },
      { runId: randomUUID() },
      { turnId: growthRun },
    ]) {
      const { status, body } = await growth.post(at(), scheduleBody(named));
      expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
    }
    const own = scheduleBody({ agentProfileId: place.profile(), runId: growthRun });
    expect((await growth.post(at(), own)).status).toBe(201);
  });
});

describe('POST …/schedules: 409', () => {
  it('for a key in use by another schedule', async () => {
    await create({ key: 'taken' });
    expect(await growth.post(at(), scheduleBody({ key: 'taken' }))).toMatchObject(conflict);
  });

  it('for a run that has ended, is of another profile, or is none; and for a turn', async () => {
    const support = await place.run({}, 'support');
    const ended = await place.run({ run: { status: 'succeeded' } });
    const lapsed = await place.run({ run: { lease_expires_at: '2020-01-01T00:00:00Z' } });
    for (const named of [support, ended, lapsed].map(({ runId }) => ({ runId })).concat({ runId: randomUUID() })) {
      const body = scheduleBody({ agentProfileId: place.profile(), ...named });
      expect(await service().post(at(), body)).toMatchObject(conflict);
    }
    const turn = scheduleBody({ agentProfileId: place.profile(), turnId: randomUUID() });
    expect(await service().post(at(), turn)).toMatchObject(conflict);
    expect(await ended.agent.post(at(), scheduleBody())).toMatchObject(conflict);
  });

  it('for a disabled profile, whoever acts for it', async () => {
    const other = await Workplace.open(app);
    const { agent } = await other.run({}, 'engineering');
    const profile = other.profile('engineering');
    await other.owner.patch(other.path(`/agent-profiles/${profile}`), { status: 'disabled' });
    const path = schedulesPath(other.organizationId);
    expect(await agent.post(path, scheduleBody())).toMatchObject(conflict);
    expect(await service().post(path, scheduleBody({ agentProfileId: profile }))).toMatchObject(conflict);
    expect(await service().get(`${path}?agentProfileId=${profile}`)).toMatchObject(conflict);
  });
});

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
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { updatedAt } = answers.find(({ status }) => status === 200)!.body.data;
    await makeDue(app, made.id);
    await app.runJob('schedules-fire');
    expect((await patch(made.id, updatedAt, { name: 'After it fired' })).status).toBe(200);
  });
});

describe('PATCH …/schedules/{scheduleRef}: 400', () => {
  it('without the fence, for what was planned in the past, and for another owner of the schedule', async () => {
    const made = await create();
    const fence = { expectedUpdatedAt: made.updatedAt };
    const issues = async (body: object) => issuesOf(await service().patch(at(`/${made.id}`), body));
    expect(await issues({ name: 'x' })).toEqual([['expectedUpdatedAt', 'required']]);
    expect(await issues({ ...fence, nextRunAt: '2020-01-01T00:00:00Z' })).toEqual([['nextRunAt', 'not_in_future']]);
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
] as const)('%s …/schedules/{scheduleRef}%s: 409', (method, rest, bodyOf) => {
  const from = async (client: Client, schedule: { id: string; updatedAt: string }) =>
    (await client.send(method, at(`/${schedule.id}${rest}`), bodyOf(schedule.updatedAt))).status;

  it('where it is not the agent’s to change', async () => {
    const [operator, support] = [(await place.run({}, 'operator')).agent, (await place.run({}, 'support')).agent];
    const made = await create();
    expect([await from(support, made), await from(operator, made)]).toEqual([409, 409]);
    await app.db.query(`update schedule set origin = 'system' where id = $1`, [made.id]);
    expect([await from(growth, made), await from(operator, made), await from(service(), made)]).toEqual([
      409, 409, 409,
    ]);
    await app.db.query(`update schedule set origin = 'user' where id = $1`, [made.id]);
    expect([await from(support, made), await from(operator, made)]).toEqual([409, 200]);
  });

  it('for a runtime by the profile that it names', async () => {
    const made = await create();
    const named = { agentProfileId: place.profile('support') };
    const answer =
      method === 'DELETE'
        ? await service().delete(at(`/${made.id}?agentProfileId=${named.agentProfileId}`))
        : await service().send(method, at(`/${made.id}${rest}`), { ...bodyOf(made.updatedAt), ...named });
    expect(answer).toMatchObject(conflict);
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
