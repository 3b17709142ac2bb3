import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Statement, Transactions } from '../../../src/kernel/database/index.ts';
import {
  CONTENT_REMOVALS,
  type DeletedChat,
  deletedChats,
  PURGED_ROWS_LIMIT,
  DELETED_CHATS_LIMIT,
} from '../../../src/modules/chats/purge/chat-purge.queries.ts';
import { chatsOf } from '../../../src/modules/chats/chats.queries.ts';
import { hasActiveTurn } from '../../../src/modules/chats/messages/message-moves.queries.ts';
import { messagesOf } from '../../../src/modules/chats/messages/messages.queries.ts';
import { firstChat, messageRow } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { explain, explainIn, nodes, type Plan } from '../../support/database/query-plans.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ORGANIZATIONS = 4;
const CHATS_EACH = 1_500;
const MESSAGES_OF_CHAT = 3_000;
const DELETED = 150;
const LIMIT = 50;
const PAGE = { limit: LIMIT, order: 'desc' } as const;

const app = useTestApp({ ownDatabase: true });
let organizationId: string;
let chatId: string;

beforeAll(async () => {
  const owner = await app.person();
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    organizationId = await organizationOf(owner);
    chatId = await firstChat(app, organizationId);
    await app.db.query(
      `insert into chat (organization_id, id, title, harness_session_id, harness_session_epoch)
       select $1, gen_random_uuid(), 'Chat ' || n, 'session-' || n, 1 from generate_series(1, $2::int) n`,
      [organizationId, CHATS_EACH],
    );
    // One long conversation, and a short one in each other chat.
    await app.db.query(
      `insert into message (organization_id, id, chat_id, role, status, created_at)
       select $1::uuid, gen_random_uuid(), $2::uuid, 'user', 'complete', now() - n * interval '1 minute' from generate_series(1, $3::int) n
       union all
       select $1::uuid, gen_random_uuid(), c.id, 'user', 'complete', now() from chat c where c.organization_id = $1`,
      [organizationId, chatId, MESSAGES_OF_CHAT],
    );
  }
  await messageRow(app, organizationId, chatId, { role: 'assistant', status: 'pending' });
  // Everybody else's answers still stream.
  await app.db.query(
    `insert into message_chunk (organization_id, message_id, draft, part_id, part_offset, revision, text)
     select organization_id, id, 1, 'p1', n, n + 2, 'x' from message, generate_series(0, 1) n where chat_id <> $1`,
    [chatId],
  );
  await app.db.query(
    `update chat set deleted_at = now() - interval '1 hour' where id in (select id from chat where title = 'Chat 1' or title like 'Chat 2%' limit ${DELETED})`,
  );
  await app.db.query('vacuum analyze');
}, 60_000);

/** What walks a table or its indexes, by index; a table that is read without one has no name. */
function walksOf(plan: Plan, table: string): [string | undefined, number][] {
  return [...nodes(plan)]
    .filter((node) => node['Relation Name'] === table)
    .map((node) => [node['Index Name'], node['Actual Rows']!]);
}

/** A page is measured, with one row more, before its rows are read; a look back is one walk. */
function messagePage({ text }: Statement): [string, number][] {
  const measured: [string, number] = ['message_by_chat', LIMIT + 1];
  return text.startsWith('with cut') ? [measured, measured] : [measured];
}

const both = [
  ['the values known', false],
  ['a generic plan', true],
] as const;

describe.each(both)('with %s', (_what, generic) => {
  const inOrganization = (query: Statement) => explainIn(app, organizationId, query, generic);
  /** A page far in, and the look back from it. */
  const deep = async (list: (cursor?: string) => { statements(): Statement[] }, path: string) => {
    const { nextCursor } = (await app.bootstrap.get(`${path}?limit=200`)).body.pagination;
    return list(nextCursor as string).statements();
  };

  it('a page of chats walks their key no further than it goes, at the start and far in', async () => {
    const first = chatsOf(organizationId, PAGE).statements();
    const list = (cursor?: string) => chatsOf(organizationId, { ...PAGE, ...(cursor ? { cursor } : {}) });
    for (const query of [...first, ...(await deep(list, `/organizations/${organizationId}/chats`))])
      expect(walksOf(await inOrganization(query), 'chat')).toEqual([['chat_pkey', LIMIT + 1]]);
  });

  it('a page of chats asks once for the epoch of their sessions', async () => {
    const [query] = chatsOf(organizationId, PAGE).statements();
    const looks = [...nodes(await inOrganization(query!))].filter((node) => node['Relation Name'] === 'organization');
    expect(looks.map((node) => node['Actual Loops'])).toEqual([1]);
  });

  it('a search looks up the chats that it finds, or walks the key', async () => {
    const [query] = chatsOf(organizationId, { ...PAGE, search: 'Chat 1234' }).statements();
    expect(walksOf(await inOrganization(query!), 'chat').map(([index]) => index)).toEqual(['chat_pkey']);
  });

  it('a page of messages walks those of its chat no further than it goes, at the start and far in', async () => {
    const first = messagesOf(organizationId, chatId, PAGE).statements();
    const list = (cursor?: string) => messagesOf(organizationId, chatId, { ...PAGE, ...(cursor ? { cursor } : {}) });
    const path = `/organizations/${organizationId}/chats/${chatId}/messages`;
    for (const query of [...first, ...(await deep(list, path))])
      expect(walksOf(await inOrganization(query), 'message')).toEqual(messagePage(query));
  });

  it('a window of messages begins where it begins', async () => {
    const createdBefore = new Date(Date.now() - 1_000 * 60_000).toISOString();
    const [query] = messagesOf(organizationId, chatId, { ...PAGE, createdBefore }).statements();
    expect(walksOf(await inOrganization(query!), 'message')).toEqual(messagePage(query!));
  });

  it('whether a chat waits for an answer is one look into the index of those', async () => {
    expect(walksOf(await inOrganization(hasActiveTurn(organizationId, chatId)), 'message')).toEqual([
      ['message_active', 1],
    ]);
  });

  it('the purge finds deleted chats by their index, each once, look by look', async () => {
    const seen = new Set<string>();
    let found: DeletedChat[] = [];
    for (const rows of [DELETED_CHATS_LIMIT, DELETED - DELETED_CHATS_LIMIT]) {
      const look = deletedChats(found.at(-1));
      const walks = walksOf(await explain(app, look, generic), 'chat');
      expect(walks).toEqual([['chat_deleted', expect.any(Number)]]);
      expect(walks[0]![1]).toBeLessThanOrEqual(DELETED);
      found = await app.app.get(Transactions).dispatch((run) => run(look));
      expect(found).toHaveLength(rows);
      for (const { id } of found) seen.add(id);
    }
    expect(seen.size).toBe(DELETED);
  });

  it('the purge reads what is in the chat, and no table as a whole', async () => {
    const { rows } = await app.db.query<{ id: string }>(
      'select id from chat where organization_id = $1 and id <> $2 and deleted_at is null limit 1',
      [organizationId, chatId],
    );
    const [ofChunks] = removalsOf(rows[0]!.id);
    const [, ofMessages] = removalsOf(chatId);
    for (const [removal, count] of [
      [ofChunks!, 2],
      [ofMessages!, PURGED_ROWS_LIMIT],
    ] as const) {
      const all = [...nodes(await inOrganization(removal))];
      expect(all.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      expect(all[0]).toMatchObject({ 'Node Type': 'ModifyTable', 'Actual Rows': count });
    }
  });
});

function removalsOf(id: string): Statement[] {
  return CONTENT_REMOVALS.map((removal) => removal({ organizationId, id }, PURGED_ROWS_LIMIT));
}
