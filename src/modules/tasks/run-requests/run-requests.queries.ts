import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import {
  atAnyTime,
  type CursorCodec,
  Filters,
  KeysetList,
  type SortKey,
  uuidCursor,
  type Walk,
} from '../../../kernel/pagination/index.ts';
import { timeOfId } from '../../../kernel/ids/index.ts';
import { isOneOf } from '../../../kernel/sql/index.ts';
import type { RunRequestListQuery, RunRequestRow } from './run-request.dto.ts';
import { ENDED_RUN_REQUEST_STATUSES, isOpenRequest, RUN_REQUEST_STATUSES } from './run-request.state.ts';

const select = columns<RunRequestRow>({
  id: 'q.id',
  organizationId: 'q.organization_id',
  taskId: 'q.task_id',
  agentProfileId: 'q.agent_profile_id',
  mode: 'q.mode',
  status: 'q.status',
  executionClass: 'q.execution_class',
  priority: 'q.priority',
  dedupeKey: 'q.dedupe_key',
  taskVersion: 'q.task_version',
  taskGraphRevision: 'q.task_graph_revision',
  availableAt: 'q.available_at',
  claimedAt: 'q.claimed_at',
  cancelRequestedAt: 'q.cancel_requested_at',
  attemptCount: 'q.attempt_count',
  maxAttempts: 'q.max_attempts',
  lastRunId: 'q.last_run_id',
  lastError: 'q.last_error',
  createdAt: 'q.created_at',
  updatedAt: 'q.updated_at',
  releaseCount: 'q.release_count',
  waitingOn: `case when q.status <> 'queued' then '[]'::jsonb else (
    select coalesce(jsonb_agg(
      coalesce(b->>'dependsOnTaskId', b->>'inboxItemId', b->>'actionId', b->>'connectorKey')), '[]')
    from task t cross join lateral jsonb_array_elements(t.blockers) b
    where t.organization_id = q.organization_id and t.id = q.task_id) end`,
});

/** The blockers that `waitingOn` is made of. */
const BLOCKERS = `(case when q.status = 'queued' then (
  select t.blockers from task t where t.organization_id = q.organization_id and t.id = q.task_id) end)`;

const BY_ID: SortKey<RunRequestRow> = { sql: 'q.id', type: 'uuid', of: ({ id }) => id };
const isEnded = (status: string) => (ENDED_RUN_REQUEST_STATUSES as readonly string[]).includes(status);
const ENDED = isOneOf('q.status', ENDED_RUN_REQUEST_STATUSES);
const OPEN = isOpenRequest('q.status');

/** How the list finds its rows where it does not go by id: by time, behind what is filtered by. */
function runRequestWalks(query: RunRequestListQuery): Walk[] | undefined {
  const { status, taskId, agentProfileId, createdAfter, createdBefore } = query;
  if (taskId !== undefined) return undefined;
  if ([status, agentProfileId, createdAfter, createdBefore].every((each) => each === undefined)) return undefined;
  const statuses = [...new Set(status ?? RUN_REQUEST_STATUSES)];
  if (agentProfileId === undefined) return [{ column: 'status', values: statuses, among: atAnyTime('q') }];
  // Few are open, so those of one profile need no index of their own.
  return [
    { column: 'status', values: statuses.filter((each) => !isEnded(each)), among: `${OPEN} and ${atAnyTime('q')}` },
    { column: 'status', values: statuses.filter(isEnded), among: ENDED },
  ];
}

/** The cursor is an id in any order. Its time is that of its row or, where the row is gone, about that of the id. */
function timedCursor(order: 'asc' | 'desc'): CursorCodec {
  return {
    encode: ([, id]) => id!,
    decode: (cursor) => {
      const [id] = uuidCursor.decode(cursor);
      return [timeOfId(id!, order === 'desc' ? ROUNDED_UP_MS : 0), id!];
    },
  };
}

/** Longest time between the id of a request and its row. */
const ROUNDED_UP_MS = 1_000;

function createdAt(organizationId: string): SortKey<RunRequestRow> {
  return {
    sql: 'q.created_at',
    type: 'timestamptz',
    of: (request) => request.createdAt,
    found: ([time, id]) => sql`coalesce((select c.created_at from run_request c
      where c.organization_id = ${organizationId} and c.id = ${id!}), ${time!})`,
  };
}

export function runRequestsOf(organizationId: string, query: RunRequestListQuery): KeysetList<RunRequestRow> {
  const filters = new Filters()
    .equals('q.organization_id', organizationId)
    .oneOf('q.status', query.status)
    .equals('q.task_id', query.taskId)
    .equals('q.agent_profile_id', query.agentProfileId)
    .equals('q.priority', query.priority?.toString())
    .between('q.available_at', undefined, query.availableBefore)
    .window('q', query);
  const walks = runRequestWalks(query);
  return new KeysetList<RunRequestRow>(
    {
      select,
      from: 'run_request q',
      where: filters.where,
      sortBy: walks ? [createdAt(organizationId), BY_ID] : [BY_ID],
      cursor: walks ? timedCursor(query.order) : uuidCursor,
      walks,
      wide: ['q.last_error', BLOCKERS],
    },
    query,
  );
}

export function runRequestById(organizationId: string, id: string): Statement<RunRequestRow> {
  return sql`select ${select} from run_request q where q.organization_id = ${organizationId} and q.id = ${id}`;
}
