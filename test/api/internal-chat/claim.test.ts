import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import {
  type ClaimedTurn,
  claimTurn,
  claimTurns,
  endTurnRest,
  heldTurn,
  lapseTurn,
  onTurn,
  TURN_CLAIM_PATH,
  turnRow,
  waitingTurn,
  waitingTurns,
  WORKPLACE,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });

const ids = (answer: { body: { data: ClaimedTurn[] } }) => answer.body.data.map(({ turnId }) => turnId);
const setProfile = (status: string) =>
  app.db.query(`update agent_profile set status = $2 where organization_id = $1 and kind = 'chat'`, [
    organization.id,
    status,
  ]);

describe('POST /internal/chat-turns/claim: 200', () => {
  it('holds a turn at once, under a token of its own, for 60 seconds', async () => {
    const turn = await waitingTurn(app, organization.id);
    const { status, body } = await claimTurns(app, organization.id, { workerId: 'w' });
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        organizationId: organization.id,
        chatId: turn.chatId,
        turnId: turn.turnId,
        assistantMessageId: turn.turnId,
        userMessageId: turn.userMessageId,
        agentProfileId: expect.any(String),
        leaseToken: expect.stringMatching(/^[\w-]{43}$/),
        leaseExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
        heartbeatIntervalMs: 20_000,
        executionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        attempt: 1,
      },
    ]);
    const row = await turnRow(app, turn);
    expect(row).toMatchObject({
      status: 'pending',
      revision: 1,
      leased: true,
      worker_id: 'w',
      generation: 1,
      attempt: 0,
      authorization_epoch: 1,
    });
    expect([row.lease_expires_at - row.heartbeat_at, row.first_claimed_at - row.heartbeat_at]).toEqual([60_000, 0]);
    expect(row.catalog_revision).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(body.data[0].leaseToken);
  });

  it('answers an empty array when no turn waits', async () => {
    await waitingTurn(app, organization.id, { status: 'cancelling', cancel_requested_at: new Date() });
    const { status, body } = await claimTurns(app, organization.id);
    expect([status, body.data, body.pagination]).toEqual([200, [], undefined]);
  });

  it('takes the oldest first, no more than the limit, and nothing twice', async () => {
    const turns = await waitingTurns(app, organization.id, 5);
    const first = ids(await claimTurns(app, organization.id, { limit: 3 }));
    const second = ids(await claimTurns(app, organization.id, { limit: 3 }));
    expect([...first, ...second]).toEqual(turns.map(({ turnId }) => turnId));
    expect(first).toHaveLength(3);
  });

  it('takes turns among organizations within one call', async () => {
    const all = [organization.id, await organizationOf(owner), await organizationOf(owner)];
    await waitingTurns(app, all[0]!, 8);
    await waitingTurns(app, all[1]!, 8);
    await waitingTurns(app, all[2]!, 1);
    const { body } = await claimTurns(app, organization.id, { organizationIds: all, limit: 10 });
    const count = (id: string) => body.data.filter((each: ClaimedTurn) => each.organizationId === id).length;
    expect(body.data).toHaveLength(10);
    expect(all.map(count).toSorted((a, b) => a - b)).toEqual([1, 4, 5]);
    expect(new Set(body.data.slice(0, 3).map((each: ClaimedTurn) => each.organizationId)).size).toBe(3);
  });

  it('takes only what is asked for', async () => {
    const { turnId } = await waitingTurn(app, organization.id);
    expect(ids(await claimTurns(app, organization.id, { profileKeys: ['growth'] }))).toEqual([]);
    expect(ids(await claimTurns(app, organization.id, { organizationIds: [randomUUID()] }))).toEqual([]);
    const organizationIds = [organization.id.toUpperCase()];
    expect(ids(await claimTurns(app, organization.id, { organizationIds, profileKeys: ['chat'] }))).toEqual([turnId]);
  });

  it('leaves what waits for a disabled profile', async () => {
    const { turnId } = await waitingTurn(app, organization.id);
    await setProfile('disabled');
    expect(ids(await claimTurns(app, organization.id))).toEqual([]);
    await setProfile('enabled');
    expect(ids(await claimTurns(app, organization.id))).toEqual([turnId]);
  });

  it('hands turns out while work dispatch is stopped, since a person waits', async () => {
    const { turnId } = await waitingTurn(app, organization.id);
    await owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'stopped' });
    expect(ids(await claimTurns(app, organization.id))).toEqual([turnId]);
  });

  it('answers a repeat with the same turns and new tokens, of which the latest count', async () => {
    await waitingTurns(app, organization.id, 3);
    const body = { workerId: 'w', requestKey: randomUUID(), bootId: randomUUID(), limit: 2 };
    const first = await claimTurns(app, organization.id, body);
    const again = await claimTurns(app, organization.id, body);
    expect(ids(again)).toEqual(ids(first));
    const [old, latest] = [first, again].map((answer) => answer.body.data[0] as ClaimedTurn);
    expect(latest!.leaseExpiresAt).toBe(old!.leaseExpiresAt);
    expect((await onTurn(app, old!, 'running', WORKPLACE)).body.error.code).toBe('run_lease_expired');
    expect((await onTurn(app, latest!, 'running', WORKPLACE)).status).toBe(200);
    // What has begun is no open claim any more; another worker's key is another key.
    expect(ids(await claimTurns(app, organization.id, body))).toEqual(ids(first).slice(1));
    expect(ids(await claimTurns(app, organization.id, { ...body, workerId: 'v' }))).toHaveLength(1);
  });

  it('answers a repeat after the lease with another turn', async () => {
    const body = { workerId: 'w', requestKey: randomUUID() };
    await lapseTurn(app, await heldTurn(app, organization.id, body));
    const next = await heldTurn(app, organization.id, body);
    expect(next.attempt).toBe(1);
  });

  it('hands a turn that comes back to the next worker, under another token and generation', async () => {
    const turn = await heldTurn(app, organization.id);
    await onTurn(app, turn, 'release');
    await endTurnRest(app, turn);
    const again = await claimTurn(app, organization.id);
    expect(again).toMatchObject({ turnId: turn.turnId, attempt: 1 });
    expect(await turnRow(app, turn)).toMatchObject({ generation: 2, final_digest: null });
    expect((await onTurn(app, turn, 'heartbeat')).body.error.code).toBe('run_lease_expired');
  });
});

describe('POST /internal/chat-turns/claim: 400', () => {
  it.each([
    ['no worker', { workerId: undefined }, 'workerId', 'required'],
    ['a long worker', { workerId: 'x'.repeat(201) }, 'workerId', 'invalid_length'],
    ['no boot', { bootId: undefined }, 'bootId', 'required'],
    ['no limit worth the name', { limit: 0 }, 'limit', 'out_of_range'],
    ['a large limit', { limit: 51 }, 'limit', 'out_of_range'],
    ['a long wait', { waitSeconds: 31 }, 'waitSeconds', 'out_of_range'],
    ['an organization that is no UUID', { organizationIds: ['acme'] }, 'organizationIds', 'invalid_item'],
    ['a lease of its own choice', { leaseSeconds: 5 }, 'leaseSeconds', 'unknown_property'],
  ])('refuses %s', async (_what, overrides, path, code) => {
    const { status, body } = await claimTurns(app, organization.id, overrides);
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code })]]);
  });
});

describe('POST /internal/chat-turns/claim: 401', () => {
  it.each([
    ['nobody', () => app.anonymous],
    ['an owner', () => owner],
  ])('refuses %s', async (_who, client) => {
    const { status, body } = await client().post(TURN_CLAIM_PATH, { workerId: 'w', bootId: randomUUID() });
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});
