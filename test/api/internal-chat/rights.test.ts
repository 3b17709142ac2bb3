import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Client } from '../../support/client.ts';
import { createChat, postMessage } from '../../support/factories/chats.ts';
import { scheduleBody } from '../../support/factories/schedules.ts';
import { createTask, taskBody } from '../../support/factories/tasks.ts';
import { cancelTurn, type ClaimedTurn, heldTurn, lapseTurn, onTurn, setTurn } from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** What a chat turn may do with the capability of its execution. */
const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
let agent: Client;
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
  agent = app.client(turn.executionToken);
});

const at = (rest: string) => `/internal/agent/organizations/${organization.id}${rest}`;
const conflict = { status: 409, body: { error: { code: 'state_conflict' } } };
const disable = () =>
  owner.patch(`/organizations/${organization.id}/agent-profiles/${turn.agentProfileId}`, { status: 'disabled' });

describe('tasks from a chat turn', () => {
  it('are created with chat and message as their source', async () => {
    const { status, body } = await agent.post(
      at('/tasks'),
      taskBody({ ownerAgentProfileKey: 'growth', dedupeKey: 'a' }),
    );
    expect([status, body.data]).toMatchObject([
      201,
      { sourceChatId: turn.chatId, sourceMessageId: turn.userMessageId, createdByRunId: null, identifierScope: 'GRO' },
    ]);
    expect((await agent.post(at('/tasks'), taskBody({ dedupeKey: 'a' }))).status).toBe(200);
    const found = await agent.get(at(`/tasks?sourceChatId=${turn.chatId}`));
    expect(found.body.data).toMatchObject([{ id: body.data.id }]);
  });

  it('are seen whoever owns them, with their graph, and cancelled', async () => {
    const { id } = await createTask(owner, organization.id, { ownerAgentProfileKey: 'support' });
    expect((await agent.get(at(`/tasks/${id}`))).body.data.id).toBe(id);
    expect((await agent.get(at(`/tasks/${id}/graph`))).body.data.focusTaskId).toBe(id);
    expect((await agent.post(at(`/tasks/${id}/cancel`))).body.data.status).toBe('cancelled');
  });

  it('are not created for a disabled profile, whose turn may end normally', async () => {
    await disable();
    expect(await agent.post(at('/tasks'), taskBody())).toMatchObject(conflict);
    expect((await agent.get(at('/tasks'))).status).toBe(200);
    expect((await onTurn(app, turn, 'heartbeat')).status).toBe(200);
    expect((await onTurn(app, turn, 'complete')).status).toBe(200);
  });
});

describe('a chat turn does nothing for a person that the token could not do that posted the message', () => {
  const limitedTo = (scopes: readonly string[] | null) =>
    app.db.query('update message set scopes = $2 where id = $1', [turn.userMessageId, scopes]);
  /** Every write of a turn that is not its own. */
  const acts = async () => {
    const { id } = await createTask(owner, organization.id);
    return [
      await agent.post(at('/tasks'), taskBody()),
      await agent.post(at(`/tasks/${id}/cancel`)),
      await agent.post(at('/schedules'), scheduleBody()),
    ];
  };

  it('with scopes that the message keeps', async () => {
    const { body } = await owner.post('/owner-tokens', { name: 'posts', scopes: ['work', 'decide'] });
    const chatId = await createChat(owner, organization.id);
    const posted = await postMessage(app.client(body.data.token), organization.id, chatId, 'Hello');
    const { rows } = await app.db.query('select scopes from message where id = $1', [posted.body.data.userMessage.id]);
    expect(rows).toEqual([{ scopes: ['work', 'decide'] }]);
  });

  it('401 not_in_scope, and nothing is changed', async () => {
    await limitedTo(['read', 'decide', 'settings']);
    for (const { status, body } of await acts())
      expect([status, body.error]).toMatchObject([
        401,
        { code: 'agent_unauthorized', issues: [{ path: 'authorization', code: 'not_in_scope' }] },
      ]);
    const { rows } = await app.db.query(
      `select status from task where organization_id = $1 union all select status from schedule where organization_id = $1 and origin = 'user'`,
      [organization.id],
    );
    expect(rows.map(({ status }) => status)).not.toContain('cancelled');
    expect(rows).toHaveLength(1);
  });

  it('but reads, and keeps what is its own', async () => {
    await limitedTo(['settings']);
    for (const path of ['/tasks', '/execution', '/schedules']) expect((await agent.get(at(path))).status).toBe(200);
    const row = { kind: 'draft', payload: { step: 1 }, expectedVersion: 0 };
    expect((await agent.put(at(`/durability/chat/${turn.chatId}.draft`), row)).status).toBe(200);
    expect((await onTurn(app, turn, 'complete')).status).toBe(200);
  });

  it('with no limit where the release that stored the message knew none', async () => {
    await limitedTo(null);
    for (const { status } of await acts()) expect(status).toBeLessThan(300);
  });
});

describe('checkpoints of a chat turn', () => {
  const row = { kind: 'draft', payload: { step: 1 }, expectedVersion: 0 };

  it('belong to the chat, and are found by its next turn', async () => {
    const key = at(`/durability/chat/${turn.chatId}.draft`);
    const { status, body } = await agent.put(key, row);
    expect([status, body.data]).toMatchObject([200, { namespace: 'chat', version: 1, sourceRunId: null }]);
    expect((await agent.get(key)).body.data.payload).toEqual({ step: 1 });
    const { checkpoints } = (await agent.get(at('/execution'))).body.data;
    expect(checkpoints).toEqual([{ namespace: 'chat', key: `${turn.chatId}.draft`, version: 1 }]);
    expect((await agent.delete(`${key}?expectedVersion=1`)).status).toBe(200);
  });

  it('of another chat, or a task, are not found', async () => {
    const other = await heldTurn(app, organization.id);
    await app.client(other.executionToken).put(at(`/durability/chat/${other.chatId}`), row);
    for (const path of [`/durability/chat/${other.chatId}`, `/durability/task/${turn.chatId}`])
      for (const answer of [
        await agent.get(at(path)),
        await agent.put(at(path), row),
        await agent.delete(`${at(path)}?expectedVersion=1`),
      ])
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('schedules from a chat turn', () => {
  const make = (body: Record<string, unknown> = {}, by = agent) => by.post(at('/schedules'), scheduleBody(body));

  it('are a user’s, with chat and message as their source', async () => {
    const { status, body } = await make({
      task: { title: 'Report', objective: 'Write it', ownerAgentProfileKey: 'growth' },
    });
    expect([status, body.data]).toMatchObject([
      201,
      {
        origin: 'user',
        agentProfileId: turn.agentProfileId,
        createdByAgentProfileId: turn.agentProfileId,
        sourceRunId: null,
        sourceChatId: turn.chatId,
        sourceMessageId: turn.turnId,
      },
    ]);
    expect((await agent.post(at(`/schedules/${body.data.id}/pause`), {})).body.data.status).toBe('paused');
  });

  it('are made through the runtime that names the turn', async () => {
    const named = { agentProfileId: turn.agentProfileId, turnId: turn.turnId };
    const { status, body } = await make(named, app.service);
    expect([status, body.data]).toMatchObject([201, { origin: 'user', sourceChatId: turn.chatId }]);
    expect((await make({ ...named, key: 'other', turnId: randomUUID() }, app.service)).status).toBe(409);
    await lapseTurn(app, turn);
    expect(await make({ ...named, key: 'another' }, app.service)).toMatchObject(conflict);
    const { data } = (await owner.get(`/organizations/${organization.id}/schedules`)).body;
    expect(data).toHaveLength(1);
  });

  it('are not made for a disabled profile', async () => {
    await disable();
    expect(await make()).toMatchObject(conflict);
  });
});

describe('what only a run may do', () => {
  it.each([
    ['stage an outcome', '/execution/outcome', { kind: 'planned', summary: 'A plan.' }],
    ['store an artifact', `/artifacts/${'a'.repeat(64)}`, undefined],
  ])('is refused as a forged token: %s', async (_what, path, body) => {
    const answer = await agent.put(
      at(path),
      body ?? 'bytes',
      body ? {} : { 'content-type': 'application/octet-stream' },
    );
    expect([answer.status, answer.body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('the capability of a turn', () => {
  it('lives on while the turn is being cancelled, for the 30 seconds that it has', async () => {
    await cancelTurn(app, turn);
    expect((await agent.get(at('/tasks'))).status).toBe(200);
    await cancelTurn(app, turn, '30 s');
    expect(await agent.get(at('/tasks'))).toMatchObject(conflict);
  });

  it('is another claim’s no more', async () => {
    await setTurn(app, turn, 'generation = generation + 1');
    expect(await agent.get(at('/tasks'))).toMatchObject(conflict);
  });
});
