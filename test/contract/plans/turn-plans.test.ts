import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import type { Statement } from '../../../src/kernel/database/index.ts';
import { appendTexts } from '../../../src/modules/chats/turns/turn-append.queries.ts';
import { claimTurns } from '../../../src/modules/chats/turns/turn-claim.queries.ts';
import { renewTurnLeases } from '../../../src/modules/chats/turns/turn-lease.queries.ts';
import { dueTurns } from '../../../src/modules/chats/turns/turn-sweep.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { explain, nodes, type Plan } from '../../support/database/query-plans.ts';
import { type ClaimedTurn, heldTurn, onTurn, setTurn, WORKPLACE } from '../../support/factories/turns.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ORGANIZATIONS = 4;
const WAITING_EACH = 1_000;
const PAST_EACH = 2_000;
const CHUNKS = 5_000;
const CHUNK = 'ten chars ';

const app = useTestApp({ ownDatabase: true });
let turn: ClaimedTurn;

beforeAll(async () => {
  const owner = await app.person();
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const organizationId = await organizationOf(owner);
    turn = await heldTurn(app, organizationId);
    await seed(organizationId);
  }
  await onTurn(app, turn, 'running', WORKPLACE);
  await app.db.query(
    `insert into message_chunk (organization_id, message_id, draft, part_id, part_offset, revision, text)
     select $1, $2, 1, 'p1', n * ${CHUNK.length}, n + 3, '${CHUNK}' from generate_series(0, ${CHUNKS} - 1) n`,
    [turn.organizationId, turn.turnId],
  );
  await setTurn(app, turn, `revision = ${CHUNKS + 2}, text_bytes = ${CHUNKS * CHUNK.length}`);
}, 120_000);

/** Turns that wait, each in a chat of its own, and what was said before. */
async function seed(organizationId: string): Promise<void> {
  await app.db.query(
    `with chats as (
       insert into chat (organization_id, id, title) select $1, gen_random_uuid(), 'A chat' from generate_series(1, $2::int) returning id)
     insert into message (organization_id, id, chat_id, role, status, agent_profile_id)
     select $1, gen_random_uuid(), chats.id, 'assistant', 'pending',
       (select p.id from agent_profile p where p.organization_id = $1 and p.kind = 'chat') from chats`,
    [organizationId, WAITING_EACH],
  );
  await app.db.query(
    `insert into message (organization_id, id, chat_id, role, status)
     select $1, gen_random_uuid(), $2, 'user', 'complete' from generate_series(1, $3::int)`,
    [organizationId, turn.chatId, PAST_EACH],
  );
}

const fence = () => ({ organizationId: turn.organizationId, turnId: turn.turnId, tokenHash: sha256(turn.leaseToken) });
const claim = {
  workerId: 'w',
  bootId: randomUUID(),
  requestKey: null,
  organizationIds: null,
  profileKeys: null,
};
const round = { first: true, after: '00000000-0000-0000-0000-000000000000', perOrganization: 1 };
const appended = (offset: number, text: string) => appendTexts([{ ...fence(), partId: 'p1', offset, text }]);

const STATISTICS = [
  ['fresh statistics', true, false],
  ['a generic plan', true, true],
  ['no statistics', false, true],
] as const;

async function planned(query: Statement, analyzed: boolean, generic: boolean): Promise<Plan[]> {
  if (analyzed) await app.db.query('analyze');
  else
    await app.db.query(
      `delete from pg_statistic where starelid in ('message'::regclass, 'message_chunk'::regclass, 'organization'::regclass)`,
    );
  const all = [...nodes(await explain(app, query, generic))];
  const scanned = all.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
  for (const table of ['message', 'message_chunk']) expect(scanned).not.toContain(table);
  return all;
}

/** Rows that were read of an index, all reads together. */
const readOf = (all: readonly Plan[], index: string) =>
  all
    .filter((node) => node['Index Name'] === index)
    .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1), 0);

describe(`the plan of a claim over ${ORGANIZATIONS * WAITING_EACH} turns that wait`, () => {
  it.each(STATISTICS)('walks their index no further than it takes, with %s', async (_what, analyzed, generic) => {
    const all = await planned(claimTurns(claim, [Buffer.alloc(32, 1)], round), analyzed, generic);
    // One step of the walk, and the head of that organization.
    expect(readOf(all, 'message_claimable')).toBeLessThanOrEqual(3);
    for (const sort of all.filter((node) => node['Node Type'].includes('Sort')))
      expect([...nodes(sort)].map((node) => node['Relation Name'])).not.toContain('message');
  });
});

describe(`the plan of an append to an answer of ${CHUNKS} appends`, () => {
  it.each(STATISTICS)('reads the last of them, with %s', async (_what, analyzed, generic) => {
    const all = await planned(appended(CHUNKS * CHUNK.length, 'more'), analyzed, generic);
    expect(readOf(all, 'message_chunk_pkey')).toBe(1);
  });

  it.each(STATISTICS)('reads what a repeat covers, with %s', async (_what, analyzed, generic) => {
    const all = await planned(appended(20_005, CHUNK), analyzed, generic);
    expect(readOf(all, 'message_chunk_pkey')).toBeLessThanOrEqual(4);
  });
});

describe('the plan of a heartbeat', () => {
  it.each(STATISTICS)('goes by the key, with %s', async (_what, analyzed, generic) => {
    const all = await planned(renewTurnLeases([fence()]), analyzed, generic);
    const indexes = all.filter((node) => node['Relation Name'] === 'message').map((node) => node['Index Name']);
    expect(new Set(indexes.filter(Boolean))).toEqual(new Set(['message_pkey']));
  });
});

describe('the plan of the sweep', () => {
  it.each(STATISTICS)('reads what is held or to be cancelled, with %s', async (_what, analyzed, generic) => {
    const all = await planned(dueTurns(), analyzed, generic);
    expect(readOf(all, 'message_leased')).toBeLessThanOrEqual(ORGANIZATIONS);
    expect(readOf(all, 'message_cancelling')).toBe(0);
  });
});
