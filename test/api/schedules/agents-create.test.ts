import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { createSchedule, EVERY_HOUR, scheduleBody, schedulesPath } from '../../support/factories/schedules.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
let growth: Client;
let growthRun: string;

beforeAll(async () => {
  const { agent, runId } = await place.run();
  [growth, growthRun] = [agent, runId];
});

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
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
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
    ...['*/4 * * * *', '* * * * *', '58,0 0,23 * * *'].map(
      (expression) =>
        [{ trigger: { kind: 'cron', expression, timezone: 'UTC' } }, ['trigger.expression', 'too_frequent']] as const,
    ),
    [
      { trigger: { kind: 'cron', expression: ' '.repeat(2_000) + '0 9 * * *', timezone: 'UTC' } },
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
