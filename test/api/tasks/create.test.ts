import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask, endTask, requestsOf, taskBody } from '../../support/factories/tasks.ts';
import { seedTree } from '../../support/factories/trees.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let path: string;

beforeAll(() => {
  path = `/organizations/${organization.id}/tasks`;
});

const post = (overrides: Record<string, unknown> = {}, headers = {}) => owner.post(path, taskBody(overrides), headers);

describe('POST /organizations/{organizationId}/tasks: 201', () => {
  it('makes a root that runs at once, with every default', async () => {
    const { status, body } = await post();
    expect(status).toBe(201);
    const operator = (await owner.get(`/organizations/${organization.id}/agent-profiles?kind=operator`)).body.data[0];
    expect(body.data).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      identifier: 'OPS-1',
      identifierScope: 'OPS',
      identifierNumber: 1,
      parentId: null,
      rootTaskId: body.data.id,
      depth: 0,
      ownerAgentProfileId: operator.id,
      sourceChatId: null,
      sourceMessageId: null,
      kind: 'task',
      status: 'pending',
      phase: 'execute',
      title: 'A task',
      priority: 0,
      version: 1,
      graphRevision: 1,
      agentRunCount: 0,
      consumedAgentRunCount: 0,
      replanCount: 0,
      createdByRunId: null,
      spec: {
        objective: 'Do it',
        inputs: [],
        acceptanceCriteria: [],
        budget: { maxAgentRuns: 20, maxAttemptsPerPhase: 3, maxReplans: 3, maxActions: 20 },
        verification: 'none',
      },
      state: { blockers: [], activeRunIds: [] },
      result: null,
      dedupeKey: body.data.id,
      scheduledAt: null,
      dueAt: null,
      startedAt: null,
      completedAt: null,
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      updatedAt: expect.stringMatching(/\.\d{6}Z$/),
    });
    const requests = (await owner.get(`/organizations/${organization.id}/run-requests?taskId=${body.data.id}`)).body
      .data;
    expect(requests).toMatchObject([
      { status: 'queued', mode: 'execute', agentProfileId: operator.id, executionClass: 'standard', priority: 0 },
    ]);
    const activity = (await owner.get(`/organizations/${organization.id}/activity?verb=task.created`)).body.data;
    expect(activity[0]).toMatchObject({
      actor: { kind: 'owner' },
      subject: { kind: 'task', id: body.data.id, label: 'OPS-1 A task' },
    });
  });

  it('keeps everything that was given', async () => {
    const prerequisite = await createTask(owner, organization.id);
    const spec = {
      objective: 'Report',
      inputs: [
        { kind: 'text', text: 'Look here' },
        { kind: 'uri', uri: 'https://acme.example/a' },
        { kind: 'artifact', taskId: prerequisite.id, artifactKind: 'report' },
      ],
      acceptanceCriteria: [{ kind: 'text', description: 'Short' }],
      budget: { maxAgentRuns: 2, maxAttemptsPerPhase: 1, maxReplans: 0, maxActions: 0 },
      verification: 'required',
    };
    const { body } = await post({
      title: '  Two   words ',
      spec,
      ownerAgentProfileKey: 'engineering',
      phase: 'plan',
      priority: -7,
      scheduledAt: '2999-01-01T00:00:00Z',
      dueAt: '2999-02-01T00:00:00.5+01:00',
      dedupeKey: 'once',
    });
    expect(body.data).toMatchObject({
      identifier: 'ENG-1',
      title: 'Two words',
      spec,
      phase: 'plan',
      priority: -7,
      scheduledAt: '2999-01-01T00:00:00.000000Z',
      dueAt: '2999-01-31T23:00:00.500000Z',
      dedupeKey: 'once',
      status: 'pending',
    });
    const { rows } = await app.db.query(
      'select ready, mode, available_at > now() as later from run_request where task_id = $1',
      [body.data.id],
    );
    expect(rows).toEqual([{ ready: false, mode: 'plan', later: true }]);
  });

  it('blocks on dependencies by id and identifier, in any case', async () => {
    const [one, other] = [await createTask(owner, organization.id), await createTask(owner, organization.id)];
    const { body } = await post({
      dependsOn: [
        { taskRef: one.id.toUpperCase() },
        {
          taskRef: other.identifier.toLowerCase(),
          required: false,
          condition: { kind: 'artifact', artifactKind: 'report' },
        },
      ],
    });
    expect(body.data).toMatchObject({ status: 'blocked', version: 1 });
    expect(body.data.state.blockers).toEqual([
      { kind: 'dependency', dependsOnTaskId: one.id, since: expect.stringMatching(/\.\d{6}Z$/) },
      { kind: 'dependency', dependsOnTaskId: other.id, since: expect.any(String) },
    ]);
    expect(await requestsOf(app, body.data.id)).toEqual([]);
    const edges = (
      await owner.get(`/organizations/${organization.id}/task-dependencies?taskId=${body.data.id}&order=asc`)
    ).body;
    expect(edges.data).toMatchObject([
      { dependsOnTaskId: one.id, status: 'pending', required: true, condition: { kind: 'completion' }, failure: null },
      { dependsOnTaskId: other.id, required: false, condition: { kind: 'artifact', artifactKind: 'report' } },
    ]);
  });

  it('settles dependencies on what has ended already', async () => {
    const [done, failed] = [await createTask(owner, organization.id), await createTask(owner, organization.id)];
    await endTask(app, organization.id, done.id, 'completed', ['report']);
    await endTask(app, organization.id, failed.id, 'failed');
    const dependent = async (taskRef: string, more: object = {}) =>
      (await post({ dependsOn: [{ taskRef, ...more }] })).body.data;
    const report = { condition: { kind: 'artifact', artifactKind: 'report' } };
    const picture = { condition: { kind: 'artifact', artifactKind: 'picture' } };
    for (const task of [
      await dependent(done.id),
      await dependent(done.id, report),
      await dependent(failed.id, { required: false }),
    ]) {
      expect(task).toMatchObject({ status: 'pending', state: { blockers: [] } });
      expect(await requestsOf(app, task.id)).toEqual(['queued']);
    }
    for (const task of [await dependent(done.id, picture), await dependent(failed.id)]) {
      expect(task).toMatchObject({ status: 'blocked', state: { blockers: [{ kind: 'dependency_failed' }] } });
      expect(await requestsOf(app, task.id)).toEqual([]);
    }
  });

  it('puts a child below its parent and raises the graph revision of the root', async () => {
    const root = await createTask(owner, organization.id);
    const child = (await post({ parentRef: root.identifier })).body.data;
    const grandchild = (await post({ parentRef: child.id })).body.data;
    expect(child).toMatchObject({ parentId: root.id, rootTaskId: root.id, depth: 1, graphRevision: 2 });
    expect(grandchild).toMatchObject({ parentId: child.id, rootTaskId: root.id, depth: 2, graphRevision: 3 });
    // The parent goes on as it is: only a plan waits for its children.
    expect((await owner.get(`${path}/${root.id}`)).body.data).toMatchObject({ status: 'pending', graphRevision: 3 });
  });

  it('answers a repeat of an Idempotency-Key with the same task', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const [one, again] = [await post({ title: 'Keyed' }, key), await post({ title: 'Keyed' }, key)];
    expect([again.status, again.body.data]).toEqual([201, one.body.data]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('POST /organizations/{organizationId}/tasks: 200', () => {
  it('answers with the task that has the dedupeKey until that has ended', async () => {
    const dedupeKey = `key ${randomUUID()}`;
    const first = await post({ dedupeKey });
    const second = await post({ dedupeKey, title: 'Another' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toMatchObject({
      statusCode: 200,
      message: 'There is such a task',
      data: { id: first.body.data.id },
    });
    await endTask(app, organization.id, first.body.data.id, 'failed');
    const third = await post({ dedupeKey });
    expect(third.status).toBe(201);
    expect(third.body.data.id).not.toBe(first.body.data.id);
  });

  it('makes one task of many creations of a key at once', async () => {
    const dedupeKey = `key ${randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => post({ dedupeKey, ownerAgentProfileKey: n % 2 ? 'growth' : 'support' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array<number>(7).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it('takes null for what may be left out', async () => {
    const { status, body } = await post({ priority: null, dueAt: null, spec: { objective: 'x', budget: null } });
    expect([status, body.data.priority, body.data.spec.budget.maxAgentRuns]).toEqual([201, 0, 20]);
  });

  it('takes instants as RFC 3339 has them, and keeps six digits', async () => {
    const { status, body } = await post({
      scheduledAt: '2099-01-01t00:00:00.123456789z',
      dueAt: '2099-01-02T00:00+01:00',
    });
    expect([status, body.data.scheduledAt, body.data.dueAt]).toEqual([
      201,
      '2099-01-01T00:00:00.123456Z',
      '2099-01-01T23:00:00.000000Z',
    ]);
  });
});

describe('POST /organizations/{organizationId}/tasks: 400', () => {
  it.each<[Record<string, unknown>, string, string]>([
    [{ title: undefined }, 'title', 'required'],
    [{ title: ' ' }, 'title', 'invalid_length'],
    [{ title: 'x'.repeat(201) }, 'title', 'invalid_length'],
    [{ spec: undefined }, 'spec', 'required'],
    [{ spec: {} }, 'spec.objective', 'required'],
    [{ spec: { objective: 'x'.repeat(20_001) } }, 'spec.objective', 'invalid_length'],
    [{ spec: { objective: 'x', inputs: [null] } }, 'spec.inputs.0', 'wrong_type'],
    [{ spec: { objective: 'x', inputs: [{ text: 'x' }] } }, 'spec.inputs.0.kind', 'required'],
    [{ spec: { objective: 'x', inputs: [{ kind: 'x' }] } }, 'spec.inputs.0.kind', 'unknown_value'],
    [{ spec: { objective: 'x', inputs: [{ kind: 'text' }] } }, 'spec.inputs.0.text', 'required'],
    [
      { spec: { objective: 'x', inputs: [{ kind: 'text', text: 'x', uri: 'x:y' }] } },
      'spec.inputs.0.uri',
      'unknown_property',
    ],
    [{ spec: { objective: 'x', inputs: [{ kind: 'uri', uri: 'x' }] } }, 'spec.inputs.0.uri', 'invalid_uri'],
    [
      { spec: { objective: 'x', inputs: [{ kind: 'artifact', taskId: randomUUID(), artifactKind: 'x' }] } },
      'spec.inputs.0.taskId',
      'unknown_reference',
    ],
    [
      { spec: { objective: 'x', inputs: [{ kind: 'attachment', chatId: randomUUID(), attachmentId: randomUUID() }] } },
      'spec.inputs.0.chatId',
      'unknown_reference',
    ],
    [
      { spec: { objective: 'x', acceptanceCriteria: [{ kind: 'text' }] } },
      'spec.acceptanceCriteria.0.description',
      'required',
    ],
    [{ spec: { objective: 'x', budget: { maxAgentRuns: 0 } } }, 'spec.budget.maxAgentRuns', 'out_of_range'],
    [{ title: '\u2800\u200B', spec: { objective: 'x' } }, 'title', 'blank'],
    [{ spec: { objective: '\u3164 \n' } }, 'spec.objective', 'blank'],
    [
      { spec: { objective: 'x' }, scheduledAt: '2099-01-01T00:00:00Z', dueAt: '2098-12-31T23:59:59.999999Z' },
      'dueAt',
      'before_scheduled',
    ],
    [{ spec: { objective: 'x', verification: 'maybe' } }, 'spec.verification', 'unknown_value'],
    [{ ownerAgentProfileId: randomUUID() }, 'ownerAgentProfileId', 'unknown_reference'],
    [{ ownerAgentProfileKey: 'nobody' }, 'ownerAgentProfileKey', 'unknown_reference'],
    [{ phase: 'verify' }, 'phase', 'unknown_value'],
    [{ priority: 1_001 }, 'priority', 'out_of_range'],
    [{ parentRef: 'OPS-999' }, 'parentRef', 'unknown_reference'],
    [{ parentRef: 'OPS' }, 'parentRef', 'invalid_task_ref'],
    [{ dependsOn: [{ taskRef: randomUUID() }] }, 'dependsOn.0.taskRef', 'unknown_reference'],
    [{ dependsOn: [{ taskRef: 'OPS-0' }] }, 'dependsOn.0.taskRef', 'invalid_task_ref'],
    [{ dependsOn: [{ taskRef: 'OPS-1' }, { taskRef: 'ops-1' }] }, 'dependsOn.1.taskRef', 'duplicate_item'],
    [
      { dependsOn: [{ taskRef: 'OPS-1', condition: { kind: 'artifact' } }] },
      'dependsOn.0.condition.artifactKind',
      'required',
    ],
    [
      { dependsOn: [{ taskRef: 'OPS-1', condition: { kind: 'completion', artifactKind: 'x' } }] },
      'dependsOn.0.condition.artifactKind',
      'not_of_kind',
    ],
    [{ dependsOn: Array.from({ length: 51 }, () => ({ taskRef: 'OPS-1' })) }, 'dependsOn', 'invalid_length'],
    [{ scheduledAt: 'tomorrow' }, 'scheduledAt', 'invalid_timestamp'],
    [{ dedupeKey: 'x'.repeat(201) }, 'dedupeKey', 'invalid_length'],
    [{ sourceChatId: randomUUID() }, 'sourceChatId', 'unknown_property'],
    [{ kind: 'learning' }, 'kind', 'unknown_property'],
  ])('refuses %j', async (overrides, at, code) => {
    const { status, body } = await post(overrides);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
  });

  it('does not know tasks of another organization', async () => {
    const elsewhere = await organizationOf(owner);
    const { id } = await createTask(owner, elsewhere);
    const { body } = await post({ parentRef: id, dependsOn: [{ taskRef: id }] });
    expect(body.error.issues).toMatchObject([
      { path: 'parentRef', code: 'unknown_reference' },
      { path: 'dependsOn.0.taskRef', code: 'unknown_reference' },
    ]);
  });
});

describe('POST /organizations/{organizationId}/tasks: 401 and 404', () => {
  it('wants an owner who belongs to it', async () => {
    for (const client of [app.anonymous, app.service]) expect((await client.post(path, taskBody())).status).toBe(401);
    const { status, body } = await (await app.person()).post(path, taskBody());
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});

describe('POST /organizations/{organizationId}/tasks: 409', () => {
  it('under a parent that has ended', async () => {
    const parent = await createTask(owner, organization.id);
    await endTask(app, organization.id, parent.id);
    const { status, body } = await post({ parentRef: parent.id });
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });

  it('deeper than the organization permits, or with more descendants', async () => {
    const narrow = await organizationOf(owner);
    await owner.patch(`/organizations/${narrow}`, {
      config: { limits: { maxTaskDepth: 1, maxInitiativeDescendants: 2 } },
    });
    const below = (parentRef: string) => owner.post(`/organizations/${narrow}/tasks`, taskBody({ parentRef }));
    const root = await createTask(owner, narrow);
    const child = await createTask(owner, narrow, { parentRef: root.id });
    const deep = await below(child.id);
    expect([deep.status, deep.body.error.issues]).toMatchObject([409, [{ code: 'too_deep' }]]);
    await createTask(owner, narrow, { parentRef: root.id });
    const many = await below(root.id);
    expect([many.status, many.body.error.issues]).toMatchObject([409, [{ code: 'too_many_descendants' }]]);
    // What was refused took no number.
    expect((await createTask(owner, narrow)).identifier).toBe('OPS-4');
  });

  it('counts descendants exactly, however many come at once and whether or not the tree was counted before', async () => {
    const narrow = await organizationOf(owner);
    await owner.patch(`/organizations/${narrow}`, { config: { limits: { maxInitiativeDescendants: 20 } } });
    const { rootId } = await seedTree(app, narrow, { size: 12 });
    const count = async () =>
      (await app.db.query('select descendant_count as count from task where id = $1', [rootId])).rows[0].count;
    expect(await count()).toBe(null);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => owner.post(`/organizations/${narrow}/tasks`, taskBody({ parentRef: rootId }))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
    expect(await count()).toBe(20);
    const { rows } = await app.db.query('select count(*)::int as below from task where root_task_id = $1', [rootId]);
    expect(rows).toEqual([{ below: 21 }]);
  });
});
