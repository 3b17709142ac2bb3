import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor, type Walk } from '../../../kernel/pagination/index.ts';
import type { MessageDto, MessageListQuery } from './message.dto.ts';
import { ACTIVE_MESSAGE_STATUSES, isActive } from './message.state.ts';

/** The parts that the chunks of a message aliased `m` make, in the order in which they were begun. */
export const STREAMED_PARTS = sql`coalesce((
    select jsonb_agg(jsonb_build_object('id', s.part_id, 'kind', 'text', 'text', s.text) order by s.begun)
    from (select k.part_id, min(k.revision) as begun, string_agg(k.text, '' order by k.part_offset) as text
          from message_chunk k
          where k.organization_id = m.organization_id and k.message_id = m.id and k.draft = m.draft
          group by k.part_id) s), '[]')`;

/** A message aliased `m` as owners see it, with the text streamed so far. */
export const MESSAGE_FIELDS = {
  id: 'm.id',
  organizationId: 'm.organization_id',
  chatId: 'm.chat_id',
  replyToMessageId: 'm.reply_to_message_id',
  role: 'm.role',
  status: 'm.status',
  revision: 'm.revision',
  author: 'm.author',
  parts: sql`case when m.status in ('streaming', 'cancelling') then ${STREAMED_PARTS} else m.parts end`,
  error: 'm.error',
  completedAt: 'm.completed_at',
  createdAt: 'm.created_at',
  updatedAt: 'm.updated_at',
} as const satisfies Record<keyof MessageDto, string | Sql>;

export const MESSAGE_COLUMNS = columns<MessageDto>(MESSAGE_FIELDS);

/** A message of a chat that was not deleted. */
export function messageById(organizationId: string, id: string): Statement<MessageDto> {
  return sql`
    select ${MESSAGE_COLUMNS}
    from message m join chat c on c.organization_id = m.organization_id and c.id = m.chat_id
    where m.organization_id = ${organizationId} and m.id = ${id} and c.deleted_at is null`;
}

/** Bytes of the text of a message that is still in chunks. */
const STREAMED = { bytes: `case when ${isActive('m.status')} then m.text_bytes else 0 end` };

const isActiveStatus = (status: string) => (ACTIVE_MESSAGE_STATUSES as readonly string[]).includes(status);
const ENDED_TURNS = `m.role = 'assistant' and m.status in ('complete', 'failed', 'cancelled')`;

/**
 * How messages of the given statuses are found. Every second message is a user's and so complete: a list that includes
 * those soon finds its rows by time. Of the others, at most one is active.
 */
function messageWalks({ status, role }: MessageListQuery): Walk[] | undefined {
  if (status === undefined) return undefined;
  const answersOnly = role?.every((each) => each === 'assistant') ?? false;
  if (status.includes('complete') && !answersOnly) return undefined;
  const statuses = [...new Set(status)];
  return [
    { column: 'status', values: statuses.filter(isActiveStatus), among: isActive('m.status') },
    { column: 'status', values: statuses.filter((each) => !isActiveStatus(each)), among: ENDED_TURNS },
  ];
}

export function messagesOf(organizationId: string, chatId: string, query: MessageListQuery): KeysetList<MessageDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('m.organization_id', organizationId)
    .equals('m.chat_id', chatId)
    .oneOf('m.role', query.role)
    .oneOf('m.status', query.status)
    .window('m', query);
  return new KeysetList<MessageDto>(
    {
      select: MESSAGE_COLUMNS,
      from: 'message m',
      where: filters.where,
      walks: messageWalks(query),
      wide: ['m.parts', STREAMED],
      sortBy: [
        { sql: 'm.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt },
        { sql: 'm.id', type: 'uuid', of: ({ id }) => id },
      ],
      cursor: opaqueCursor('messages', [organizationId, chatId, bound]),
    },
    query,
  );
}
