import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  cancelTurn,
  type ClaimedTurn,
  lapseTurn,
  onTurn,
  streamingTurn,
  turnRow,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
beforeEach(async () => {
  turn = await streamingTurn(app, organization.id);
});

const cancelled = (body: Record<string, unknown> = {}) => onTurn(app, turn, 'cancelled', body);

describe('POST /internal/chat-turns/{turnId}/cancelled: 200', () => {
  it('ends a turn that was to end, with the text so far', async () => {
    await cancelTurn(app, turn);
    const usage = { inputTokens: 1, outputTokens: 2, toolCalls: 0, costMinorUnits: 0 };
    const { status, body } = await cancelled({ usage });
    expect([status, body.data]).toEqual([200, { status: 'cancelled', revision: 5, cancelRequested: true }]);
    expect(await turnRow(app, turn)).toMatchObject({ leased: false, usage, error: null, parts: [{ text: 'Hello' }] });
    expect((await cancelled({ usage })).body.data).toEqual(body.data);
  });
});

describe('POST /internal/chat-turns/{turnId}/cancelled: 409', () => {
  it('refuses a turn that nobody wants to end', async () => {
    const before = await turnRow(app, turn);
    const { status, body } = await cancelled();
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'not_cancelling']);
    expect(await turnRow(app, turn)).toEqual(before);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['has lapsed', async () => (await cancelTurn(app, turn), lapseTurn(app, turn))],
    // Its body was the same.
    ['is of a turn that has completed', () => onTurn(app, turn, 'complete')],
  ])('refuses a lease that %s', async (_what, given) => {
    await given();
    expect((await cancelled()).body.error.code).toBe('run_lease_expired');
  });
});
