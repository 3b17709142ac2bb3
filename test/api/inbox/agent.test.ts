import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, type Client, organizationOf } from '../../support/client.ts';
import { blockedTask, itemRow, openByAgent, openNotice, QUESTION } from '../../support/factories/inbox.ts';
import { chatRow } from '../../support/factories/chats.ts';
import { heldTurn, onTurn, type ClaimedTurn, WORKPLACE } from '../../support/factories/turns.ts';
import { changeRow, type Columns } from '../../support/factories/rows.ts';
import { requestsOf } from '../../support/factories/tasks.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const path = (rest = '') => place.agentPath(`/inbox${rest}`);
const ownersPath = (rest = '') => place.path(`/human-inbox${rest}`);
const read = async (id: string) => (await place.owner.get(ownersPath(`/${id}`))).body.data;
const NOTICE = { ...QUESTION, kind: 'notification' } as const;

/** A turn that a person's message has just begun. */
async function turnNow(): Promise<ClaimedTurn & { readonly agent: Client }> {
  const turn = await heldTurn(app, place.organizationId);
  return { ...turn, agent: app.client(turn.executionToken) };
}

const refusal = ({ status, body }: Answer) => [status, body.error.code, body.error.issues?.[0]];

describe('POST …/inbox: 201', () => {
  it('opens a question of a run, with all that people are shown', async () => {
    const { agent, runId, taskId } = await place.run();
    const presentation = {
      summary: 'Two prices are possible.',
      options: [
        { id: 'old-price', label: 'The old price', description: 'Until Friday' },
        { id: 'new-price', label: 'The new price' },
      ],
      recommendedOptionId: 'old-price',
      allowFreeText: false,
    };
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '000Z');
    const { status, body } = await agent.post(path(), { ...QUESTION, presentation, expiresAt });
    expect([status, body.data]).toEqual([
      201,
      {
        ...QUESTION,
        id: body.data.id,
        organizationId: place.organizationId,
        purpose: 'task',
        status: 'open',
        severity: 'action_required',
        presentation,
        openedBy: { kind: 'agent', profileKey: 'growth' },
        taskId,
        runId,
        chatId: null,
        actionId: null,
        blocking: false,
        occurrences: 1,
        response: null,
        closure: null,
        expiresAt,
        createdAt: body.data.createdAt,
        updatedAt: body.data.createdAt,
      },
    ]);
    expect(await read(body.data.id)).toEqual(body.data);
    const log = await place.owner.get(place.path(`/activity?subjectId=${body.data.id}`));
    expect(log.body.data).toMatchObject([
      { verb: 'inbox_item.opened', actor: { kind: 'agent', name: 'growth' }, details: { kind: 'question', taskId } },
    ]);
  });

  it('opens notifications of runs and turns', async () => {
    const { agent } = await place.run();
    const plain = await agent.post(path(), NOTICE);
    expect([plain.status, plain.body.data]).toMatchObject([
      201,
      { purpose: null, severity: 'info', presentation: { allowFreeText: true }, expiresAt: null },
    ]);
    const turn = await turnNow();
    const { body } = await turn.agent.post(path(), { ...NOTICE, severity: 'attention' });
    expect(body.data).toMatchObject({
      severity: 'attention',
      openedBy: { kind: 'agent', profileKey: 'chat' },
      taskId: null,
      runId: null,
      chatId: turn.chatId,
    });
  });

  it('opens questions for learning in a run of a learning task', async () => {
    const { agent } = await place.run({ task: { kind: 'learning' } });
    const { status, body } = await agent.post(path(), { ...QUESTION, purpose: 'learning_input' });
    expect([status, body.data]).toMatchObject([201, { purpose: 'learning_input', severity: 'attention' }]);
  });

  it('opens a key again once its item is closed or past its time', async () => {
    const { agent } = await place.run();
    const keyed = { dedupeKey: 'price' };
    const first = await openByAgent(agent, place.organizationId, keyed);
    await place.owner.post(ownersPath(`/${first}/respond`), { response: 'the old one' });
    const second = await openByAgent(agent, place.organizationId, keyed);
    await changeRow(app, 'inbox_item', second, { expires_at: '2020-01-01T00:00:00Z' });
    const third = await openByAgent(agent, place.organizationId, keyed);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await read(second)).toMatchObject({ status: 'expired', closure: { by: null } });
  });
});

describe('POST …/inbox: 200', () => {
  it('answers with the open item of a key in the task, as it is', async () => {
    const { agent, taskId } = await place.run();
    const id = await openByAgent(agent, place.organizationId, { dedupeKey: 'price' });
    const before = await read(id);
    const repeated = { title: 'Worded differently', body: 'Another', dedupeKey: 'price', kind: 'notification' };
    const again = await agent.post(path(), repeated);
    expect([again.status, again.body.data]).toEqual([200, before]);
    // Another run of the task meets it too, another task and a chat do not.
    const next = await place.run({ taskId, request: { status: 'completed' } });
    expect((await next.agent.post(path(), { ...QUESTION, dedupeKey: 'price' })).body.data.id).toBe(id);
    const other = await place.run();
    expect((await other.agent.post(path(), { ...QUESTION, dedupeKey: 'price' })).status).toBe(201);
    const turn = await turnNow();
    expect((await turn.agent.post(path(), { ...NOTICE, dedupeKey: 'price' })).status).toBe(201);
    expect((await turn.agent.post(path(), { ...NOTICE, dedupeKey: 'price' })).status).toBe(200);
  });
});

describe('POST …/inbox: 400', () => {
  const options = [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ];
  it.each<[string, Columns, string, string]>([
    ['an approval', { kind: 'approval' }, 'kind', 'unknown_value'],
    ['no title', { title: ' ' }, 'title', 'invalid_length'],
    ['a long title', { title: 'x'.repeat(201) }, 'title', 'invalid_length'],
    ['a title that commands a terminal', { title: 'a\u001B[2J' }, 'title', 'invalid_text'],
    ['a body that commands a terminal', { body: 'a\u001B[2J' }, 'body', 'invalid_text'],
    ['no body', { body: '' }, 'body', 'invalid_length'],
    ['a long body', { body: 'x'.repeat(10_001) }, 'body', 'invalid_length'],
    ['an unknown purpose', { purpose: 'chat' }, 'purpose', 'unknown_value'],
    ['a purpose of a notification', { kind: 'notification', purpose: 'task' }, 'purpose', 'not_of_kind'],
    ['a question for information', { severity: 'info' }, 'severity', 'not_of_kind'],
    ['an urgent notification', { kind: 'notification', severity: 'action_required' }, 'severity', 'not_of_kind'],
    ['one option', { presentation: { options: options.slice(1) } }, 'presentation.options', 'invalid_length'],
    [
      'the same option twice',
      { presentation: { options: [options[0], options[0]] } },
      'presentation.options.1.id',
      'duplicate_item',
    ],
    [
      'an option that is no slug',
      { presentation: { options: [options[0], { id: 'No!', label: 'No' }] } },
      'presentation.options.1.id',
      'invalid_slug',
    ],
    [
      'a recommendation that is no option',
      { presentation: { options, recommendedOptionId: 'maybe' } },
      'presentation.recommendedOptionId',
      'unknown_reference',
    ],
    ['options only, but none', { presentation: { allowFreeText: false } }, 'presentation.options', 'required'],
    ['an owner’s fields', { status: 'answered' }, 'status', 'unknown_property'],
    ['a task', { taskId: randomUUID() }, 'taskId', 'unknown_property'],
    ['a time too near', { expiresAt: new Date(Date.now() + 240_000).toISOString() }, 'expiresAt', 'out_of_range'],
    [
      'a time too far',
      { expiresAt: new Date(Date.now() + 91 * 86_400_000).toISOString() },
      'expiresAt',
      'out_of_range',
    ],
    ['a long key', { dedupeKey: 'x'.repeat(201) }, 'dedupeKey', 'invalid_length'],
  ])('%s', async (_what, body, at, code) => {
    const { agent, runId } = await place.run();
    const answer = await agent.post(path(), { ...QUESTION, ...body });
    expect([answer.status, answer.body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
    expect((await place.owner.get(ownersPath(`?runId=${runId}`))).body.data).toEqual([]);
  });
});

describe('POST …/inbox: 401', () => {
  it('for runtimes, owners and executions of another organization', async () => {
    const elsewhere = await app.execution({ organizationId: await organizationOf(await app.person()) });
    for (const client of [app.service, place.owner, elsewhere, app.anonymous])
      expect((await client.post(path(), QUESTION)).status).toBe(401);
  });

  it('for a turn whose message was posted by a token that may not begin work', async () => {
    const turn = await turnNow();
    await changeRow(app, 'message', turn.userMessageId, { scopes: ['read', 'decide'] });
    expect(refusal(await turn.agent.post(path(), NOTICE))).toMatchObject([
      401,
      'agent_unauthorized',
      { code: 'not_in_scope' },
    ]);
  });
});

describe('POST …/inbox: 409', () => {
  it('for what a turn, and a run of other work than learning, may not open', async () => {
    const turn = await turnNow();
    const run = await place.run();
    for (const [client, body, at] of [
      [turn.agent, QUESTION, 'kind'],
      [turn.agent, { ...QUESTION, purpose: 'learning_input' }, 'kind'],
      [run.agent, { ...QUESTION, purpose: 'learning_input' }, 'purpose'],
    ] as const)
      expect(refusal(await client.post(path(), body))).toMatchObject([
        409,
        'state_conflict',
        { path: at, code: 'not_permitted' },
      ]);
  });

  it('once the run or turn is over, its task has ended, or its profile is disabled', async () => {
    const over = await place.run({ run: { status: 'succeeded' } });
    const cancelled = await place.run({ task: { status: 'cancelled' } });
    const turn = await turnNow();
    await onTurn(app, turn, 'running', WORKPLACE);
    await onTurn(app, turn, 'complete', {});
    for (const { agent } of [over, cancelled, turn])
      expect((await agent.post(path(), NOTICE)).body.error?.code).toBe('state_conflict');
    const { agent } = await place.run({}, 'support');
    await place.owner.patch(place.path(`/agent-profiles/${place.profile('support')}`), { status: 'disabled' });
    expect((await agent.post(path(), NOTICE)).body.error?.code).toBe('state_conflict');
    await place.owner.patch(place.path(`/agent-profiles/${place.profile('support')}`), { status: 'enabled' });
  });

  it('with 20 open items of the run or turn, until one is closed', async () => {
    const run = await place.run();
    const turn = await turnNow();
    for (const [agent, row] of [
      [run.agent, { task_id: run.taskId, run_id: run.runId }],
      [turn.agent, { chat_id: turn.chatId, turn_id: turn.turnId }],
    ] as const) {
      const ids: string[] = [];
      for (let nth = 0; nth < 20; nth += 1)
        ids.push(await itemRow(app, place.organizationId, { kind: 'notification', ...row }));
      expect(refusal(await agent.post(path(), NOTICE))).toMatchObject([409, 'state_conflict', undefined]);
      await place.owner.post(ownersPath(`/${ids[0]}/acknowledge`));
      // At once, one of two fits.
      const statuses = await Promise.all([1, 2, 3].map(async () => (await agent.post(path(), NOTICE)).status));
      expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    }
  });
});

describe('GET …/inbox: 200', () => {
  it('shows a turn of the chat profile what owners see', async () => {
    const { itemId } = await blockedTask(app, place.organizationId);
    const { agent } = await turnNow();
    const rest = '?status=open&kind=question&limit=3';
    const [list, owners] = [await agent.get(path(rest)), await place.owner.get(ownersPath(rest))];
    expect([list.status, list.body.data, list.body.pagination]).toEqual([
      200,
      owners.body.data,
      owners.body.pagination,
    ]);
    expect((await agent.get(path('/summary'))).body.data).toEqual(
      (await place.owner.get(place.path('/inbox/summary'))).body.data,
    );
    expect((await agent.get(path(`/${itemId}`))).body.data).toEqual(await read(itemId));
  });
});

describe('GET and POST …/inbox of others than turns of the chat: 401', () => {
  it('for runs of any profile, runtimes and owners', async () => {
    const id = await itemRow(app, place.organizationId);
    const run = await place.run({}, 'chat');
    const department = await place.run();
    // Few, since failed attempts are limited.
    for (const answer of [
      await run.agent.get(path()),
      await run.agent.get(path('/summary')),
      await run.agent.get(path(`/${id}`)),
      await run.agent.post(path(`/${id}/respond`), { response: 'yes' }),
      await run.agent.post(path(`/${id}/acknowledge`)),
      await department.agent.get(path()),
      await app.service.get(path()),
      await place.owner.get(path()),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([401, 'agent_unauthorized']);
    expect(await read(id)).toMatchObject({ status: 'open' });
  });
});

describe('POST …/inbox/{inboxItemId}/respond: 200', () => {
  it('records the answer of the person whose message the turn answers', async () => {
    const { taskId, itemId } = await blockedTask(app, place.organizationId);
    const turn = await turnNow();
    const { status, body } = await turn.agent.post(path(`/${itemId}/respond`), { response: 'the old one' });
    const by = { kind: 'human', id: null, name: 'Ada' };
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: 'answered',
        response: { text: 'the old one', respondedBy: by, channel: 'chat', messageId: turn.userMessageId },
        closure: { by },
      },
    ]);
    expect(await requestsOf(app, taskId)).toEqual(['queued']);
    const log = await place.owner.get(place.path(`/activity?subjectId=${itemId}`));
    expect(log.body.data).toMatchObject([{ verb: 'inbox_item.answered', actor: { kind: 'agent', name: 'chat' } }]);
    // The same text, by whomever.
    expect((await place.owner.post(ownersPath(`/${itemId}/respond`), { response: 'the old one' })).body.data).toEqual(
      body.data,
    );
  });

  it('acknowledges for that person too', async () => {
    const id = await openNotice(app, place.organizationId);
    const turn = await turnNow();
    const { status, body } = await turn.agent.post(path(`/${id}/acknowledge`));
    expect([status, body.data]).toMatchObject([
      200,
      { status: 'acknowledged', closure: { by: { kind: 'human', name: 'Ada' } } },
    ]);
  });
});

describe('POST …/inbox/{inboxItemId}/respond: 401', () => {
  it('where the token that posted the message may not decide', async () => {
    const question = await itemRow(app, place.organizationId);
    const notice = await openNotice(app, place.organizationId);
    const turn = await turnNow();
    await changeRow(app, 'message', turn.userMessageId, { scopes: ['read', 'work', 'settings'] });
    for (const answer of [
      await turn.agent.post(path(`/${question}/respond`), { response: 'yes' }),
      await turn.agent.post(path(`/${notice}/acknowledge`)),
    ])
      expect(refusal(answer)).toMatchObject([401, 'agent_unauthorized', { code: 'not_in_scope' }]);
    await changeRow(app, 'message', turn.userMessageId, { scopes: ['decide'] });
    expect((await turn.agent.post(path(`/${question}/respond`), { response: 'yes' })).status).toBe(200);
  });
});

describe('POST …/inbox/{inboxItemId}/respond: 404', () => {
  it('for an unknown item, and one of another organization', async () => {
    const { agent } = await turnNow();
    for (const id of [randomUUID(), await itemRow(app, await organizationOf(await app.person()))])
      for (const answer of [
        await agent.get(path(`/${id}`)),
        await agent.post(path(`/${id}/respond`), { response: 'yes' }),
        await agent.post(path(`/${id}/acknowledge`)),
      ])
        expect([answer.status, answer.body.error.code]).toEqual([404, 'human_inbox_item_not_found']);
  });
});

describe('POST …/inbox/{inboxItemId}/respond: 409', () => {
  it('for items that are newer than the message, and notices that say something new since', async () => {
    const told = await openNotice(app, place.organizationId, { dedupeKey: 'down', title: 'It is down' });
    const turn = await turnNow();
    const question = await itemRow(app, place.organizationId, { created_at: 'now', updated_at: 'now' });
    const notice = await openNotice(app, place.organizationId);
    expect(await openNotice(app, place.organizationId, { dedupeKey: 'down', title: 'It is gone for good' })).toBe(told);
    for (const answer of [
      await turn.agent.post(path(`/${question}/respond`), { response: 'yes' }),
      await turn.agent.post(path(`/${notice}/acknowledge`)),
      await turn.agent.post(path(`/${told}/acknowledge`)),
    ])
      expect(refusal(answer)).toMatchObject([409, 'state_conflict', { code: 'newer_than_message' }]);
    for (const id of [question, notice, told]) expect(await read(id)).toMatchObject({ status: 'open' });
  });

  it('for an item that is not open, another pairing, and a turn that is over', async () => {
    const [closed, question] = [
      await itemRow(app, place.organizationId, { status: 'answered' }),
      await itemRow(app, place.organizationId),
    ];
    const turn = await turnNow();
    const answers = [
      await turn.agent.post(path(`/${closed}/respond`), { response: 'another' }),
      await turn.agent.post(path(`/${question}/acknowledge`)),
    ];
    expect(answers.map(({ body }) => body.error.code)).toEqual(['human_inbox_item_not_open', 'state_conflict']);
    await onTurn(app, turn, 'running', WORKPLACE);
    await onTurn(app, turn, 'complete', {});
    const late = await turn.agent.post(path(`/${question}/respond`), { response: 'yes' });
    expect([late.status, late.body.error.code]).toEqual([409, 'state_conflict']);
    expect(await read(question)).toMatchObject({ status: 'open' });
  });

  it('while the chat profile is disabled', async () => {
    const question = await itemRow(app, place.organizationId);
    const { agent } = await turnNow();
    await app.db.query(`update agent_profile set status = 'disabled' where id = $1`, [place.profile('chat')]);
    const answers = [await agent.get(path()), await agent.post(path(`/${question}/respond`), { response: 'yes' })];
    await app.db.query(`update agent_profile set status = 'enabled' where id = $1`, [place.profile('chat')]);
    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });
});

describe('a chat that is deleted', () => {
  it('takes along what its turns told people', async () => {
    const turn = await turnNow();
    const id = await openByAgent(turn.agent, place.organizationId, { kind: 'notification' });
    const elsewhere = await itemRow(app, place.organizationId, {
      kind: 'notification',
      chat_id: await chatRow(app, place.organizationId),
    });
    expect((await place.owner.delete(place.path(`/chats/${turn.chatId}`))).status).toBe(200);
    expect(await read(id)).toMatchObject({ status: 'withdrawn', closure: { by: null, reason: 'chat_deleted' } });
    expect(await read(elsewhere)).toMatchObject({ status: 'open' });
  });
});
