import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { claimTurns as claimStatement } from '../../../src/modules/chats/turns/turn-claim.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { copiesOf } from '../../support/factories/many-organizations.ts';
import { explain, nodes } from '../../support/database/query-plans.ts';
import {
  type ClaimedTurn,
  claimTurns,
  lapseTurn,
  onTurn,
  turnRow,
  waitingTurn,
  waitingTurns,
} from '../../support/factories/turns.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const MANY = 200;
const CLAIM = { workerId: 'w', bootId: randomUUID(), requestKey: null, organizationIds: null, profileKeys: null };
const ROUND = { first: true, after: '00000000-0000-0000-0000-000000000000', perOrganization: 1 };

// Claims here look at all organizations that there are.
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
let organizationId: string;
beforeEach(async () => {
  await app.db.query('delete from message');
  organizationId = await organizationOf(owner);
});

/** Rows that a claim reads, all scans together. */
async function read(): Promise<number> {
  const all = [...nodes(await explain(app, claimStatement(CLAIM, [Buffer.alloc(32, 1)], ROUND), true))];
  return all
    .filter((node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    .reduce((sum, node) => sum + node['Actual Rows']! * node['Actual Loops']!, 0);
}

/** One waiting turn of each of many copies of an organization, beside so many that are live. */
async function many(live: number): Promise<string[]> {
  const original = await organizationOf(owner);
  const ids = await copiesOf(app, original, MANY);
  await app.db.query(
    `with chats as (
       insert into chat (organization_id, id, title)
       select o.id, gen_random_uuid(), 'A chat' from unnest($1::uuid[]) o(id) cross join generate_series(0, $2::int) returning organization_id, id),
     numbered as (select c.*, row_number() over (partition by c.organization_id) as n from chats c)
     insert into message (organization_id, id, chat_id, role, status, agent_profile_id, leased, lease_expires_at, lease_token_hash)
     select c.organization_id, gen_random_uuid(), c.id, 'assistant', 'pending', p.id, c.n > 1, now() + interval '1 hour', '\\x00'
     from numbered c join agent_profile p on p.organization_id = c.organization_id and p.kind = 'chat'`,
    [ids, live],
  );
  return ids;
}

const sweep = () => app.runJob('turns-rested');
const heldBack = async () =>
  (await app.db.query(`select from message where status = 'pending' and resting and rests_until = 'infinity'`))
    .rowCount;

describe(`among ${MANY} organizations of which no turn may be claimed, a claim reads what it reads alone`, () => {
  it.each<[string, number, string]>([
    ['with as many live ones as may be', 20, ''],
    [
      'whose chat profile is disabled',
      0,
      `update agent_profile set status = 'disabled' where organization_id = any($1::uuid[])`,
    ],
    ['that are not active', 0, `update organization set status = 'onboarding' where id = any($1::uuid[])`],
  ])('%s', async (_what, live, hold) => {
    await waitingTurn(app, organizationId);
    const alone = await read();
    const ids = await many(live);
    if (hold) await app.db.query(hold, [ids]);
    await app.db.query('analyze');
    await sweep();
    expect(await heldBack()).toBe(MANY);
    expect(await read()).toBeLessThanOrEqual(1.5 * alone);
    // Nor does the sweep let them go.
    await sweep();
    expect(await heldBack()).toBe(MANY);
  });
});

describe('turns that were held back', () => {
  let live: ClaimedTurn[];
  /** As many live as may be, and two more, of which the first is the older one. */
  const full = async () => {
    const turns = await waitingTurns(app, organizationId, 22);
    live = (await claimTurns(app, organizationId, { limit: 20 })).body.data;
    expect(live).toHaveLength(20);
    await sweep();
    expect(await heldBack()).toBe(2);
    return turns.slice(-2);
  };
  const claimed = async () => {
    const { body } = await claimTurns(app, organizationId, { limit: 5 });
    return body.data.map(({ turnId }: ClaimedTurn) => turnId);
  };

  it.each<[string, (turn: ClaimedTurn) => Promise<unknown>]>([
    ['is completed', (turn) => onTurn(app, turn, 'complete')],
    [
      'fails',
      (turn) => onTurn(app, turn, 'fail', { error: { code: 'failed', message: 'It failed.', retryable: false } }),
    ],
    ['is given back', (turn) => onTurn(app, turn, 'release')],
  ])('are let go one by one, the oldest first, when one %s', async (_what, end) => {
    const [older] = await full();
    await end(live[0]!);
    expect(await claimed()).toEqual([older!.turnId]);
  });

  it('are let go when a lease has lapsed', async () => {
    const [older] = await full();
    await lapseTurn(app, live[0]!);
    await app.runJob('turns-due');
    expect([older!.turnId, live[0]!.turnId]).toContain((await claimed())[0]);
  });

  it('are let go when the profile is enabled', async () => {
    const turn = await waitingTurn(app, organizationId);
    const { agent_profile_id: profileId } = await turnRow(app, turn);
    const path = `/organizations/${organizationId}/agent-profiles/${profileId}`;
    await owner.patch(path, { status: 'disabled' });
    await sweep();
    expect(await heldBack()).toBe(1);
    await owner.patch(path, { status: 'enabled' });
    expect(await claimed()).toEqual([turn.turnId]);
  });

  it('are let go by the next sweep where nobody else did', async () => {
    const [older] = await full();
    await app.db.query(`update message set leased = false, status = 'cancelled' where id = $1`, [live[0]!.turnId]);
    await sweep();
    expect(await claimed()).toEqual([older!.turnId]);
  });

  it('may be cancelled, and are forgotten like others', async () => {
    const [older, newer] = await full();
    await owner.post(`/organizations/${organizationId}/chats/${older!.chatId}/messages/${older!.turnId}/cancel`, {});
    await app.runJob('turns-due');
    expect((await turnRow(app, older!)).status).toBe('cancelled');
    await app.db.query(`update message set created_at = now() - interval '2 days' where id = $1`, [newer!.turnId]);
    await app.runJob('turns-forgotten');
    expect(await turnRow(app, newer!)).toMatchObject({ status: 'failed', error: { code: 'turn_unclaimed' } });
  });
});
