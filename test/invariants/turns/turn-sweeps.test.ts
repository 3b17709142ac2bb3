import { beforeAll, describe, expect, it } from '@jest/globals';
import { ChatSignalsService, type MessageSignal } from '../../../src/modules/chats/chat-signals.service.ts';
import { postMessage } from '../../support/factories/chats.ts';
import {
  append,
  cancelTurn,
  type ClaimedTurn,
  claimTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  setTurn,
  streamingTurn,
  turnRow,
  type WaitingTurn,
  waitingTurn,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** What nobody else ends, the backend ends: each turn exactly as its table says, and everybody is told. */
const { app, organization } = useOrganization({ per: 'test' });
const signals: MessageSignal[] = [];
let ready: string[] = [];

beforeAll(() => {
  const told = app.app.get(ChatSignalsService);
  told.onMessage((signal) => signals.push(signal));
  told.onTurnReady((id) => ready.push(id));
});

const ago = (text: string) => `clock_timestamp() - interval '${text}'`;
const LONG_ENOUGH = `lease_expires_at = clock_timestamp() + interval '1 hour'`;

/** Runs the jobs; the turn moved by one revision and was told of, unless it stayed as it was. */
async function sweep(
  turn: WaitingTurn,
): Promise<{ status: string; code: string | undefined; row: Record<string, unknown> }> {
  const before = await turnRow(app, turn);
  signals.length = 0;
  ready = [];
  await app.runJob('turns-due');
  await app.runJob('turns-forgotten');
  const row = await turnRow(app, turn);
  const told = signals.filter(({ messageId }) => messageId === turn.turnId);
  const place = {
    organizationId: organization.id,
    chatId: turn.chatId,
    messageId: turn.turnId,
    revision: before.revision + 1,
    delta: null,
  };
  expect(told).toEqual(row.revision === before.revision ? [] : [place]);
  if (row.revision === before.revision) expect(row).toEqual(before);
  return { status: row.status, code: row.error?.code, row };
}

describe('a turn whose lease has lapsed', () => {
  it('waits again, with its text thrown away', async () => {
    const turn = await streamingTurn(app, organization.id);
    await lapseTurn(app, turn);
    const { status, row } = await sweep(turn);
    expect(status).toBe('pending');
    expect(row).toMatchObject({ leased: false, attempt: 1, parts: [], draft: 2, text_bytes: 0, harness: null });
    expect(ready.filter((id) => id === organization.id)).toEqual([organization.id]);
    expect((await claimTurn(app, organization.id)).attempt).toBe(2);
  });

  it('counts no attempt that had not begun', async () => {
    const turn = await heldTurn(app, organization.id);
    await lapseTurn(app, turn);
    expect((await sweep(turn)).status).toBe('pending');
    expect((await claimTurn(app, organization.id)).attempt).toBe(1);
  });

  it('fails after the third attempt, with the text so far', async () => {
    const turn = await streamingTurn(app, organization.id);
    await setTurn(app, turn, `attempt = 3`);
    await lapseTurn(app, turn);
    const { status, row } = await sweep(turn);
    expect([status, row.error]).toEqual([
      'failed',
      { code: 'turn_lease_expired', message: expect.any(String), retryable: false },
    ]);
    expect(row.parts).toEqual([{ id: 'p1', kind: 'text', text: 'Hello' }]);
    expect(row.completed_at).not.toBeNull();
  });

  it('is cancelled where it was to end', async () => {
    const turn = await streamingTurn(app, organization.id);
    await cancelTurn(app, turn);
    await lapseTurn(app, turn);
    const { status, code, row } = await sweep(turn);
    expect([status, code, row.parts]).toEqual(['cancelled', undefined, [{ id: 'p1', kind: 'text', text: 'Hello' }]]);
  });
});

describe('a turn that is to end', () => {
  it('is cancelled at once where nobody holds it', async () => {
    const turn = await waitingTurn(app, organization.id);
    await cancelTurn(app, turn);
    expect((await sweep(turn)).status).toBe('cancelled');
  });

  it('is cancelled 30 seconds later where its worker does not say so', async () => {
    const turn = await streamingTurn(app, organization.id);
    await cancelTurn(app, turn, '29 s');
    expect((await sweep(turn)).status).toBe('cancelling');
    await cancelTurn(app, turn, '30 s');
    expect((await sweep(turn)).status).toBe('cancelled');
    expect((await onTurn(app, turn, 'cancelled')).body.error.code).toBe('run_lease_expired');
  });
});

describe('an answer whose worker and reader are both gone', () => {
  it('is cancelled by its owner with the text so far, and lets the chat go on', async () => {
    const turn = await streamingTurn(app, organization.id, 'Half an ans');
    const chat = `/organizations/${organization.id}/chats/${turn.chatId}`;
    await app.bootstrap.peek(`${chat}/events`);
    const cancelled = await app.bootstrap.post(`${chat}/messages/${turn.turnId}/cancel`);
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelling']);
    await lapseTurn(app, turn);
    expect((await sweep(turn)).status).toBe('cancelled');
    const { body } = await app.bootstrap.get(`${chat}/messages`);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        id: turn.turnId,
        status: 'cancelled',
        parts: [expect.objectContaining({ text: 'Half an ans' })],
      }),
    );
    expect((await postMessage(app.bootstrap, organization.id, turn.chatId, 'And now?')).status).toBe(202);
  });
});

describe('a turn that takes too long', () => {
  it.each<[string, () => Promise<ClaimedTurn>]>([
    ['streams', () => streamingTurn(app, organization.id)],
    ['is held', () => heldTurn(app, organization.id)],
  ])('fails 30 minutes after its first claim, while it %s', async (_what, given) => {
    const turn = await given();
    await setTurn(app, turn, `${LONG_ENOUGH}, first_claimed_at = ${ago('29 min 50 s')}`);
    expect((await sweep(turn)).code).toBeUndefined();
    await setTurn(app, turn, `first_claimed_at = ${ago('30 min')}`);
    expect(await sweep(turn)).toMatchObject({ status: 'failed', code: 'turn_timeout' });
  });

  it('fails while it waits for another attempt', async () => {
    const turn = await waitingTurn(app, organization.id, { attempt: 1 });
    await setTurn(app, turn, `created_at = ${ago('1 h')}, first_claimed_at = ${ago('29 min 50 s')}`);
    expect((await sweep(turn)).status).toBe('pending');
    await setTurn(app, turn, `first_claimed_at = ${ago('30 min')}`);
    expect(await sweep(turn)).toMatchObject({ status: 'failed', code: 'turn_timeout' });
  });

  it('fails 24 hours after it was posted, when nobody ever came', async () => {
    const turn = await waitingTurn(app, organization.id);
    await setTurn(app, turn, `created_at = ${ago('23 h 59 min')}`);
    expect((await sweep(turn)).status).toBe('pending');
    await setTurn(app, turn, `created_at = ${ago('24 h')}`);
    expect(await sweep(turn)).toMatchObject({ status: 'failed', code: 'turn_unclaimed' });
    const { rows } = await app.db.query(
      `select actor_kind, verb, subject_id, details from activity where organization_id = $1 and verb like 'message.%'`,
      [organization.id],
    );
    expect(rows).toEqual([
      {
        actor_kind: 'system',
        verb: 'message.failed',
        subject_id: turn.turnId,
        details: { chatId: turn.chatId, code: 'turn_unclaimed' },
      },
    ]);
  });
});

describe('chunks', () => {
  const chunks = async () =>
    (await app.db.query(`select count(*)::int as n from message_chunk where organization_id = $1`, [organization.id]))
      .rows[0].n;

  it('go five minutes after the end, those of thrown away drafts too', async () => {
    const turn = await streamingTurn(app, organization.id);
    await onTurn(app, turn, 'fail', { error: { code: 'x', message: 'X.', retryable: true } });
    const again = await claimTurn(app, organization.id);
    await append(app, again, 0, 'Anew');
    await onTurn(app, again, 'complete');
    await app.runJob('message-chunks-remove');
    expect(await chunks()).toBe(2);
    await setTurn(app, turn, `chunks_expire_at = clock_timestamp()`);
    await app.runJob('message-chunks-remove');
    expect(await chunks()).toBe(0);
    expect(await turnRow(app, turn)).toMatchObject({ chunks_expire_at: null, parts: [{ text: 'Anew' }] });
  });

  it('stay while the answer streams', async () => {
    await streamingTurn(app, organization.id);
    await app.runJob('message-chunks-remove');
    expect(await chunks()).toBe(1);
  });
});
