import { describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { itemRow } from '../../support/factories/inbox.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const read = (agent: Client) => agent.get(place.agentPath('/execution'));
const completed = (summary: string, artifacts: object[] = []) => ({ kind: 'completed', summary, artifacts });
const depend = (taskId: string, on: string, status = 'pending') =>
  app.db.query(
    `insert into task_dependency (organization_id, task_id, depends_on_task_id, status, condition) values ($1, $2, $3, $4, '{"kind":"completion"}')`,
    [place.organizationId, taskId, on, status],
  );

describe('GET …/execution: 200', () => {
  it('keeps the manifest of the largest task within its limit, and marks what it cut', async () => {
    const text = '字'.repeat(20_000);
    const inputs = Array.from({ length: 17 }, () => ({ kind: 'text', text }));
    const body = { title: 'Large', ownerAgentProfileKey: 'support', spec: { objective: text.slice(0, 6_000), inputs } };
    expect(Buffer.byteLength(JSON.stringify(body))).toBeGreaterThan(1024 * 1024 - 20_000);
    expect((await place.owner.post(place.path('/tasks'), body)).status).toBe(201);
    const { agent } = await place.run({ task: { spec: { ...body.spec, acceptanceCriteria: [] } } });
    const { status, text: answer, body: manifest } = await read(agent);
    expect(status).toBe(200);
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(1024 * 1024);
    const { spec } = manifest.data.task;
    expect(spec.objective).toBe(body.spec.objective);
    expect(spec.inputs.filter((input: { text: string }) => input.text.endsWith('…'))).not.toEqual([]);
    expect(spec.inputs.at(-1)).toEqual(inputs[0]);
  });

  it('shows organization, profile, task and what is left', async () => {
    const { agent, runId, taskId } = await place.run({
      task: { consumed_agent_run_count: 2, execute_failures: 1, plan_count: 2 },
    });
    const { status, body } = await read(agent);
    expect(status).toBe(200);
    const organization = (await place.owner.get(place.path(''))).body.data;
    const profile = (await place.owner.get(place.path(`/agent-profiles/${place.profile()}`))).body.data;
    expect(body.data).toMatchObject({
      kind: 'task_run',
      executionId: runId,
      organization: {
        id: place.organizationId,
        slug: organization.slug,
        website: organization.website,
        timezone: 'Europe/Berlin',
        defaultCurrency: 'EUR',
        departments: organization.config.departments,
        limits: organization.config.limits,
        constraints: organization.constraints,
        authorizationEpoch: 1,
      },
      profile: { id: profile.id, key: 'growth', kind: 'department', department: 'growth', config: profile.config },
      task: { id: taskId, status: 'running', spec: { objective: 'Write it.' }, state: { activeRunIds: [runId] } },
      mode: 'execute',
      attempt: 1,
      budgetLeft: { agentRuns: 18, attemptsInPhase: 2, replans: 2, actions: 20 },
      dependencies: [],
      children: [],
      priorAttempts: [],
      unverified: null,
      verificationFindings: [],
      answers: [],
      decisions: [],
      unresolvedActions: [],
      plan: { graphRevision: 1, limits: organization.config.limits },
      checkpoints: [],
      integrations: [],
      context: [],
      memory: null,
      issuedAt: expect.stringMatching(/\.\d{6}Z$/),
    });
    expect(body.data.profile.instructions.length).toBeGreaterThan(100);
    expect(body.data.profile.catalogRevision).toBe(profile.config.catalogSource.revision);
  });

  it('shows what the task depends on and its children, with results and the runs that delivered them', async () => {
    const { agent, taskId } = await place.run();
    const result = completed('Researched.', [
      { kind: 'report', name: 'Report', path: 'report.md', sha256: 'a'.repeat(64) },
    ]);
    const done = { request: { status: 'completed' }, run: { status: 'succeeded' } };
    const before = await place.run({ ...done, task: { status: 'completed', result, title: 'Research' } });
    const child = await place.run({
      ...done,
      task: { status: 'completed', result: completed('Built.'), parent_id: taskId },
    });
    const failed = await place.task({
      status: 'failed',
      parent_id: taskId,
      result: { kind: 'failed', code: 'x', message: 'y', runId: null },
    });
    await depend(taskId, before.taskId, 'satisfied');
    for (const id of [child.taskId, failed]) await depend(taskId, id, 'satisfied');
    const { dependencies, children } = (await read(agent)).body.data;
    expect(dependencies).toEqual([
      {
        taskId: before.taskId,
        identifier: expect.stringMatching(/^ROW-/),
        title: 'Research',
        status: 'completed',
        result,
        runId: before.runId,
      },
    ]);
    expect(children).toMatchObject([
      { taskId: child.taskId, status: 'completed', result: completed('Built.'), runId: child.runId },
      { taskId: failed, status: 'failed', result: { code: 'x' }, runId: null },
    ]);
  });

  it('shows earlier attempts, the latest first, and the findings of the last rejection', async () => {
    const taskId = await place.task();
    const error = {
      code: 'broke',
      message: 'It broke.',
      class: 'agent',
      retryable: true,
      retryAfterSeconds: null,
      at: '2026-03-01T09:30:00.000000Z',
    };
    const first = await place.run({ taskId, request: { status: 'completed' }, run: { status: 'failed', error } });
    const verified = await place.run({
      taskId,
      request: { status: 'completed' },
      run: { status: 'succeeded', mode: 'verify', attempt: 2 },
    });
    const findings = [{ criterion: 'Loads fast', verdict: 'rejected', note: 'It takes 4 s.' }];
    await app.db.query(
      `insert into run_outcome (organization_id, run_id, id, kind, outcome, digest) values ($1, $2, gen_random_uuid(), 'verification', $3, '')`,
      [place.organizationId, verified.runId, { kind: 'verification', summary: 'No.', verdict: 'rejected', findings }],
    );
    const { agent } = await place.run({ taskId, run: { attempt: 3 } });
    expect((await read(agent)).body.data).toMatchObject({
      attempt: 3,
      priorAttempts: [
        { runId: verified.runId, status: 'succeeded', error: null },
        { runId: first.runId, status: 'failed', error },
      ],
      verificationFindings: findings,
    });
  });

  it('keeps the manifest of a run that verifies a large result within its limit, and says what it left out', async () => {
    const artifacts = Array.from({ length: 100 }, (_, index) => ({
      kind: 'report',
      name: 'Report',
      path: `${index}.md`,
      summary: '字'.repeat(4_000),
    }));
    const unverified = { kind: 'completed', summary: 'Done.', artifacts };
    const spec = { objective: 'Do it', acceptanceCriteria: [], inputs: [{ kind: 'text', text: '字'.repeat(20_000) }] };
    const taskId = await place.task({ phase: 'verify', spec, unverified_result: unverified });
    const { agent } = await place.run({ taskId, run: { mode: 'verify', attempt: 2 } });
    const { status, text, body } = await read(agent);
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(body.data.unverified.result).toEqual({ ...unverified, artifacts: [], truncated: true });
    expect(body.data.task.spec).toMatchObject({ objective: 'Do it', inputs: spec.inputs });
  });

  it('shows a verifying run what it verifies', async () => {
    const unverified = completed('Built.', [{ kind: 'report', name: 'Report', path: 'report.md' }]);
    const taskId = await place.task({ phase: 'verify', unverified_result: unverified });
    const built = await place.run({ taskId, request: { status: 'completed' }, run: { status: 'succeeded' } });
    const { agent } = await place.run({ taskId, run: { mode: 'verify', attempt: 2 } });
    expect((await read(agent)).body.data).toMatchObject({
      mode: 'verify',
      task: { result: null },
      unverified: { taskId, result: unverified, runId: built.runId },
    });
  });

  it('shows the closed questions of the task, the latest first, word for word, and what became of the others', async () => {
    const { agent, taskId } = await place.run();
    const item = (row: object) => itemRow(app, place.organizationId, { task_id: taskId, ...row });
    const text = ' Ja – "morgen"\n\u{1f642} ';
    const response = { text, optionId: null, respondedBy: { kind: 'owner', id: null, name: 'Ada' } };
    const at = (minute: number) => `2026-03-01T09:${minute}:00.000000Z`;
    const answered = await item({ status: 'answered', response, updated_at: at(31) });
    const expired = await item({ status: 'expired', purpose: 'learning_input', updated_at: at(32) });
    await item({ status: 'open' });
    await item({ status: 'acknowledged', kind: 'notification' });
    await item({ status: 'answered', task_id: await place.task() });
    const shared = { title: 'May I?', body: 'I would like to go on.', optionId: null };
    expect((await read(agent)).body.data.answers).toEqual([
      { inboxItemId: expired, status: 'expired', ...shared, response: null, at: at(32) },
      { inboxItemId: answered, status: 'answered', ...shared, response: text, at: at(31) },
    ]);
    for (let more = 0; more < 20; more += 1)
      await item({ status: 'withdrawn', body: '字'.repeat(10_000), updated_at: at(40 + (more % 20)) });
    const { answers } = (await read(agent)).body.data;
    expect(answers).toHaveLength(20);
    expect(Buffer.byteLength(JSON.stringify(answers))).toBeLessThanOrEqual(256 * 1024);
    expect([answers[0].truncated, answers.at(-1).truncated]).toEqual([undefined, true]);
  });

  it('names the checkpoints of the task', async () => {
    const { agent, taskId } = await place.run();
    for (const key of [taskId, `${taskId}.draft`])
      await agent.put(place.agentPath(`/durability/task/${key}`), { kind: 'draft', payload: {}, expectedVersion: 0 });
    const other = await place.run();
    await other.agent.put(place.agentPath(`/durability/task/${other.taskId}`), {
      kind: 'draft',
      payload: {},
      expectedVersion: 0,
    });
    expect((await read(agent)).body.data.checkpoints).toEqual([
      { namespace: 'task', key: taskId, version: 1 },
      { namespace: 'task', key: `${taskId}.draft`, version: 1 },
    ]);
  });

  it('passes on the address of instructions of an owner’s own', async () => {
    const instructionsUri = 'https://acme.example/agents/support.md';
    await place.owner.patch(place.path(`/agent-profiles/${place.profile('support')}`), { instructionsUri });
    const { agent } = await place.run({}, 'support');
    expect((await read(agent)).body.data.profile).toMatchObject({ instructions: null, instructionsUri });
  });

  it('is at most 1 MiB, however much other tasks delivered', async () => {
    const { agent, taskId } = await place.run();
    const artifacts = Array.from({ length: 100 }, (_, index) => ({
      kind: 'report',
      name: 'Report',
      path: `${index}.md`,
      summary: 'a'.repeat(4_000),
    }));
    for (let index = 0; index < 4; index += 1)
      await depend(
        taskId,
        await place.task({ status: 'completed', result: completed('Large.', artifacts) }),
        'satisfied',
      );
    const { text, body } = await read(agent);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    const results = body.data.dependencies.map(
      ({ result }: { result: { truncated?: boolean; summary: string } }) => result,
    );
    expect(results.map(({ truncated }: { truncated?: boolean }) => truncated ?? false).toSorted()).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(results.every(({ summary }: { summary: string }) => summary === 'Large.')).toBe(true);
  });
});

describe('GET …/execution: 401', () => {
  it('wants the capability of a run, of this organization', async () => {
    const elsewhere = await Workplace.open(app);
    for (const client of [app.anonymous, app.service, place.owner, (await elsewhere.run()).agent])
      expect((await read(client)).body.error.code).toBe('agent_unauthorized');
  });
});

describe('GET …/execution: 409', () => {
  it('when the run is over, or another attempt holds it', async () => {
    const ended = await place.run({ request: { status: 'completed' }, run: { status: 'succeeded' } });
    const lapsed = await place.run({ run: { lease_expires_at: '2026-03-01T09:30:00Z' } });
    const { runId } = await place.run({ run: { attempt: 2 } });
    for (const agent of [ended.agent, lapsed.agent, await place.agentOf(runId)])
      expect((await read(agent)).body.error.code).toBe('state_conflict');
  });
});
