import { columns, type Statement, statement, Values } from '../../kernel/database/index.ts';
import { Filters, KeysetList, uuidCursor } from '../../kernel/pagination/index.ts';
import type { RunRequestListQuery, RunRequestRow } from './run-request.dto.ts';

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
    select coalesce(jsonb_agg(coalesce(b->>'dependsOnTaskId', b->>'inboxItemId', b->>'actionId', b->>'connectorKey')), '[]')
    from task t cross join lateral jsonb_array_elements(t.blockers) b
    where t.organization_id = q.organization_id and t.id = q.task_id) end`,
});

export function runRequestsOf(organizationId: string, query: RunRequestListQuery): KeysetList<RunRequestRow> {
  const values = new Values();
  const filters = new Filters(values)
    .equals('q.organization_id', organizationId)
    .oneOf('q.status', query.status)
    .equals('q.task_id', query.taskId)
    .equals('q.agent_profile_id', query.agentProfileId)
    .equals('q.priority', query.priority?.toString())
    .between('q.available_at', undefined, query.availableBefore)
    .window('q', query);
  return new KeysetList<RunRequestRow>(
    {
      select,
      from: 'run_request q',
      where: filters.where,
      values,
      sortBy: [{ sql: 'q.id', type: 'uuid', of: ({ id }) => id }],
      cursor: uuidCursor,
    },
    query,
  );
}

export function runRequestById(organizationId: string, id: string): Statement<RunRequestRow> {
  return statement(
    `select ${select} from run_request q where q.organization_id = $1 and q.id = $2`,
    organizationId,
    id,
  );
}
