import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor, type SortKey } from '../../kernel/pagination/index.ts';
import type { InboxItemDto, InboxListQuery, InboxSummaryDto } from './inbox-item.dto.ts';
import { inboxWalks } from './inbox-walks.ts';

/** Columns of an item aliased `i`, but for the one that its task tells. */
const INBOX_COLUMNS: { readonly [Property in keyof Omit<InboxItemDto, 'blocking'>]-?: string } = {
  id: 'i.id',
  organizationId: 'i.organization_id',
  kind: 'i.kind',
  purpose: 'i.purpose',
  status: 'i.status',
  severity: 'i.severity',
  title: 'i.title',
  body: 'i.body',
  presentation: 'i.presentation',
  openedBy: `jsonb_build_object('kind', i.opened_by, 'profileKey', i.opened_by_profile_key)`,
  taskId: 'i.task_id',
  runId: 'i.run_id',
  chatId: 'i.chat_id',
  actionId: 'i.action_id',
  occurrences: 'i.occurrences',
  response: 'i.response',
  closure: 'i.closure',
  expiresAt: 'i.expires_at',
  createdAt: 'i.created_at',
  updatedAt: 'i.updated_at',
};

function itemOf(organizationId: string): Sql {
  // A task names what it waits for: the item, or the action that the item was opened with.
  const blocking = sql`(i.status = 'open' and coalesce((
      select t.blockers @> jsonb_build_array(case when i.action_id is null
        then jsonb_build_object('inboxItemId', i.id) else jsonb_build_object('actionId', i.action_id) end)
      from task t where t.organization_id = ${organizationId} and t.id = i.task_id), false))`;
  return columns<InboxItemDto>({ ...INBOX_COLUMNS, blocking });
}

export function inboxItemsOf(organizationId: string, query: InboxListQuery): KeysetList<InboxItemDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('i.organization_id', organizationId)
    .oneOf('i.status', query.status)
    .oneOf('i.kind', query.kind)
    .oneOf('i.severity', query.severity)
    .oneOf('i.purpose', query.purpose)
    .equals('i.task_id', query.taskId)
    .equals('i.chat_id', query.chatId)
    .equals('i.run_id', query.runId)
    .equals('i.action_id', query.actionId)
    .window('i', query);
  const walks = inboxWalks(query);
  const id: SortKey<InboxItemDto> = { sql: 'i.id', type: 'uuid', of: (item) => item.id };
  return new KeysetList<InboxItemDto>(
    {
      select: itemOf(organizationId),
      from: 'inbox_item i',
      where: filters.where,
      sortBy: walks ? [{ sql: 'i.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt }, id] : [id],
      walks,
      wide: ['i.body', 'i.presentation', 'i.response'],
      cursor: opaqueCursor('inbox-items', [organizationId, bound]),
    },
    query,
  );
}

export function inboxItem(organizationId: string, id: string): Statement<InboxItemDto> {
  return sql`
    select ${itemOf(organizationId)} from inbox_item i where i.organization_id = ${organizationId} and i.id = ${id}`;
}

/** The open items by kind, counted in an index that holds no others. */
export function inboxSummary(organizationId: string): Statement<InboxSummaryDto> {
  const kind = (name: string) => `count(*) filter (where i.kind = '${name}')::int`;
  const counts = columns<InboxSummaryDto>({
    questions: kind('question'),
    notifications: kind('notification'),
    approvals: kind('approval'),
    reconciliation: kind('reconciliation'),
    total: 'count(*)::int',
  });
  return sql`select ${counts} from inbox_item i where i.organization_id = ${organizationId} and i.status = 'open'`;
}
