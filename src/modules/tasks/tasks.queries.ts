import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor, type SortKey } from '../../kernel/pagination/index.ts';
import type { TaskListQuery } from './task.dto.ts';
import type { TaskRow } from './task-row.ts';
import { parseTaskRef } from './task-ref.ts';
import { titleHolds } from './task-search.queries.ts';
import { taskWalks } from './task-walks.ts';

/** Columns of a task aliased `t`. */
export const TASK_COLUMNS: { readonly [Property in keyof TaskRow]-?: string } = {
  id: 't.id',
  organizationId: 't.organization_id',
  identifier: `t.identifier_scope || '-' || t.identifier_number`,
  identifierScope: 't.identifier_scope',
  identifierNumber: 't.identifier_number',
  parentId: 't.parent_id',
  rootTaskId: 't.root_task_id',
  depth: 't.depth',
  ownerAgentProfileId: 't.owner_agent_profile_id',
  sourceChatId: 't.source_chat_id',
  sourceMessageId: 't.source_message_id',
  createdByRunId: 't.created_by_run_id',
  kind: 't.kind',
  status: 't.status',
  phase: 't.phase',
  title: 't.title',
  priority: 't.priority',
  version: 't.version',
  // Kept by the root: a plan's fence compares with it wherever in the tree the planner is.
  graphRevision: `case when t.root_task_id = t.id then t.graph_revision else (
      select root.graph_revision from task root
      where root.organization_id = t.organization_id and root.id = t.root_task_id) end`,
  agentRunCount: 't.agent_run_count',
  consumedAgentRunCount: 't.consumed_agent_run_count',
  planCount: 't.plan_count',
  maxAgentRuns: 't.max_agent_runs',
  maxAttemptsPerPhase: 't.max_attempts_per_phase',
  maxReplans: 't.max_replans',
  maxActions: 't.max_actions',
  verification: 't.verification',
  spec: 't.spec',
  blockers: 't.blockers',
  // A task has one request at most that is not over, and a request is running as long as its last run is live.
  activeRunIds: `array(select q.last_run_id from run_request q where q.organization_id = t.organization_id
    and q.task_id = t.id and q.status = 'running')`,
  result: 't.result',
  dedupeKey: 't.dedupe_key',
  scheduledAt: 't.scheduled_at',
  dueAt: 't.due_at',
  startedAt: 't.started_at',
  completedAt: 't.completed_at',
  createdAt: 't.created_at',
  updatedAt: 't.updated_at',
};

const select = columns<TaskRow>(TASK_COLUMNS);

/** Whose tasks a caller sees: all, or those that profiles of one department own. */
export interface TaskAudience {
  readonly department: string | null;
}
export const EVERYBODY: TaskAudience = { department: null };

/** The condition of an audience on a `task` aliased `t`; none where it sees everything. */
export function seenBy({ department }: TaskAudience): Sql[] {
  if (department === null) return [];
  return [
    sql`exists (select from agent_profile p where p.organization_id = t.organization_id
       and p.id = t.owner_agent_profile_id and p.department = ${department})`,
  ];
}

export function tasksOf(
  organizationId: string,
  query: TaskListQuery,
  audience: TaskAudience = EVERYBODY,
): KeysetList<TaskRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('t.organization_id', organizationId)
    .oneOf('t.status', query.status)
    .oneOf('t.kind', query.kind)
    .oneOf('t.phase', query.phase)
    .equals('t.priority', query.priority?.toString())
    .equals('t.owner_agent_profile_id', query.ownerAgentProfileId)
    .equals('t.parent_id', query.parentId)
    .equals('t.root_task_id', query.rootTaskId)
    .equals('t.source_chat_id', query.sourceChatId)
    .window('t', query);
  const search = query.search === undefined ? [] : [titleHolds(query.search)];
  const { byTime, walks, among = [] } = taskWalks(query);
  const id: SortKey<TaskRow> = { sql: 't.id', type: 'uuid', of: (task) => task.id };
  return new KeysetList<TaskRow>(
    {
      select,
      from: 'task t',
      where: [...filters.where, ...among, ...search, ...seenBy(audience)],
      // Ids grow with time too, and lead the primary key behind the organization.
      sortBy: byTime ? [{ sql: 't.created_at', type: 'timestamptz', of: ({ createdAt }) => createdAt }, id] : [id],
      walks,
      wide: ['t.spec', 't.result', 't.blockers'],
      cursor: opaqueCursor('tasks', [organizationId, bound]),
    },
    query,
  );
}

/** The condition that finds the task of a validated reference in a `task` aliased `t`. */
export function isTask(text: string): Sql {
  const ref = parseTaskRef(text);
  if (!ref) throw new TypeError(`"${text}" was not validated as a reference to a task.`);
  if ('id' in ref) return sql`t.id = ${ref.id}`;
  return sql`t.identifier_scope = ${ref.scope} and t.identifier_number = ${ref.number}`;
}

/** The task of a validated reference. */
export function taskByRef(organizationId: string, ref: string, audience: TaskAudience = EVERYBODY): Statement<TaskRow> {
  const where = [sql`t.organization_id = ${organizationId}`, isTask(ref), ...seenBy(audience)];
  return sql`select ${select} from task t where ${sql.join(where, ' and ')}`;
}

/** The id of the task of a validated reference. */
export function taskIdByRef(
  organizationId: string,
  ref: string,
  audience: TaskAudience = EVERYBODY,
): Statement<{ id: string }> {
  const where = [sql`t.organization_id = ${organizationId}`, isTask(ref), ...seenBy(audience)];
  return sql`select t.id from task t where ${sql.join(where, ' and ')}`;
}

export function taskById(organizationId: string, id: string): Statement<TaskRow> {
  return sql`select ${select} from task t where t.organization_id = ${organizationId} and t.id = ${id}`;
}
