import { beforeEach, describe, expect, it } from '@jest/globals';
import { Capabilities } from '../../../src/kernel/auth/index.ts';
import { ProfileRemoved } from '../../../src/modules/agent-profiles/index.ts';
import { type Client } from '../../support/client.ts';
import { inOrganization, taskBody } from '../../support/factories/tasks.ts';
import {
  append,
  claimTurn,
  type ClaimedTurn,
  FAILURE,
  lapseTurn,
  onTurn,
  setTurn,
  streamingTurn,
  textOf,
  turnRow,
} from '../../support/factories/turns.ts';
import { meetAtLock } from '../../support/database/waiting-calls.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A turn's capability opens its organization while the turn lives, and not a moment longer. */
const { app, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
let agent: Client;
beforeEach(async () => {
  turn = await streamingTurn(app, organization.id);
  agent = app.client(turn.executionToken);
});

const at = (rest: string) => `/internal/agent/organizations/${organization.id}${rest}`;
const turnLock = () => ({
  sql: 'select from message where organization_id = $1 and id = $2 for update',
  values: [organization.id, turn.turnId],
});
/** As the deletion of the chat leaves it. */
const discard = () =>
  setTurn(app, turn, `status = 'cancelled', leased = false, lease_token_hash = null, lease_expires_at = null`);

describe('the capability of a turn', () => {
  it('names the turn', async () => {
    expect(await app.app.get(Capabilities).verify(turn.executionToken)).toMatchObject({
      organizationId: organization.id,
      agentProfileId: turn.agentProfileId,
      profileKey: 'chat',
      profileKind: 'chat',
      department: null,
      execution: 'chat_turn',
      executionId: turn.turnId,
      mode: null,
      generation: 1,
    });
    expect((await agent.post(at('/tasks'), taskBody())).status).toBe(201);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the turn has ended', () => onTurn(app, turn, 'complete')],
    ['its attempt has failed', () => onTurn(app, turn, 'fail', { error: { ...FAILURE, retryable: true } })],
    ['its lease has lapsed', () => lapseTurn(app, turn)],
    ['its chat is deleted', discard],
    [
      'another claim holds it',
      async () => (await lapseTurn(app, turn), await app.runJob('turns-due'), claimTurn(app, organization.id)),
    ],
  ])('is over when %s', async (_what, end) => {
    await end();
    for (const answer of [await agent.get(at('/execution')), await agent.post(at('/tasks'), taskBody())])
      expect([answer.status, answer.body.error.code]).toEqual([409, 'state_conflict']);
  });

  it('is over with its time, which a heartbeat renews', async () => {
    await setTurn(app, turn, `capability_expires_at = clock_timestamp()`);
    const { data } = (await onTurn(app, turn, 'heartbeat')).body;
    expect((await app.client(data.executionToken).get(at('/execution'))).status).toBe(200);
  });

  it('leaves nothing behind the end of its turn', async () => {
    const row = { kind: 'draft', payload: {}, expectedVersion: 0 };
    const [ended, kept] = await meetAtLock(app, turnLock(), [
      () => onTurn(app, turn, 'complete'),
      () => agent.put(at(`/durability/chat/${turn.chatId}`), row),
    ]);
    expect([ended!.status, kept!.status]).toEqual([200, 409]);
    const { rows } = await app.db.query(`select from durability_row where organization_id = $1`, [organization.id]);
    expect(rows).toEqual([]);
  });
});

describe('a deleted profile', () => {
  it('has no live turn from then on', async () => {
    await inOrganization(app, organization.id, (tx) => app.app.get(ProfileRemoved).removed(tx, turn.agentProfileId));
    for (const answer of [await onTurn(app, turn, 'heartbeat'), await append(app, turn, 5, ' late')])
      expect(answer.body.error.code).toBe('run_lease_expired');
    expect((await agent.get(at('/execution'))).status).toBe(409);
    await app.runJob('turns-due');
    expect((await turnRow(app, turn)).status).toBe('pending');
  });
});

describe('an append', () => {
  it('behind the lapse of its lease lands nowhere, before and after the sweep', async () => {
    await lapseTurn(app, turn);
    const late = async (offset: number) => (await append(app, turn, offset, ', late')).body.error.code;
    expect([await late(5), await textOf(app, turn)]).toEqual(['run_lease_expired', 'Hello']);
    await app.runJob('turns-due');
    expect(await late(0)).toBe('run_lease_expired');
    expect(await turnRow(app, turn)).toMatchObject({ status: 'pending', draft: 2, text_bytes: 0 });
  });

  it('that waited for a lock while its lease lapsed lands nowhere', async () => {
    const holder = await app.db.connect();
    try {
      await holder.query('begin');
      const { sql, values } = turnLock();
      await holder.query(sql, values);
      const waiting = append(app, turn, 5, ', late');
      await holder.query(
        `update message set lease_expires_at = clock_timestamp() - interval '1 ms' where organization_id = $1 and id = $2`,
        values,
      );
      await holder.query('commit');
      expect((await waiting).body.error.code).toBe('run_lease_expired');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await textOf(app, turn)).toBe('Hello');
  });
});

describe('the text of a turn', () => {
  it('survives its worker: whoever comes next begins anew, and ends it', async () => {
    await lapseTurn(app, turn);
    await app.runJob('turns-due');
    const next = await claimTurn(app, organization.id, { workerId: 'another' });
    for (const [offset, text] of [
      [0, 'Hello'],
      [5, ', Ada.'],
    ] as const)
      expect((await append(app, next, offset, text)).status).toBe(200);
    // The first one is back, and knows nothing of it.
    expect((await append(app, turn, 5, ', Bob.')).body.error.code).toBe('run_lease_expired');
    expect((await onTurn(app, turn, 'complete')).body.error.code).toBe('run_lease_expired');
    expect((await onTurn(app, next, 'complete')).body.data.status).toBe('complete');
    expect(await turnRow(app, turn)).toMatchObject({
      attempt: 2,
      parts: [{ id: 'p1', kind: 'text', text: 'Hello, Ada.' }],
    });
  });
});
