import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createChat, firstChat, messageRow, postMessage } from '../../support/factories/chats.ts';
import { type Answer, organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let path: string;
const byTitle: Record<string, string> = {};

beforeAll(async () => {
  path = `/organizations/${organization.id}/chats`;
  byTitle['New chat'] = await firstChat(app, organization.id);
  for (const title of ['Alpha', 'Beta 100%', 'Gamma', 'Gone'])
    byTitle[title] = await createChat(owner, organization.id, title);
  await postMessage(owner, organization.id, byTitle.Alpha!, 'Ship the „Ärger“', 'by\nnoon');
  await owner.patch(`${path}/${byTitle.Gamma}`, { status: 'archived' });
  await postMessage(owner, organization.id, byTitle.Gone!, 'ärger');
  await owner.delete(`${path}/${byTitle.Gone}`);
});

/** Pairs of one text as systems and people write it differently. */
const FORMS: readonly (readonly [kept: string, sought: string])[] = [
  ['Café Zürich', 'cafe\u0301'],
  ['Cafe\u0301 Zu\u0308rich', 'CAFÉ ZÜRICH'],
  ['Überprüfung', 'u\u0308berpru\u0308fung'],
  ['Große Straße', 'GROSSE STRASSE'],
  ['STRASSE', 'straße'],
  ['Ὀδυσσεύς', 'ὀδυσσεύσ'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['İstanbul', 'I\u0307STANBUL'],
  ['İstanbul', 'istanbul'],
  ['ЁЛКА', 'е\u0308лка'],
  ['한글', '한글'.normalize('NFD')],
  ['Zoe\u0308', 'Ë'],
  ['Zoë', 'e\u0308'],
  ['Plan for April', ' plan\u00A0 for  april '],
  ['Ё Ж', 'е\u0308  ж'],
  ['Зимой в лес', 'ЗИМОИ\u0306\u00A0В'],
  ['Vie\u0323\u0302t', 'VIỆT'],
  ['Viê\u0323t', 'vie\u0323\u0302t'],
  ['Đẹ\u0302', 'đệ'],
  ['カ\u3099クシ', 'ガクシ'],
  ['Größe (c)', 'Ö'],
  ['Fluß?', 'SS?'],
  ['Αυτός, ναι', 'ΤΌΣ,'],
];

const titles = ({ body }: Answer) => body.data.map(({ title }: { title: string }) => title);

describe('GET /organizations/{organizationId}/chats: 200', () => {
  it.each(FORMS)('finds %j by %j, in titles and in messages', async (kept, sought) => {
    const elsewhere = await organizationOf(owner);
    await createChat(owner, elsewhere, kept);
    const other = await createChat(owner, elsewhere, 'Other');
    await postMessage(owner, elsewhere, other, `About\n${kept.replaceAll(' ', '\n')}.`);
    await createChat(owner, elsewhere, 'Neither');
    const found = await owner.get(`/organizations/${elsewhere}/chats?search=${encodeURIComponent(sought)}`);
    expect(titles(found)).toEqual(['Other', kept.normalize('NFC')]);
  });

  it('finds decomposed letters in a long text without spaces, and no letter that only begins another', async () => {
    const elsewhere = await organizationOf(owner);
    const chat = await createChat(owner, elsewhere, 'Japanese');
    await postMessage(owner, elsewhere, chat, `${'漢字'.repeat(150)}ABCカ\u3099クシ`, 'Зимои\u0306');
    for (const [sought, found] of [
      ['abcガク', true],
      ['ガクシ', true],
      ['abcカ', false],
      ['字abcガ', true],
      ['зимой', true],
      ['зими', false],
      ['мои', false],
    ] as const) {
      const answer = await owner.get(`/organizations/${elsewhere}/chats?search=${encodeURIComponent(sought)}`);
      expect([sought, titles(answer)]).toEqual([sought, found ? ['Japanese'] : []]);
    }
  });

  it('takes the longest search of letters in several forms', async () => {
    for (const letter of ['ệ', '한', '\\', '*'])
      expect(titles(await owner.get(`${path}?search=${encodeURIComponent(letter.repeat(200))}`))).toEqual([]);
    const { status } = await owner.get(`${path}?search=${encodeURIComponent('ö'.repeat(200).normalize('NFD'))}`);
    expect(status).toBe(200);
  });

  it('lists the newest first, as each is read, and none that was deleted', async () => {
    const answer = await owner.get(path);
    expect(titles(answer)).toEqual(['Gamma', 'Beta 100%', 'Alpha', 'New chat']);
    for (const chat of answer.body.data) expect((await owner.get(`${path}/${chat.id}`)).body.data).toEqual(chat);
    expect(answer.body.pagination).toMatchObject({ limit: 50, hasNextPage: false, hasPreviousPage: false });
  });

  it('pages in both directions', async () => {
    const first = await owner.get(`${path}?limit=2&order=asc`);
    const second = await owner.get(`${path}?limit=2&order=asc&cursor=${first.body.pagination.nextCursor}`);
    expect([titles(first), titles(second)]).toEqual([
      ['New chat', 'Alpha'],
      ['Beta 100%', 'Gamma'],
    ]);
    expect(second.body.pagination).toMatchObject({ nextCursor: null, hasPreviousPage: true, previousCursor: null });
  });

  it('pages behind a chat that is gone', async () => {
    const elsewhere = await organizationOf(owner);
    for (const title of ['one', 'two']) await createChat(owner, elsewhere, title);
    const chats = `/organizations/${elsewhere}/chats`;
    const page = await owner.get(`${chats}?limit=2`);
    await owner.delete(`${chats}/${page.body.data[1].id}`);
    const next = await owner.get(`${chats}?limit=2&cursor=${page.body.pagination.nextCursor}`);
    expect([titles(page), titles(next)]).toEqual([['two', 'one'], ['New chat']]);
  });

  it.each<[string, string[]]>([
    ['status=archived', ['Gamma']],
    ['status=archived&status=open&order=asc', ['New chat', 'Alpha', 'Beta 100%', 'Gamma']],
    ['createdAfter=2999-01-01T00:00:00Z', []],
    ['createdAfter=2020-01-01T00:00:00Z&status=archived', ['Gamma']],
    ['updatedBefore=2020-01-01T00:00:00Z', []],
    ['search=ALPH', ['Alpha']],
    ['search=%20%C2%A0', ['Gamma', 'Beta 100%', 'Alpha', 'New chat']],
    ['search=&cursor=', ['Gamma', 'Beta 100%', 'Alpha', 'New chat']],
    ['search=A', ['Gamma', 'Beta 100%', 'Alpha', 'New chat']],
    ['search=0%25', ['Beta 100%']],
    ['search=_', []],
    ['search=%E4RGER'.replace('%E4', encodeURIComponent('ä')), ['Alpha']],
    ['search=noon&status=archived', []],
    ['search=no%20such%20text', []],
  ])('filters by %s', async (query, expected) => {
    expect(titles(await owner.get(`${path}?${query}`))).toEqual(expected);
  });

  it('finds an answer by its text, and nothing of other organizations', async () => {
    const word = randomUUID();
    await messageRow(app, organization.id, byTitle.Gamma!, {
      role: 'assistant',
      parts: [{ id: 'p1', kind: 'text', text: `Says ${word}.` }],
    });
    expect(titles(await owner.get(`${path}?search=${word.toUpperCase()}`))).toEqual(['Gamma']);
    const elsewhere = await organizationOf(owner);
    expect(titles(await owner.get(`/organizations/${elsewhere}/chats?search=${word}`))).toEqual([]);
  });

  it('pages through what a search finds, with a cursor of that search alone', async () => {
    const first = await owner.get(`${path}?limit=2&search=a`);
    const { nextCursor } = first.body.pagination;
    const second = await owner.get(`${path}?limit=2&search=a&cursor=${nextCursor}`);
    expect([...titles(first), ...titles(second)]).toEqual(['Gamma', 'Beta 100%', 'Alpha', 'New chat']);
    const { status, body } = await owner.get(`${path}?limit=2&search=b&cursor=${nextCursor}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: 'cursor', code: 'invalid_cursor' }]]);
  });
});

describe('GET /organizations/{organizationId}/chats: 400, 401 and 404', () => {
  it.each([
    ['status=gone', 'status', 'invalid_item'],
    [`search=${'x'.repeat(201)}`, 'search', 'invalid_length'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    ['limit=201', 'limit', 'out_of_range'],
    ['title=x', 'title', 'unknown_property'],
  ])('refuses %s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path}?${query}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
  });

  it('wants an owner who belongs to it', async () => {
    expect((await app.service.get(path)).status).toBe(401);
    expect((await (await app.person()).get(path)).body.error.code).toBe('organization_not_found');
  });
});

describe('GET /organizations/{organizationId}/chats/{id}', () => {
  it('shows the harness session while the organization’s authorization epoch is the one of its turn', async () => {
    const id = await createChat(owner, organization.id);
    await app.db.query(
      `update chat set harness_session_id = 'session-1', harness_session_epoch =
         (select authorization_epoch from organization where id = organization_id) where id = $1`,
      [id],
    );
    expect((await owner.get(`${path}/${id}`)).body.data.harnessSessionId).toBe('session-1');
    await app.db.query(`update organization set authorization_epoch = authorization_epoch + 1 where id = $1`, [
      organization.id,
    ]);
    expect((await owner.get(`${path}/${id}`)).body.data.harnessSessionId).toBeNull();
  });

  it('does not find one that is unknown, deleted, or another organization’s', async () => {
    const elsewhere = await createChat(owner, await organizationOf(owner));
    for (const id of [randomUUID(), byTitle.Gone, elsewhere]) {
      const { status, body } = await owner.get(`${path}/${id}`);
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
    }
  });

  it('refuses what is no id', async () => {
    const { status, body } = await owner.get(`${path}/first`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: 'id', code: 'invalid_uuid' }]]);
  });
});
