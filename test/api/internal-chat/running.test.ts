import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  append,
  cancelTurn,
  type ClaimedTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  turnRow,
  WORKPLACE,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
});

const running = (body: Record<string, unknown> = {}) => onTurn(app, turn, 'running', { ...WORKPLACE, ...body });
const chat = async () =>
  (await app.db.query(`select * from chat where organization_id = $1 and id = $2`, [organization.id, turn.chatId]))
    .rows[0];
const advanceEpoch = () =>
  app.db.query(`update organization set authorization_epoch = authorization_epoch + 1 where id = $1`, [
    organization.id,
  ]);

describe('POST /internal/chat-turns/{turnId}/running: 200', () => {
  it('makes the message stream, and counts the attempt', async () => {
    const { status, body } = await running();
    expect([status, body.data]).toEqual([200, { status: 'streaming', revision: 2, cancelRequested: false }]);
    expect(await turnRow(app, turn)).toMatchObject({ attempt: 1, harness: 'harness/1', model: 'model-1' });
    expect(await chat()).toMatchObject({ harness_session_id: null });
  });

  it('changes nothing when it is repeated', async () => {
    const first = await running();
    const row = await turnRow(app, turn);
    const again = await running();
    expect(again.body.data).toEqual(first.body.data);
    expect(await turnRow(app, turn)).toEqual(row);
  });

  it('counts no second attempt after an append', async () => {
    await append(app, turn, 0, 'Hello');
    expect((await running()).body.data).toMatchObject({ status: 'streaming', revision: 3 });
    expect((await turnRow(app, turn)).attempt).toBe(1);
  });

  it('keeps the session on the chat, with the epoch of the claim', async () => {
    await running({ harnessSessionId: 'session-1' });
    expect(await chat()).toMatchObject({ harness_session_id: 'session-1', harness_session_epoch: 1 });
  });

  it('keeps no session once the epoch has advanced since the claim', async () => {
    await advanceEpoch();
    expect((await running({ harnessSessionId: 'session-1' })).status).toBe(200);
    expect(await chat()).toMatchObject({ harness_session_id: null, harness_session_epoch: null });
  });

  it('lets a turn that is being cancelled know', async () => {
    await cancelTurn(app, turn);
    expect((await running()).body.data).toEqual({ status: 'cancelling', revision: 3, cancelRequested: true });
    expect((await turnRow(app, turn)).harness).toBe('harness/1');
  });
});

describe('POST /internal/chat-turns/{turnId}/running: 400', () => {
  it.each([
    ['no harness', { harness: undefined }, 'harness'],
    ['a long model', { model: 'x'.repeat(201) }, 'model'],
    ['an empty session', { harnessSessionId: '' }, 'harnessSessionId'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await running(body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
  });
});

describe('POST /internal/chat-turns/{turnId}/running: 409', () => {
  it('refuses other values than before', async () => {
    await running();
    const { status, body } = await running({ model: 'another' });
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'already_running']);
    expect((await turnRow(app, turn)).model).toBe('model-1');
  });

  it('refuses a lapsed lease', async () => {
    await lapseTurn(app, turn);
    expect((await running()).body.error.code).toBe('run_lease_expired');
    expect((await turnRow(app, turn)).status).toBe('pending');
  });
});
