import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor, type SortKey } from '../../kernel/pagination/index.ts';
import type { ChatChange } from './chat-change.ts';
import type { ChatDto, ChatListQuery } from './chat.dto.ts';
import { CHAT_STATUSES } from './chat.state.ts';

const SHOWN = columns<Omit<ChatDto, 'harnessSessionId'>>({
  id: 'c.id',
  organizationId: 'c.organization_id',
  title: 'c.title',
  status: 'c.status',
  summary: 'c.summary',
  settings: `jsonb_build_object('pinnedTaskIds', c.pinned_task_ids)`,
  lastMessageAt: 'c.last_message_at',
  archivedAt: 'c.archived_at',
  isOnboardingChat: 'c.is_onboarding_chat',
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
});

/**
 * Select list of a chat aliased `c`. The epoch hangs on the parameter alone, so a statement reads it once. (Measured
 * for 51 chats: 0.09 ms; 0.19 ms where each chat asks for the epoch of its own organization.)
 */
export function chatColumns(organizationId: string): Sql {
  return sql`${SHOWN}, case when c.harness_session_id is not null and c.harness_session_epoch =
    (select o.authorization_epoch from organization o where o.id = ${organizationId})
    then c.harness_session_id end as "harnessSessionId"`;
}

export function chatsOf(organizationId: string, query: ChatListQuery): KeysetList<ChatDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('c.organization_id', organizationId)
    .oneOf('c.status', query.status)
    .window('c', query);
  const search = query.search === undefined ? [] : [sql`c.id in (select search_chats(${query.search}))`];
  const isFiltered = [query.status, query.createdAfter, query.createdBefore].some((each) => each !== undefined);
  const walks = isFiltered ? [{ column: 'status', values: [...new Set(query.status ?? CHAT_STATUSES)] }] : undefined;
  const id: SortKey<ChatDto> = { sql: 'c.id', type: 'uuid', of: (chat) => chat.id };
  return new KeysetList<ChatDto>(
    {
      select: chatColumns(organizationId),
      from: 'chat c',
      where: [...filters.where, 'c.deleted_at is null', ...search],
      // Ids grow with time too, and lead the primary key behind the organization.
      sortBy: walks ? [{ sql: 'c.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt }, id] : [id],
      walks,
      cursor: opaqueCursor('chats', [organizationId, bound]),
    },
    query,
  );
}

/** A chat that was not deleted. */
export function chatById(organizationId: string, id: string): Statement<ChatDto> {
  return sql`
    select ${chatColumns(organizationId)} from chat c
    where c.organization_id = ${organizationId} and c.id = ${id} and c.deleted_at is null`;
}

/** A row where a chat was not deleted. */
export function chatExists(organizationId: string, id: string): Statement {
  return sql`
    select from chat c where c.organization_id = ${organizationId} and c.id = ${id} and c.deleted_at is null`;
}

/** Locks a chat that was not deleted, which puts all posts, archives, cancels and deletions in it in one order. */
export function lockChat(organizationId: string, id: string): Statement<ChatDto> {
  return sql`
    select ${chatColumns(organizationId)} from chat c
    where c.organization_id = ${organizationId} and c.id = ${id} and c.deleted_at is null
    for no key update of c`;
}

export interface NewChat {
  readonly title: string;
  readonly isOnboardingChat?: boolean;
}

export function insertChat(
  organizationId: string,
  id: string,
  { title, isOnboardingChat = false }: NewChat,
): Statement<ChatDto> {
  return sql`
    insert into chat as c (organization_id, id, title, is_onboarding_chat, created_at, updated_at)
    select ${organizationId}::uuid, ${id}::uuid, ${title}, ${isOnboardingChat}::boolean, now.at, now.at
    from clock_timestamp() now(at)
    returning ${chatColumns(organizationId)}`;
}

/** Changes what is given; the rest stays. */
export function updateChat(organizationId: string, id: string, change: ChatChange): Statement<ChatDto> {
  const status = sql`coalesce(${change.status ?? null}, c.status)`;
  return sql`
    update chat c set title = coalesce(${change.title ?? null}, c.title), status = ${status},
      archived_at = case when ${status} = 'archived' then coalesce(c.archived_at, now.at) end,
      pinned_task_ids = coalesce(${change.pinnedTaskIds ?? null}::uuid[], c.pinned_task_ids), updated_at = now.at
    from clock_timestamp() now(at)
    where c.organization_id = ${organizationId} and c.id = ${id}
    returning ${chatColumns(organizationId)}`;
}

/** Hides a chat; `ChatPurgeJobs` removes what is in it. */
export function markDeleted(organizationId: string, id: string): Statement<ChatDto> {
  return sql`
    update chat c set deleted_at = now.at, updated_at = now.at from clock_timestamp() now(at)
    where c.organization_id = ${organizationId} and c.id = ${id}
    returning ${chatColumns(organizationId)}`;
}
