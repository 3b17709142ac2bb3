import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import {
  append,
  cancelTurn,
  claimTurn,
  type ClaimedTurn,
  FAILURE,
  heldTurn,
  lapseTurn,
  onTurn,
  streamingTurn,
  textOf,
  turnRow,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
beforeEach(async () => {
  turn = await streamingTurn(app, organization.id);
});

const fail = (retryable = true, of: ClaimedTurn = turn) =>
  onTurn(app, of, 'fail', { error: { ...FAILURE, retryable } });

describe('POST /internal/chat-turns/{turnId}/fail: 200', () => {
  it('gives a retryable turn back, with its text thrown away', async () => {
    const { status, body } = await fail();
    expect([status, body.data]).toEqual([200, { status: 'pending', revision: 4, cancelRequested: false }]);
    expect(await turnRow(app, turn)).toMatchObject({
      leased: false,
      attempt: 1,
      parts: [],
      draft: 2,
      text_bytes: 0,
      error: null,
      harness: null,
      completed_at: null,
      chunks_expire_at: null,
    });
    const again = await claimTurn(app, organization.id);
    expect(again).toMatchObject({ turnId: turn.turnId, attempt: 2 });
    await append(app, again, 0, 'Anew');
    expect(await textOf(app, again)).toBe('Anew');
  });

  it('counts an attempt that never began to stream', async () => {
    turn = await heldTurn(app, await organizationOf(owner));
    await fail();
    expect(await turnRow(app, turn)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  it('fails the turn for good after the third attempt, with the text so far', async () => {
    await fail();
    await fail(true, await claimTurn(app, organization.id));
    turn = await claimTurn(app, organization.id);
    expect(turn.attempt).toBe(3);
    await append(app, turn, 0, 'Nearly');
    expect((await fail()).body.data.status).toBe('failed');
    const row = await turnRow(app, turn);
    expect(row).toMatchObject({
      attempt: 3,
      error: { ...FAILURE, retryable: true },
      parts: [{ id: 'p1', kind: 'text', text: 'Nearly' }],
    });
    expect(row.completed_at).not.toBeNull();
  });

  it('fails the turn at once when it is not retryable', async () => {
    expect((await fail(false)).body.data).toMatchObject({ status: 'failed', revision: 4 });
    expect((await turnRow(app, turn)).error).toEqual({ ...FAILURE, retryable: false });
    const { data } = (await owner.get(`/organizations/${organization.id}/activity?verb=message.failed`)).body;
    expect(data[0]).toMatchObject({ subject: { id: turn.turnId }, details: { code: FAILURE.code } });
  });

  it('cancels a turn that was to end', async () => {
    await cancelTurn(app, turn);
    expect((await fail()).body.data).toEqual({ status: 'cancelled', revision: 5, cancelRequested: true });
    expect(await turnRow(app, turn)).toMatchObject({ error: null, parts: [{ text: 'Hello' }] });
  });

  it('answers a repeat the same, until the next claim', async () => {
    const first = await fail();
    expect((await fail()).body.data).toEqual(first.body.data);
    expect((await fail(false)).body.error.code).toBe('run_lease_expired');
    await claimTurn(app, organization.id);
    expect((await fail()).body.error.code).toBe('run_lease_expired');
  });
});

describe('POST /internal/chat-turns/{turnId}/fail: 400', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no error', {}, 'error'],
    ['a code that is no text', { error: { ...FAILURE, code: 5, retryable: true } }, 'error.code'],
    ['no word on retries', { error: FAILURE }, 'error.retryable'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await onTurn(app, turn, 'fail', body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
  });
});

describe('POST /internal/chat-turns/{turnId}/fail: 409', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['has lapsed', () => lapseTurn(app, turn)],
    ['is of a turn that has completed', () => onTurn(app, turn, 'complete')],
  ])('refuses a lease that %s', async (_what, given) => {
    await given();
    const before = await turnRow(app, turn);
    expect((await fail()).body.error.code).toBe('run_lease_expired');
    expect(await turnRow(app, turn)).toEqual(before);
  });
});
