import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import {
  cancelTurn,
  type ClaimedTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  setTurn,
  turnRow,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
});

const beat = (of: ClaimedTurn = turn) => onTurn(app, of, 'heartbeat');

describe('POST /internal/chat-turns/{turnId}/heartbeat: 200', () => {
  it('renews the lease', async () => {
    await setTurn(app, turn, `lease_expires_at = clock_timestamp() + interval '1 second'`);
    const { status, body } = await beat();
    expect([status, body.data]).toEqual([
      200,
      {
        status: 'pending',
        revision: 1,
        cancelRequested: false,
        leaseExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
        executionToken: null,
      },
    ]);
    const row = await turnRow(app, turn);
    expect(row.lease_expires_at - row.heartbeat_at).toBe(60_000);
  });

  it('writes nothing else', async () => {
    const before = await turnRow(app, turn);
    await beat();
    const { lease_expires_at: _lease, heartbeat_at: _beat, ...rest } = await turnRow(app, turn);
    expect(before).toMatchObject(rest);
  });

  it('brings a new capability once less than half of the last one’s life is left', async () => {
    await setTurn(app, turn, `capability_expires_at = clock_timestamp() + interval '449 seconds'`);
    expect((await beat()).body.data.executionToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const row = await turnRow(app, turn);
    expect(row.capability_expires_at - row.heartbeat_at).toBeGreaterThanOrEqual(899_000);
    expect((await beat()).body.data.executionToken).toBeNull();
  });

  it('passes on a request to cancel', async () => {
    await cancelTurn(app, turn);
    expect((await beat()).body.data).toMatchObject({ status: 'cancelling', revision: 2, cancelRequested: true });
  });
});

describe('POST /internal/chat-turns/{turnId}/heartbeat: 400', () => {
  it('refuses a lease of its own choice', async () => {
    const { status, body } = await onTurn(app, turn, 'heartbeat', { leaseSeconds: 600 });
    expect([status, body.error.issues[0].path]).toEqual([400, 'leaseSeconds']);
  });
});

describe('POST /internal/chat-turns/{turnId}/heartbeat: 401', () => {
  it('refuses the execution’s own capability', async () => {
    const { status, body } = await app
      .client(turn.executionToken)
      .post(`/internal/chat-turns/${turn.turnId}/heartbeat`, {
        organizationId: organization.id,
        leaseToken: turn.leaseToken,
      });
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('POST /internal/chat-turns/{turnId}/heartbeat: 409', () => {
  it.each<[string, () => Promise<ClaimedTurn>]>([
    ['another token', async () => ({ ...turn, leaseToken: 'x'.repeat(43) })],
    ['an unknown turn', async () => ({ ...turn, turnId: randomUUID() })],
    ['the question', async () => ({ ...turn, turnId: turn.userMessageId })],
    ['another organization', async () => ({ ...turn, organizationId: await organizationOf(owner) })],
    ['a lapsed lease', async () => (await lapseTurn(app, turn), turn)],
    ['a turn that should have ended 30 seconds ago', async () => (await cancelTurn(app, turn, '30 s'), turn)],
    ['a turn that has ended', async () => (await onTurn(app, turn, 'complete'), turn)],
    ['a deleted organization', async () => (await owner.delete(`/organizations/${organization.id}`), turn)],
  ])('refuses %s and renews nothing', async (_what, given) => {
    const fence = await given();
    const before = await turnRow(app, turn);
    const { status, body } = await beat(fence);
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect(await turnRow(app, turn)).toEqual(before);
  });
});
