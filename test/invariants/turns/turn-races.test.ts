import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import { newId } from '../../../src/kernel/ids/index.ts';
import { turnMoves } from '../../../src/modules/chats/messages/message.state.ts';
import { type Answer } from '../../support/client.ts';
import { onTurn } from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const BATCH = 100;
const RACES = 1_000;
const TOKEN = 'a-lease-token-of-a-race';

const { app, organization } = useOrganization();

interface Raced {
  readonly organizationId: string;
  readonly turnId: string;
  readonly leaseToken: string;
}

/** Turns that stream, each in a chat of its own; `columns` and `values` (SQL) besides. */
async function streaming(columns = 'status', values = `'streaming'`): Promise<Raced[]> {
  const turns = Array.from({ length: BATCH }, () => ({
    organizationId: organization.id,
    turnId: newId(),
    leaseToken: TOKEN,
  }));
  const ids = turns.map(({ turnId }) => turnId);
  await app.db.query(
    `with chats as (
       insert into chat (organization_id, id, title) select $1, id, 'A race' from unnest($2::uuid[]) id)
     insert into message (organization_id, id, chat_id, role, agent_profile_id, leased, lease_token_hash,
       lease_expires_at, first_claimed_at, generation, attempt, authorization_epoch, revision, worker_id, ${columns})
     select $1, id, id, 'assistant', (select p.id from agent_profile p where p.organization_id = $1 and p.kind = 'chat'),
       true, $3, clock_timestamp() + interval '60 s', clock_timestamp(), 1, 1, 1, 2, 'w', ${values}
     from unnest($2::uuid[]) id`,
    [organization.id, ids, sha256(TOKEN)],
  );
  return turns;
}

/** An owner's cancel; whether it found the turn at work. */
async function cancel({ turnId }: Raced): Promise<boolean> {
  const { rowCount } = await app.db.query(
    `update message set status = ${turnMoves.moved('cancel', 'status')}, cancel_requested_at = clock_timestamp(), revision = revision + 1
     where organization_id = $1 and id = $2 and ${turnMoves.permits('cancel', 'status')} and cancel_requested_at is null`,
    [organization.id, turnId],
  );
  return rowCount === 1;
}

async function rowsOf(
  turns: readonly Raced[],
): Promise<Map<string, { status: string; revision: number; told: number }>> {
  const { rows } = await app.db.query(
    `select m.id, m.status, m.revision, (select count(*)::int from activity a where a.organization_id = $1
       and a.subject_id = m.id::text) as told
     from message m where m.organization_id = $1 and m.id = any($2)`,
    [organization.id, turns.map(({ turnId }) => turnId)],
  );
  return new Map(rows.map(({ id, ...row }) => [id as string, row]));
}

const said = ({ status, body }: Answer) => (status === 200 ? body.data : body.error.code);

it(`a cancel against a completion has one serial outcome in ${RACES} races`, async () => {
  const outcomes = { before: 0, behind: 0 };
  for (let race = 0; race < RACES; race += BATCH) {
    const turns = await streaming();
    const races = await Promise.all(
      turns.map(async (turn, nth) => {
        const calls = [() => onTurn(app, turn, 'complete'), () => cancel(turn)] as const;
        // Whoever is called second is late by a few statements, not always enough.
        const [first, second] = nth % 2 === 0 ? calls : calls.toReversed();
        const answers = await Promise.all([first(), second()]);
        const [completion, cancelled] = (nth % 2 === 0 ? answers : answers.toReversed()) as [Answer, boolean];
        return { turn, completion, cancelled };
      }),
    );
    const rows = await rowsOf(turns);
    for (const { turn, completion, cancelled } of races) {
      const revision = cancelled ? 4 : 3;
      expect(said(completion)).toEqual({ status: 'complete', revision, cancelRequested: cancelled });
      expect(rows.get(turn.turnId)).toEqual({ status: 'complete', revision, told: 1 });
      outcomes[cancelled ? 'before' : 'behind'] += 1;
    }
  }
  expect(outcomes.before + outcomes.behind).toBe(RACES);
  expect(Math.min(outcomes.before, outcomes.behind)).toBeGreaterThan(0);
}, 60_000);

it('a completion against the end of a cancelled turn’s time has one serial outcome', async () => {
  const turns = await streaming(
    'status, cancel_requested_at',
    `'cancelling', clock_timestamp() - interval '30 s' + random() * interval '400 ms'`,
  );
  const [completions] = await Promise.all([
    Promise.all(turns.map((turn) => onTurn(app, turn, 'complete'))),
    ...Array.from({ length: 5 }, () => app.runJob('turns-due')),
  ]);
  await app.runJob('turns-due');
  const rows = await rowsOf(turns);
  for (const [nth, { turnId }] of turns.entries()) {
    const row = rows.get(turnId)!;
    expect(said(completions[nth]!)).toEqual(
      row.status === 'complete' ? { status: 'complete', revision: 3, cancelRequested: true } : 'run_lease_expired',
    );
    // Its time may not be over yet.
    if (row.status !== 'cancelling') expect(row).toMatchObject({ revision: 3, told: 1 });
  }
});

it('a completion against the lapse of its lease has one serial outcome', async () => {
  const turns = await streaming();
  await app.db.query(
    `update message set lease_expires_at = clock_timestamp() + random() * interval '400 ms' where organization_id = $1 and id = any($2)`,
    [organization.id, turns.map(({ turnId }) => turnId)],
  );
  const [completions] = await Promise.all([
    Promise.all(turns.map((turn) => onTurn(app, turn, 'complete'))),
    ...Array.from({ length: 5 }, () => app.runJob('turns-due')),
  ]);
  const rows = await rowsOf(turns);
  for (const [nth, { turnId }] of turns.entries()) {
    const { status, told } = rows.get(turnId)!;
    const completed = said(completions[nth]!) !== 'run_lease_expired';
    expect([completed, told]).toEqual(status === 'complete' ? [true, 1] : [false, 0]);
  }
});

it('final calls of one turn at once end it once', async () => {
  const turns = await streaming();
  const error = { code: 'x', message: 'X.', retryable: false };
  await Promise.all(
    turns.map(async (turn) => {
      const answers = await Promise.all([
        onTurn(app, turn, 'complete'),
        onTurn(app, turn, 'fail', { error }),
        onTurn(app, turn, 'complete'),
        onTurn(app, turn, 'complete', { title: randomUUID() }),
      ]);
      const ended = answers.map(said).filter((answer) => answer !== 'run_lease_expired');
      expect(new Set(ended.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(ended[0].revision).toBe(3);
    }),
  );
  for (const { told } of (await rowsOf(turns)).values()) expect(told).toBe(1);
});
