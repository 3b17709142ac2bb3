import { describe, expect, it } from '@jest/globals';
import { heldTurn } from '../../support/factories/turns.ts';
import { openByAgent } from '../../support/factories/inbox.ts';
import { lessonRow } from '../../support/factories/learning.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const refresh = (key: string) => place.path(`/learning/${key}/refresh`);
const INPUT = {
  kind: 'question',
  purpose: 'learning_input',
  title: 'Always?',
  body: 'Is it always so?',
  presentation: { summary: 'It was so twice.' },
} as const;

describe('GET …/learning and …/learning/{profileKey}: 200', () => {
  it('shows enabled profiles, without memory at first', async () => {
    const { body } = await place.owner.get(place.path('/learning'));
    expect(body.data.map(({ profileKey }: { profileKey: string }) => profileKey).sort()).toEqual([
      'chat',
      'engineering',
      'growth',
      'operator',
      'support',
    ]);
    const { data } = (await place.owner.get(place.path('/learning/engineering'))).body;
    expect(data).toEqual({
      profileKey: 'engineering',
      profileName: data.profileName,
      department: 'engineering',
      memory: null,
      inputs: [],
    });
  });

  it('shows the open inputs before those that are answered', async () => {
    const other = await Workplace.open(app);
    const { agent, taskId } = await other.run({ task: { kind: 'learning' } });
    const [answered, open] = [
      await openByAgent(agent, other.organizationId, INPUT),
      await openByAgent(agent, other.organizationId, { ...INPUT, title: 'Never?' }),
    ];
    await other.owner.post(other.path(`/human-inbox/${answered}/respond`), { response: 'Yes.' });
    const { inputs } = (await other.owner.get(other.path('/learning/growth'))).body.data;
    expect(inputs).toEqual([
      {
        id: open,
        profileKey: 'growth',
        sourceTaskId: taskId,
        status: 'open',
        question: INPUT.body,
        presentation: { title: 'Never?', summary: 'It was so twice.', allowFreeText: true },
        response: null,
        resolvedAt: null,
      },
      {
        id: answered,
        profileKey: 'growth',
        sourceTaskId: taskId,
        status: 'answered',
        question: INPUT.body,
        presentation: { title: 'Always?', summary: 'It was so twice.', allowFreeText: true },
        response: 'Yes.',
        resolvedAt: expect.any(String),
      },
    ]);
  });

  it('is for executions of a department their own, for operator and chat all', async () => {
    const growth = (await place.run()).agent;
    const own = await growth.get(place.path('/learning'));
    expect(own.body.data).toMatchObject([{ profileKey: 'growth' }]);
    expect((await growth.get(place.path('/learning/growth'))).status).toBe(200);
    const other = await growth.get(place.path('/learning/support'));
    expect([other.status, other.body.error.code]).toEqual([404, 'agent_profile_not_found']);
    const operator = (await place.run({}, 'operator')).agent;
    expect((await operator.get(place.path('/learning'))).body.data).toHaveLength(5);
    const { executionToken } = await heldTurn(app, place.organizationId);
    expect((await app.client(executionToken).get(place.path('/learning/support'))).status).toBe(200);
  });

  it('leaves disabled profiles out', async () => {
    const other = await Workplace.open(app);
    await other.owner.patch(other.path(`/agent-profiles/${other.profile('support')}`), { status: 'disabled' });
    expect((await other.owner.get(other.path('/learning'))).body.data).toHaveLength(4);
    const { status, body } = await other.owner.get(other.path('/learning/support'));
    expect([status, body.error.code]).toEqual([404, 'agent_profile_not_found']);
  });
});

describe('POST …/learning/{profileKey}/refresh: 200', () => {
  it('creates a learning task, and answers it as it is while it lives', async () => {
    const { status, body } = await place.owner.post(refresh('growth'));
    expect([status, body.data]).toEqual([
      200,
      { taskId: body.data.taskId, identifier: expect.stringMatching(/^GRO-\d+$/), status: 'pending' },
    ]);
    const task = (await place.owner.get(place.path(`/tasks/${body.data.taskId}`))).body.data;
    expect(task).toMatchObject({ kind: 'learning', parentId: null, ownerAgentProfileId: place.profile('growth') });
    expect((await place.owner.post(refresh('growth'))).body.data).toEqual(body.data);
    const agent = (await place.run()).agent;
    expect((await agent.post(refresh('growth'))).body.data).toEqual(body.data);
  });

  it('lets operator and chat ask for any profile', async () => {
    const operator = (await place.run({}, 'operator')).agent;
    expect((await operator.post(refresh('support'))).body.data.identifier).toMatch(/^SUP-/);
    const { executionToken } = await heldTurn(app, place.organizationId);
    const { body } = await app.client(executionToken).post(refresh('engineering'));
    const task = (await place.owner.get(place.path(`/tasks/${body.data.taskId}`))).body.data;
    expect([task.kind, typeof task.sourceMessageId]).toEqual(['learning', 'string']);
  });
});

describe('POST …/learning/{profileKey}/refresh: 401, 404 and 409', () => {
  it('is for no other department, nor for runs that verify', async () => {
    const answers = [
      await (await place.run()).agent.post(refresh('support')),
      await (await place.run()).agent.post(refresh('nobody')),
      await (await place.run({ run: { mode: 'verify' } })).agent.post(refresh('growth')),
    ];
    const told = answers.map(({ status, body }) => [status, body.error.issues[0].code]);
    expect(told).toEqual([
      [401, 'not_for_this_profile'],
      [401, 'not_for_this_profile'],
      [401, 'wrong_kind'],
    ]);
  });

  it('knows no such profile, refuses a disabled one, and a key that another task has', async () => {
    const other = await Workplace.open(app);
    const at = (key: string) => other.path(`/learning/${key}/refresh`);
    expect((await other.owner.post(at('nobody'))).body.error.code).toBe('agent_profile_not_found');
    await createTask(other.owner, other.organizationId, { dedupeKey: `learning:${other.profile('growth')}` });
    const taken = await other.owner.post(at('growth'));
    expect([taken.status, taken.body.error.code]).toEqual([409, 'state_conflict']);
    await other.owner.patch(other.path(`/agent-profiles/${other.profile('support')}`), { status: 'disabled' });
    const disabled = await other.owner.post(at('support'));
    expect([disabled.status, disabled.body.error.code]).toEqual([409, 'state_conflict']);
    const { agent } = await other.run({}, 'support');
    expect((await agent.post(at('support'))).status).toBe(409);
    const over = await other.run({ run: { status: 'succeeded' } });
    expect((await over.agent.post(at('growth'))).status).toBe(409);
  });
});

describe('DELETE …/learning/{profileKey}/lessons/{lessonKey}', () => {
  const lessons = (key: string, reason?: string) =>
    place.path(`/learning/growth/lessons/${key}${reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`}`);

  it('200: takes the lesson back, once and with the first reason', async () => {
    const { key, lesson } = await lessonRow(app, place.organizationId);
    const first = await place.owner.delete(lessons(key, 'That was one week only'));
    expect([first.status, first.body.data]).toEqual([
      200,
      {
        key,
        lesson,
        revocation: {
          reason: 'That was one week only',
          by: { kind: 'owner', id: expect.any(String), name: 'somebody' },
          at: expect.any(String),
        },
      },
    ]);
    expect((await place.owner.delete(lessons(key, 'Another'))).body.data).toEqual(first.body.data);
    const { memory } = (await place.owner.get(place.path('/learning/growth'))).body.data;
    expect([memory.revision, memory.lessons]).toEqual([2, []]);
    const run = await place.run({ task: { kind: 'learning' } });
    const manifest = (await run.agent.get(place.agentPath('/execution'))).body.data;
    expect(manifest.learning.revoked).toEqual([{ key, lesson, reason: 'That was one week only' }]);
    const log = await place.owner.get(place.path('/activity?verb=lesson.revoked'));
    expect(log.body.data).toMatchObject([{ actor: { kind: 'owner' }, details: { lessonKey: key } }]);
  });

  it('400 without a reason and for one with a credential, 404 for what was never stored', async () => {
    const { key } = await lessonRow(app, place.organizationId);
    expect((await place.owner.delete(lessons(key))).body.error.issues[0]).toMatchObject({
      path: 'reason',
      code: 'required',
    });
    expect((await place.owner.delete(lessons(key, 'password=hunter2hunter2'))).body.error.issues[0]).toMatchObject({
      path: 'reason',
      code: 'unsafe_text',
    });
    const unknown = await place.owner.delete(lessons('unknown', 'Why not'));
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
    const nobody = await place.owner.delete(place.path('/learning/nobody/lessons/x?reason=y'));
    expect([nobody.status, nobody.body.error.code]).toEqual([404, 'agent_profile_not_found']);
  });
});

describe('learning inputs', () => {
  it('409: at most ten are open of a profile', async () => {
    const other = await Workplace.open(app);
    const { agent } = await other.run({ task: { kind: 'learning' } });
    for (let nth = 0; nth < 10; nth += 1)
      await openByAgent(agent, other.organizationId, { ...INPUT, title: `Q ${nth}` });
    const { status, body } = await agent.post(other.agentPath('/inbox'), INPUT);
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
    // What the task waits for is another thing, and so are other profiles.
    await openByAgent(agent, other.organizationId);
    const support = await other.run({ task: { kind: 'learning' } }, 'support');
    await openByAgent(support.agent, other.organizationId, INPUT);
  });

  it('400: no run hands off to one', async () => {
    const { agent } = await place.run({ task: { kind: 'learning' } });
    const inboxItemId = await openByAgent(agent, place.organizationId, INPUT);
    const outcome = { kind: 'handoff', summary: 'Wait.', inboxItemId };
    const { status, body } = await agent.put(place.agentPath('/execution/outcome'), outcome);
    expect([status, body.error.issues[0].code]).toEqual([400, 'unknown_reference']);
  });
});
