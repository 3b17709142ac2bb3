import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelTurn,
  type ClaimedTurn,
  claimTurn,
  endTurnRest,
  waitingTurns,
  heldTurn,
  lapseTurn,
  onTurn,
  turnRow,
  WORKPLACE,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
});

/** Seconds of the rest, to the next whole one. */
async function restOf(): Promise<number> {
  const { rows } = await app.db.query<{ rest: number }>(
    `select ceil(extract(epoch from rests_until - clock_timestamp()))::int as rest from message where id = $1`,
    [turn.turnId],
  );
  return rows[0]!.rest;
}

const release = () => onTurn(app, turn, 'release');

describe('POST /internal/chat-turns/{turnId}/release: 200', () => {
  it('gives the turn back, and counts no attempt', async () => {
    const { status, body } = await release();
    expect([status, body.data]).toEqual([200, { status: 'pending', revision: 1, cancelRequested: false }]);
    expect(await turnRow(app, turn)).toMatchObject({
      leased: false,
      attempt: 0,
      lease_token_hash: null,
      resting: true,
    });
    await endTurnRest(app, turn);
    expect((await claimTurn(app, organization.id)).turnId).toBe(turn.turnId);
  });

  it('lets it rest for longer with each release in a row, and others go first', async () => {
    const [other] = await waitingTurns(app, organization.id, 1);
    const rests: number[] = [];
    for (let time = 1; time <= 8; time += 1) {
      expect((await release()).status).toBe(200);
      rests.push(await restOf());
      // The older one rests.
      if (time === 1) expect((await claimTurn(app, organization.id)).turnId).toBe(other!.turnId);
      await endTurnRest(app, turn);
      turn = await claimTurn(app, organization.id);
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('begins the row anew once an attempt has begun', async () => {
    await release();
    await endTurnRest(app, turn);
    turn = await claimTurn(app, organization.id);
    await onTurn(app, turn, 'running', WORKPLACE);
    await onTurn(app, turn, 'fail', { error: { code: 'failed', message: 'It failed.', retryable: true } });
    turn = await claimTurn(app, organization.id);
    await release();
    expect(await restOf()).toBe(1);
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
    ['is of a deleted organization', () => owner.delete(`/organizations/${organization.id}`)],
  ])('refuses a lease that %s', async (_what, given) => {
    await given();
    const { status, body } = await release();
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
  });
});
