import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor, type SortKey } from '../../kernel/pagination/index.ts';
import { isUuid } from '../../kernel/validation/index.ts';
import type { OccurrenceListQuery, ScheduleListQuery, ScheduleOccurrenceDto, ScheduleRow } from './schedule.dto.ts';
import { SCHEDULE_STATUSES } from './schedule.state.ts';

const SCHEDULE_COLUMNS: { readonly [Property in keyof ScheduleRow]-?: string } = {
  id: 's.id',
  organizationId: 's.organization_id',
  agentProfileId: 's.agent_profile_id',
  key: 's.key',
  name: 's.name',
  status: 's.status',
  origin: 's.origin',
  createdByAgentProfileId: 's.created_by_agent_profile_id',
  sourceRunId: 's.source_run_id',
  sourceChatId: 's.source_chat_id',
  sourceMessageId: 's.source_message_id',
  trigger: 's.trigger',
  taskTemplate: 's.task_template',
  missedCount: 's.missed_count',
  overlapSkipped: 's.overlap_skipped',
  nextRunAt: 's.next_run_at',
  lastRunAt: 's.last_run_at',
  lastError: 's.last_error',
  createdAt: 's.created_at',
  updatedAt: 's.updated_at',
};
const select = columns<ScheduleRow>(SCHEDULE_COLUMNS);

const selectOccurrence = columns<ScheduleOccurrenceDto>({
  id: 'o.id',
  scheduleId: 'o.schedule_id',
  plannedAt: 'o.planned_at',
  origin: 'o.origin',
  status: 'o.status',
  reason: 'o.reason',
  taskId: 'o.task_id',
  createdAt: 'o.created_at',
});

/** Whose schedules a caller sees: all, or those that profiles of one department own. */
export interface ScheduleAudience {
  readonly department: string | null;
}
export const EVERYBODY: ScheduleAudience = { department: null };

function seenBy({ department }: ScheduleAudience): Sql[] {
  if (department === null) return [];
  return [
    sql`exists (select from agent_profile p where p.organization_id = s.organization_id and p.id = s.agent_profile_id
       and p.department = ${department})`,
  ];
}

export function schedulesOf(
  organizationId: string,
  query: ScheduleListQuery,
  audience: ScheduleAudience = EVERYBODY,
): KeysetList<ScheduleRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('s.organization_id', organizationId)
    .oneOf('s.status', query.status)
    .oneOf('s.origin', query.origin)
    .equals('s.agent_profile_id', query.agentProfileId)
    .window('s', query);
  const isFiltered = [query.status, query.createdAfter, query.createdBefore].some((each) => each !== undefined);
  const isWalked = isFiltered && query.agentProfileId === undefined;
  const walks = isWalked ? [{ column: 'status', values: [...new Set(query.status ?? SCHEDULE_STATUSES)] }] : undefined;
  const id: SortKey<ScheduleRow> = { sql: 's.id', type: 'uuid', of: (schedule) => schedule.id };
  return new KeysetList<ScheduleRow>(
    {
      select,
      from: 'schedule s',
      where: [...filters.where, 's.deleted_at is null', ...seenBy(audience)],
      // Ids grow with time too, and lead the primary key behind the organization.
      sortBy: walks ? [{ sql: 's.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt }, id] : [id],
      walks,
      wide: ['s.trigger', 's.task_template'],
      cursor: opaqueCursor('schedules', [organizationId, bound]),
    },
    query,
  );
}

/** Condition of the schedule of a validated reference, unless it is deleted. */
function isSchedule(ref: string): Sql {
  const column = isUuid(ref) ? sql`s.id` : sql`s.key`;
  return sql`${column} = ${ref} and s.deleted_at is null`;
}

/** The schedule of a validated reference. */
export function scheduleByRef(
  organizationId: string,
  ref: string,
  audience: ScheduleAudience = EVERYBODY,
): Statement<ScheduleRow> {
  const where = [sql`s.organization_id = ${organizationId}`, isSchedule(ref), ...seenBy(audience)];
  return sql`select ${select} from schedule s where ${sql.join(where, ' and ')}`;
}

/** By id, deleted or not. */
export function scheduleById(organizationId: string, id: string): Statement<ScheduleRow> {
  return sql`select ${select} from schedule s where s.organization_id = ${organizationId} and s.id = ${id}`;
}

/** The schedule that has a key, and the digest of what it was made from. */
export function scheduleOfKey(organizationId: string, key: string): Statement<{ id: string; digest: string }> {
  return sql`
    select s.id, s.creation_digest as digest from schedule s
    where s.organization_id = ${organizationId} and s.key = ${key} and s.deleted_at is null`;
}

export function databaseClock(): Statement<{ now: string }> {
  return sql`select clock_timestamp() as now`;
}

export function occurrencesOf(
  organizationId: string,
  scheduleId: string,
  query: OccurrenceListQuery,
): KeysetList<ScheduleOccurrenceDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('o.organization_id', organizationId)
    .equals('o.schedule_id', scheduleId)
    .oneOf('o.status', query.status)
    .oneOf('o.origin', query.origin)
    .between('o.created_at', query.createdAfter, query.createdBefore);
  return new KeysetList<ScheduleOccurrenceDto>(
    {
      select: selectOccurrence,
      from: 'schedule_occurrence o',
      where: filters.where,
      walks: query.status && [{ column: 'status', values: [...new Set(query.status)] }],
      // Unique within a schedule, whose unique index is in this order.
      sortBy: [{ sql: 'o.planned_at', type: 'timestamptz', of: ({ plannedAt }) => plannedAt }],
      cursor: opaqueCursor('schedule-occurrences', [organizationId, scheduleId, bound]),
    },
    query,
  );
}

export function occurrenceById(organizationId: string, id: string): Statement<ScheduleOccurrenceDto> {
  return sql`
    select ${selectOccurrence} from schedule_occurrence o where o.organization_id = ${organizationId} and o.id = ${id}`;
}

/** A locked schedule, and the database's clock behind the wait for its lock. */
export interface LockedSchedule extends ScheduleRow {
  readonly now: string;
}

/** Locks the schedule of a validated reference, so that fires, edits and deletions of it come before or after. */
export function lockSchedule(
  organizationId: string,
  ref: string,
  audience: ScheduleAudience = EVERYBODY,
): Statement<LockedSchedule> {
  const where = [sql`s.organization_id = ${organizationId}`, isSchedule(ref), ...seenBy(audience)];
  return sql`
    with locked as materialized (
      select s.* from schedule s where ${sql.join(where, ' and ')} for no key update of s)
    select ${select}, clock_timestamp() as now from locked s`;
}
