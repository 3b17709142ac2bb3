import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChatSignalsService, type MessageSignal } from '../../../src/modules/chats/chat-signals.service.ts';
import { organizationOf } from '../../support/client.ts';
import {
  append,
  cancelTurn,
  type ClaimedTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  setTurn,
  textOf,
  turnRow,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
const signals: MessageSignal[] = [];

beforeAll(() => {
  app.app.get(ChatSignalsService).onMessage((signal) => signals.push(signal));
});
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
  signals.length = 0;
});

const chunks = async () =>
  (
    await app.db.query(
      `select part_id, part_offset, revision, text from message_chunk where organization_id = $1 order by revision`,
      [organization.id],
    )
  ).rows;

describe('POST /internal/chat-turns/{turnId}/append: 200', () => {
  it('stores text behind text, makes the message stream, and tells of it', async () => {
    const first = await append(app, turn, 0, 'Hel');
    expect([first.status, first.body.data]).toEqual([
      200,
      { status: 'streaming', revision: 2, cancelRequested: false, length: 3 },
    ]);
    expect((await append(app, turn, 3, 'lo')).body.data).toMatchObject({ revision: 3, length: 5 });
    expect((await append(app, turn, 0, 'And', 'p2')).body.data).toMatchObject({ revision: 4, length: 3 });
    expect(await chunks()).toEqual([
      { part_id: 'p1', part_offset: 0, revision: 2, text: 'Hel' },
      { part_id: 'p1', part_offset: 3, revision: 3, text: 'lo' },
      { part_id: 'p2', part_offset: 0, revision: 4, text: 'And' },
    ]);
    expect(await turnRow(app, turn)).toMatchObject({ attempt: 1, text_bytes: 8, parts: [], draft: 1 });
    const place = { organizationId: organization.id, chatId: turn.chatId, messageId: turn.turnId };
    expect(signals).toEqual([
      { ...place, revision: 2, delta: { partId: 'p1', offset: 0, text: 'Hel' } },
      { ...place, revision: 3, delta: { partId: 'p1', offset: 3, text: 'lo' } },
      { ...place, revision: 4, delta: { partId: 'p2', offset: 0, text: 'And' } },
    ]);
  });

  it('counts code points, not units or bytes', async () => {
    await append(app, turn, 0, 'a🦊é');
    expect((await append(app, turn, 3, '🦊')).body.data.length).toBe(4);
    expect((await turnRow(app, turn)).text_bytes).toBe(11);
    expect(await textOf(app, turn)).toBe('a🦊é🦊');
  });

  it('changes nothing for text that is stored there already, however it was cut', async () => {
    for (const [offset, text] of [
      [0, 'He🦊'],
      [3, 'lo, '],
      [7, 'Ada'],
    ] as const)
      await append(app, turn, offset, text);
    const before = await turnRow(app, turn);
    signals.length = 0;
    for (const [offset, text] of [
      [0, 'He🦊'],
      [7, 'Ada'],
      [2, '🦊lo, A'],
      [0, 'He🦊lo, Ada'],
    ] as const) {
      const { status, body } = await append(app, turn, offset, text);
      expect([status, body.data]).toEqual([
        200,
        { status: 'streaming', revision: 4, cancelRequested: false, length: 10 },
      ]);
    }
    expect(await turnRow(app, turn)).toEqual(before);
    expect(signals).toEqual([]);
  });

  it('stores what comes while the turn is being cancelled, and says so', async () => {
    await append(app, turn, 0, 'Hello');
    await cancelTurn(app, turn);
    expect((await append(app, turn, 5, '.')).body.data).toEqual({
      status: 'cancelling',
      revision: 4,
      cancelRequested: true,
      length: 6,
    });
    expect(await textOf(app, turn)).toBe('Hello.');
  });

  it('takes 64 KiB at once', async () => {
    expect((await append(app, turn, 0, 'é'.repeat(32_768))).body.data.length).toBe(32_768);
    expect(signals[0]).toMatchObject({ revision: 2, delta: null });
  });

  it('keeps calls on one turn in their order, and those on many apart', async () => {
    const other = await heldTurn(app, await organizationOf(owner));
    const answers = await Promise.all([
      append(app, turn, 0, 'a'),
      append(app, other, 0, 'x'),
      append(app, turn, 1, 'b'),
      append(app, { ...turn, leaseToken: other.leaseToken }, 0, 'forged'),
      append(app, turn, 2, 'c'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 200]);
    expect([await textOf(app, turn), await textOf(app, other)]).toEqual(['abc', 'x']);
  });

  it('does not renew the lease', async () => {
    const { lease_expires_at: until } = await turnRow(app, turn);
    await append(app, turn, 0, 'Hello');
    expect((await turnRow(app, turn)).lease_expires_at).toEqual(until);
  });
});

describe('POST /internal/chat-turns/{turnId}/append: 400', () => {
  it.each([
    ['no text', { text: '' }, 'text'],
    ['more than 64 KiB', { text: `${'é'.repeat(32_768)}a` }, 'text'],
    ['half a code point', { text: '\ud83e' }, 'text'],
    ['a negative offset', { offset: -1 }, 'offset'],
    ['a long part id', { partId: 'x'.repeat(101) }, 'partId'],
  ])('refuses %s', async (_what, body, path) => {
    const answer = await onTurn(app, turn, 'append', { partId: 'p1', offset: 0, text: 'a', ...body });
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
  });
});

describe('POST /internal/chat-turns/{turnId}/append: 409', () => {
  it.each<[string, string, () => Promise<{ body: { error: { code: string; issues: { code: string }[] } } }>]>([
    ['a gap', 'gap', () => append(app, turn, 6, '.')],
    ['a gap in a new part', 'gap', () => append(app, turn, 1, '.', 'p2')],
    ['other text', 'other_text', () => append(app, turn, 1, 'ELL')],
    ['a repeat that goes on', 'other_text', () => append(app, turn, 0, 'Hello.')],
  ])('refuses %s', async (_what, issue, call) => {
    await append(app, turn, 0, 'Hello');
    const before = [await turnRow(app, turn), await chunks()];
    const { error } = (await call()).body;
    expect([error.code, error.issues.map(({ code }) => code)]).toEqual(['state_conflict', [issue]]);
    expect([await turnRow(app, turn), await chunks()]).toEqual(before);
  });

  it('says in a gap where the part ends', async () => {
    await append(app, turn, 0, 'Héllo');
    const { error } = (await append(app, turn, 9, '.')).body;
    expect(error.issues).toEqual([
      {
        path: 'offset',
        code: 'gap',
        message: 'is beyond the end of the part, which has 5 code points: go on from there',
        params: { length: 5 },
      },
    ]);
  });

  it('refuses more than 1 MiB of text', async () => {
    await append(app, turn, 0, 'Hello');
    await setTurn(app, turn, `text_bytes = ${1024 * 1024 - 1}`);
    expect((await append(app, turn, 5, 'é')).body.error.issues[0].code).toBe('answer_too_long');
    expect((await append(app, turn, 5, 'e')).status).toBe(200);
  });

  it('refuses the 101st part', async () => {
    for (let part = 0; part < 100; part += 1) await append(app, turn, 0, 'a', `p${part}`);
    expect((await append(app, turn, 0, 'a', 'p100')).body.error.issues[0].code).toBe('too_many_parts');
    expect((await append(app, turn, 1, 'b', 'p99')).status).toBe(200);
  });

  it.each<[string, () => Promise<ClaimedTurn>]>([
    ['another token', async () => ({ ...turn, leaseToken: 'x'.repeat(43) })],
    ['an unknown turn', async () => ({ ...turn, turnId: randomUUID() })],
    ['a lapsed lease', async () => (await lapseTurn(app, turn), turn)],
    ['a turn that has ended', async () => (await onTurn(app, turn, 'complete'), turn)],
    ['a deleted organization', async () => (await owner.delete(`/organizations/${organization.id}`), turn)],
  ])('refuses %s and stores nothing', async (_what, given) => {
    const { status, body } = await append(app, await given(), 0, 'late');
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect(await chunks()).toEqual([]);
  });
});
