import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { company } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

type Line = Readonly<Record<string, string | number>>;

interface Held {
  readonly organizationId: string;
  readonly leaseToken: string;
}

interface Claim extends Held {
  readonly taskId: string;
  readonly runRequestId: string;
}

interface Run extends Held {
  readonly taskId: string;
  readonly runId: string;
}

/** Texts of people, which no line may hold. */
const PRIVATE = 'Between-us';
/** Each step takes a few sweeps, which come every 5 s. */
const LIMIT_MS = 25_000;

/**
 * A day of one organization on a real process, killed in the middle, beside another organization: what happened must be
 * told by the log lines that name the organization, and by nothing else.
 */
describe('the log lines of one organization', () => {
  let db: pg.Pool;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let log = '';
  let organizationId: string;
  let ownerToken: string;
  let owner: string;

  beforeAll(async () => {
    const url = await freshDatabase('migrated');
    db = new pg.Pool({ connectionString: url, max: 2 });
    env = onDatabase(url, { RUN_LEASE_SECONDS: '3', RUN_CLAIM_LEASE_SECONDS: '1' });
    service = await ServiceProcess.start({ env });
    const { body } = await service.call('POST', '/owner-tokens', BOOTSTRAP_TOKEN, { name: PRIVATE });
    ({ token: ownerToken, subject: owner } = body.data);
    organizationId = await newOrganization();
  }, LIMIT_MS * 2);
  afterAll(async () => {
    await ServiceProcess.killAll();
    await db.end();
  });

  /** `METHOD /path` with a token; the data of an answer that is a success. */
  async function ask(token: string, call: string, body?: unknown) {
    const [method, path] = call.split(' ') as [string, string];
    const answer = await service.call(method, path, token, body, { 'idempotency-key': randomUUID() });
    if (answer.status >= 300) throw new Error(`${call}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
  const own = (call: string, body?: unknown) =>
    ask(ownerToken, call.replace(' ', ` /organizations/${organizationId}`), body);
  const work = (call: string, body: unknown) => ask(SERVICE_TOKEN, `POST /internal/${call}`, body);

  async function newOrganization(): Promise<string> {
    const { organization } = await ask(ownerToken, 'POST /organizations', company({ name: PRIVATE + randomUUID() }));
    return organization.id as string;
  }

  async function newTask(): Promise<string> {
    const body = { title: PRIVATE, spec: { objective: PRIVATE }, ownerAgentProfileKey: 'growth' };
    return (await own('POST /tasks', body)).id as string;
  }

  async function claimed(workerId: string, bootId: string = randomUUID()): Promise<Claim> {
    // Work that rests or backs off comes at once.
    await db.query(`update run_request set available_at = clock_timestamp() where status = 'queued' and not ready`);
    const claim = {
      workerId,
      bootId,
      organizationIds: [organizationId],
      executionClasses: ['standard'],
      waitSeconds: 20,
    };
    const [item] = await work('run-requests/claim', claim);
    return item as Claim;
  }

  async function started(workerId: string, bootId?: string): Promise<Run> {
    const { runRequestId, taskId, leaseToken } = await claimed(workerId, bootId);
    const runId = randomUUID();
    await work(`run-requests/${runRequestId}/start`, { organizationId, leaseToken, runId, workerId });
    return { organizationId, leaseToken, taskId, runId };
  }

  const onRun = ({ runId, leaseToken }: Run, call: string, body: object = {}) =>
    work(`runs/${runId}/${call}`, { organizationId, leaseToken, ...body });

  function lines(): Line[] {
    return (log + service.log)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  }
  const ours = () => lines().filter((line) => line['organizationId'] === organizationId);
  const events = () => ours().filter(({ context }) => context === 'Activity');

  /** The events since the last look, as soon as the last one is that of this verb. */
  let seen = 0;
  async function told(verb: string): Promise<Line[]> {
    await until(
      `the log tells of ${verb}`,
      () =>
        events()
          .slice(seen)
          .some((event) => event['verb'] === verb),
      LIMIT_MS,
    );
    // What the organization finds out about itself begins whenever it does.
    const fresh = events()
      .slice(seen)
      .filter(({ actor }) => actor !== 'system:discovery');
    seen = events().length;
    return fresh.map(({ level, time, context, msg, organizationId: _organization, ...event }) => {
      expect([level, context, msg, typeof time]).toEqual(['info', 'Activity', event['verb'], 'string']);
      return event;
    });
  }
  const ENGINE = 'system:work engine';

  it('begin with its creation', async () => {
    expect(await told('organization.created')).toEqual([{ verb: 'organization.created', actor: owner }]);
  });

  it(
    'tell of a run whose worker and service were killed, and of its next attempt',
    async () => {
      const taskId = await newTask();
      const run = await started('worker-1');
      await until('its start is told', () => ours().some(({ route }) => String(route).endsWith('/start')));
      await service.kill();
      log += service.log;
      service = await ServiceProcess.start({ env });
      expect(await told('run.expired')).toEqual([
        { verb: 'task.created', actor: owner, taskId },
        {
          verb: 'run.expired',
          actor: ENGINE,
          runId: run.runId,
          taskId,
          code: 'lease_expired',
          reason: 'lease',
          workerId: 'worker-1',
          attempt: 1,
          next: 'retry',
          retryInSeconds: expect.any(Number),
        },
      ]);
      const second = await started('worker-2');
      await onRun(second, 'complete', {
        output: { kind: 'task_result', result: { kind: 'completed', summary: PRIVATE } },
      });
      const [ended, done] = await told('task.completed');
      expect([ended, done]).toEqual([
        { verb: 'run.succeeded', actor: expect.stringMatching(/^agent:/), runId: second.runId, taskId },
        { verb: 'task.completed', actor: ended!['actor'], taskId },
      ]);
      // Which call was whose.
      const calls = ours().flatMap(({ route, workerId = null, runId = null, status }) =>
        String(route).startsWith('/internal/run') ? [{ route, workerId, runId, status }] : [],
      );
      const start = { route: '/internal/run-requests/:runRequestId/start', status: 200 };
      expect(calls).toEqual([
        { ...start, workerId: 'worker-1', runId: run.runId },
        { ...start, workerId: 'worker-2', runId: second.runId },
        { route: '/internal/runs/:runId/complete', workerId: null, runId: second.runId, status: 200 },
      ]);
    },
    LIMIT_MS * 2,
  );

  it(
    'tell of a claim that lapsed, a failure, and the end of its task',
    async () => {
      const taskId = await newTask();
      const { runRequestId } = await claimed('worker-1');
      const [, requeued] = await told('run_request.requeued');
      expect(requeued).toEqual({
        verb: 'run_request.requeued',
        actor: ENGINE,
        runRequestId,
        taskId,
        workerId: 'worker-1',
        reason: 'claim_lapsed',
      });
      const run = await started('worker-1');
      const error = { code: 'tests_failed', message: PRIVATE, retryable: false, class: 'agent' };
      await onRun(run, 'fail', { error });
      const [failed, end] = await told('task.failed');
      expect(failed).toEqual({
        verb: 'run.failed',
        actor: expect.stringMatching(/^agent:/),
        runId: run.runId,
        taskId,
        code: 'tests_failed',
        workerId: 'worker-1',
        attempt: 1,
        next: 'run_failed',
      });
      expect(end).toEqual({
        verb: 'task.failed',
        actor: failed!['actor'],
        taskId,
        runId: run.runId,
        code: 'run_failed',
      });
    },
    LIMIT_MS * 2,
  );

  it(
    'tell of a cancel, and of a worker that starts again',
    async () => {
      const [taskId, bootId] = [await newTask(), randomUUID()];
      const run = await started('worker-3', bootId);
      await own(`POST /runs/${run.runId}/cancel`, { requeue: true });
      await onRun(run, 'fail', { error: { code: PRIVATE + ' ' + PRIVATE, message: PRIVATE, retryable: false } });
      const [, asked, cancelled] = await told('run.cancelled');
      expect(asked).toEqual({ verb: 'run.cancel_requested', actor: owner, runId: run.runId, taskId, requeue: true });
      expect(cancelled).toMatchObject({ verb: 'run.cancelled', runId: run.runId, code: 'other', workerId: 'worker-3' });

      const lost = await started('worker-3', bootId);
      const recovery = { bootId: randomUUID() };
      await until(
        'the other boot counts as lost',
        async () => (await work('workers/worker-3/recover', recovery)).runs.length === 1,
        LIMIT_MS,
      );
      expect(await told('run.expired')).toEqual([
        expect.objectContaining({ verb: 'run.expired', runId: lost.runId, taskId, next: 'retry', retryInSeconds: 0 }),
      ]);
      await own(`POST /tasks/${taskId}/cancel`);
      expect(await told('task.cancelled')).toEqual([
        { verb: 'task.cancelled', actor: owner, taskId, code: 'cancelled' },
      ]);
    },
    LIMIT_MS * 2,
  );

  it(
    'tell of an answer that is written again',
    async () => {
      const chatId = (await own('GET /chats'))[0].id as string;
      const body = { author: { kind: 'human', displayName: PRIVATE }, parts: [{ kind: 'text', text: PRIVATE }] };
      const posted = await own(`POST /chats/${chatId}/messages`, body);
      const turnId = posted.assistantMessage.id as string;
      const claim = { workerId: 'worker-4', bootId: randomUUID(), organizationIds: [organizationId], waitSeconds: 20 };
      const [first] = await work('chat-turns/claim', claim);
      const error = { code: 'model_unreachable', message: PRIVATE, retryable: true };
      await work(`chat-turns/${turnId}/fail`, { organizationId, leaseToken: first.leaseToken, error });
      const [second] = await work('chat-turns/claim', claim);
      await work(`chat-turns/${turnId}/complete`, {
        organizationId,
        leaseToken: second.leaseToken,
        parts: [{ id: 'p1', kind: 'text', text: PRIVATE }],
      });
      const [said, again, done] = await told('message.completed');
      const messageId = posted.userMessage.id as string;
      expect(said).toEqual({ verb: 'message.posted', actor: owner, messageId, chatId, turnId });
      const ofTurn = { actor: expect.stringMatching(/^agent:/), messageId: turnId, turnId, chatId };
      expect(again).toEqual({ ...ofTurn, verb: 'turn.requeued', attempt: 1, code: 'model_unreachable' });
      expect(done).toEqual({ ...ofTurn, verb: 'message.completed', attempt: expect.any(Number) });
    },
    LIMIT_MS,
  );

  it(
    'tell of a slot that was skipped',
    async () => {
      const growth = (await own('GET /agent-profiles')).find(({ key }: { key: string }) => key === 'growth')
        .id as string;
      const schedule = await ask(SERVICE_TOKEN, `POST /internal/agent/organizations/${organizationId}/schedules`, {
        agentProfileId: growth,
        name: PRIVATE,
        trigger: { kind: 'interval', everyMinutes: 60, timezone: 'UTC' },
        task: { title: PRIVATE, objective: PRIVATE },
      });
      await own(`PATCH /agent-profiles/${growth}`, { status: 'disabled' });
      await db.query(`update schedule set next_run_at = clock_timestamp() where id = $1`, [schedule.id]);
      const skipped = (await told('schedule.skipped')).at(-1);
      expect(skipped).toEqual({
        verb: 'schedule.skipped',
        actor: 'system:schedules',
        scheduleId: schedule.id,
        slot: expect.any(String),
        reason: 'profile_disabled',
      });
    },
    LIMIT_MS,
  );

  it('are as many as the entries of its activity log and those of what is given out again or skipped', async () => {
    const { rows } = await db.query<{ verb: string; count: number }>(
      `select verb, count(*)::int as count from activity where organization_id = $1 group by verb`,
      [organizationId],
    );
    const further = new Set(['run_request.requeued', 'turn.requeued', 'schedule.skipped']);
    const counted = new Map<string, number>();
    for (const { verb } of events())
      if (!further.has(String(verb))) counted.set(String(verb), (counted.get(String(verb)) ?? 0) + 1);
    expect(rows.length).toBeGreaterThan(10);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(rows.map(({ verb, count }) => [verb, count])));
  });

  it('hold nothing of another organization, and no line holds what a person wrote', async () => {
    const other = await newOrganization();
    await until('the other one is told of', () => lines().some((line) => line['organizationId'] === other));
    expect(ours().filter((line) => JSON.stringify(line).includes(other))).toEqual([]);
    expect(lines().filter((line) => JSON.stringify(line).includes(PRIVATE))).toEqual([]);
    expect(log + service.log).not.toContain(PRIVATE);
  });
});
