import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChatSignalsService, type MessageSignal } from '../../../src/modules/chats/chat-signals.service.ts';
import { organizationOf } from '../../support/client.ts';
import {
  append,
  cancelTurn,
  type ClaimedTurn,
  FAILURE,
  heldTurn,
  lapseTurn,
  onTurn,
  streamingTurn,
  turnRow,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
const signals: MessageSignal[] = [];

beforeAll(() => {
  app.app.get(ChatSignalsService).onMessage((signal) => signals.push(signal));
});
beforeEach(async () => {
  turn = await streamingTurn(app, organization.id);
  signals.length = 0;
});

const complete = (body: Record<string, unknown> = {}) => onTurn(app, turn, 'complete', body);
const chat = async () =>
  (await app.db.query(`select * from chat where organization_id = $1 and id = $2`, [organization.id, turn.chatId]))
    .rows[0];
const USAGE = { inputTokens: 10, outputTokens: 20, toolCalls: 1, costMinorUnits: 2 };

describe('POST /internal/chat-turns/{turnId}/complete: 200', () => {
  it('folds what was appended into parts, as they were begun', async () => {
    await append(app, turn, 0, 'And ', 'a');
    await append(app, turn, 5, ', Ada.');
    await append(app, turn, 4, 'more.', 'a');
    const before = await turnRow(app, turn);
    const { status, body } = await complete({ usage: USAGE });
    expect([status, body.data]).toEqual([200, { status: 'complete', revision: 7, cancelRequested: false }]);
    const row = await turnRow(app, turn);
    expect(row).toMatchObject({
      leased: false,
      usage: USAGE,
      error: null,
      parts: [
        { id: 'p1', kind: 'text', text: 'Hello, Ada.' },
        { id: 'a', kind: 'text', text: 'And more.' },
      ],
    });
    expect(row.completed_at.getTime()).toBeGreaterThanOrEqual(before.updated_at.getTime());
    expect(row.chunks_expire_at - row.completed_at).toBe(300_000);
    expect(signals).toContainEqual({
      organizationId: organization.id,
      chatId: turn.chatId,
      messageId: turn.turnId,
      revision: 7,
      delta: null,
    });
  });

  it('takes parts instead', async () => {
    const parts = [{ id: 'final', kind: 'text', text: 'Hello.' }];
    await complete({ parts });
    expect((await turnRow(app, turn)).parts).toEqual(parts);
  });

  it('completes a turn that never began to stream', async () => {
    turn = await heldTurn(app, await organizationOf(owner));
    expect((await complete()).body.data).toEqual({ status: 'complete', revision: 2, cancelRequested: false });
    expect((await turnRow(app, turn)).parts).toEqual([]);
  });

  it('leaves title, summary and session in the chat, and only what is said', async () => {
    await complete({ title: '  Launch  in March ', summary: 'Planned.', harnessSessionId: 'session-1' });
    expect(await chat()).toMatchObject({
      title: 'Launch in March',
      summary: 'Planned.',
      harness_session_id: 'session-1',
      harness_session_epoch: 1,
    });
    const before = await chat();
    const next = await heldTurn(app, organization.id);
    await app.db.query(`update message set chat_id = $3 where organization_id = $1 and id = $2`, [
      organization.id,
      next.turnId,
      turn.chatId,
    ]);
    await onTurn(app, next, 'complete', { summary: 'Done.' });
    expect(await chat()).toMatchObject({ ...before, summary: 'Done.', updated_at: expect.anything() });
  });

  it('leaves no session once the epoch has advanced since the claim', async () => {
    await app.db.query(`update organization set authorization_epoch = 2 where id = $1`, [organization.id]);
    await complete({ title: 'Named', harnessSessionId: 'session-1' });
    expect(await chat()).toMatchObject({ title: 'Named', harness_session_id: null, harness_session_epoch: null });
  });

  it('answers a repeat with the same body the same, and moves nothing', async () => {
    const body = { title: 'Named', usage: USAGE };
    const first = await complete(body);
    await app.db.query(`update chat set title = 'Renamed' where organization_id = $1`, [organization.id]);
    const row = await turnRow(app, turn);
    signals.length = 0;
    const again = await complete(body);
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect([await turnRow(app, turn), (await chat()).title, signals]).toEqual([row, 'Renamed', []]);
  });

  it('wins over a cancel that came less than 30 seconds before', async () => {
    await cancelTurn(app, turn, '29 s');
    expect((await complete()).body.data).toEqual({ status: 'complete', revision: 5, cancelRequested: true });
  });

  it('stands in the activity log', async () => {
    await complete({ title: 'Named' });
    const { data } = (await owner.get(`/organizations/${organization.id}/activity?verb=message.completed`)).body;
    expect(data).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'agent', name: 'chat' }),
        subject: { kind: 'message', id: turn.turnId, label: 'Named' },
        details: { chatId: turn.chatId },
      }),
    ]);
  });
});

describe('POST /internal/chat-turns/{turnId}/complete: 400', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a title that is no text', { title: 5 }, 'title'],
    ['a part of another kind', { parts: [{ id: 'a', kind: 'image', text: '' }] }, 'parts.0.kind'],
    ['two parts of one id', { parts: ['a', 'b', 'a'].map((id) => ({ id, kind: 'text', text: 'x' })) }, 'parts.2.id'],
    ['a usage without numbers', { usage: {} }, 'usage.inputTokens'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await complete(body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
    expect((await turnRow(app, turn)).status).toBe('streaming');
  });
});

describe('POST /internal/chat-turns/{turnId}/complete: 409', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['has lapsed', () => lapseTurn(app, turn)],
    ['is of a turn that was completed with another body', () => complete({ title: 'Before' })],
    ['is of a turn that failed', () => onTurn(app, turn, 'fail', { error: { ...FAILURE, retryable: false } })],
    ['is of a turn that was to end 30 seconds ago', () => cancelTurn(app, turn, '30 s')],
    ['is of a deleted chat', () => app.db.query(`update chat set deleted_at = now() where id = $1`, [turn.chatId])],
    ['is of a deleted organization', () => owner.delete(`/organizations/${organization.id}`)],
  ])('refuses a lease that %s', async (what, given) => {
    await given();
    const before = await turnRow(app, turn);
    const { status, body } = await complete();
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    // The lease of a deleted chat is cleared by its deletion.
    if (!what.includes('deleted chat')) expect(await turnRow(app, turn)).toEqual(before);
  });
});
