import type { Seeds } from './seeds.ts';

/** What is said in turn; a number behind each makes it one of its own. */
const QUESTION =
  'Which customers bought more this quarter than in the one before it, which bought less, and what do we do about those who have not ordered at all since spring?';
const ANSWER =
  'Revenue rose by 4 % over the quarter before. Most of it comes from eleven customers who ordered a second time within six weeks; three of the largest ordered less, and each of them had waited for a delivery. Twenty-six have not ordered since spring. I suggest to write to the three first, with a date by which their open orders arrive, and to offer the others a call with support before the next newsletter goes out.';

/** Makes chats in which an agent has answered, and one more with many messages; returns the id of that one. */
export async function seedConversations(seeds: Seeds, count: number): Promise<string> {
  const organizationId = await seeds.organization('lists');
  await seeds.query(
    `insert into chat (organization_id, id, title, summary, harness_session_id, harness_session_epoch, last_message_at)
     select o.id, uuidv7(), 'The quarter beside the one before, part ' || n,
       'Who bought more and who bought less, and whom to write to first.', 'session-' || n, o.authorization_epoch, clock_timestamp()
     from organization o cross join generate_series(1, $2::int) n where o.id = $1`,
    [organizationId, count],
  );
  const [chat] = await seeds.query<{ id: string }>(
    `insert into chat (organization_id, id, title, last_message_at)
     values ($1, uuidv7(), 'All that we ever talked about', clock_timestamp()) returning id`,
    [organizationId],
  );
  await withoutSearch(seeds, () => seedMessages(seeds, organizationId, chat!.id, count));
  return chat!.id;
}

async function seedMessages(seeds: Seeds, organizationId: string, chatId: string, count: number): Promise<void> {
  await seeds.query(
    `insert into message (organization_id, id, chat_id, role, status, author, parts, reply_to_message_id, agent_profile_id, completed_at)
     select $1, said.id, $2, said.role, 'complete', said.author,
       jsonb_build_array(jsonb_build_object('id', 'p1', 'kind', 'text', 'text', said.text || ' (' || pair.n || ')')),
       said.reply_to, said.profile, clock_timestamp()
     from (select n, uuidv7() as question, uuidv7() as answer from generate_series(1, $3::int / 2) n) pair
     cross join (select p.id from bench.profile p where p.pool = 'lists' and p.place = 1) profile
     cross join lateral (values
       ('user', pair.question, '{"kind":"human","displayName":"Ada"}'::jsonb, $4, null, null),
       ('assistant', pair.answer, null, $5, pair.question, profile.id)) said(role, id, author, text, reply_to, profile)`,
    [organizationId, chatId, count, QUESTION, ANSWER],
  );
}

/** Making the index of substrings anew takes half as long as keeping it up to date with very many rows. */
async function withoutSearch(seeds: Seeds, work: () => Promise<void>): Promise<void> {
  const [index] = await seeds.query<{ definition: string }>(
    `select pg_get_indexdef('message_search_text'::regclass) as definition`,
  );
  await seeds.query('drop index message_search_text');
  await work();
  await seeds.query(index!.definition);
}
