import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import {
  cancelTurn,
  type ClaimedTurn,
  claimTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  turnRow,
  WORKPLACE,
} from '../../support/turns.ts';

let app: TestApp;
let owner: Client;
let organizationId: string;
let turn: ClaimedTurn;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.person();
});
afterAll(() => app.close());
beforeEach(async () => {
  organizationId = await organizationOf(owner);
  turn = await heldTurn(app, organizationId);
});

const release = () => onTurn(app, turn, 'release');

describe('POST /internal/chat-turns/{turnId}/release: 200', () => {
  it('gives the turn back, and counts no attempt', async () => {
    const { status, body } = await release();
    expect([status, body.data]).toEqual([200, { status: 'pending', revision: 1, cancelRequested: false }]);
    expect(await turnRow(app, turn)).toMatchObject({ leased: false, attempt: 0, lease_token_hash: null });
    expect((await claimTurn(app, organizationId)).turnId).toBe(turn.turnId);
  });
});

describe('POST /internal/chat-turns/{turnId}/release: 409', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['has begun to stream', () => onTurn(app, turn, 'running', WORKPLACE)],
    ['is being cancelled', () => cancelTurn(app, turn)],
  ])('refuses one that %s', async (_what, given) => {
    await given();
    const { status, body } = await release();
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'already_streaming']);
    expect((await turnRow(app, turn)).leased).toBe(true);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['was given back', release],
    ['has lapsed', () => lapseTurn(app, turn)],
    ['has ended', () => onTurn(app, turn, 'complete')],
    ['is of a deleted organization', () => owner.delete(`/organizations/${organizationId}`)],
  ])('refuses a lease that %s', async (_what, given) => {
    await given();
    const { status, body } = await release();
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
  });
});
