import { sql, type Statement } from '../../../kernel/database/index.ts';
import { TOKEN_TAKEN } from '../run-requests/run-request-moves.queries.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import type { EndedTaskStatus } from '../task.state.ts';

const REQUEST_ENDS = {
  withFailure: {
    permitted: sql.raw(runRequestMoves.permits('failWithTask', 'status')),
    status: sql.raw(runRequestMoves.moved('failWithTask', 'status')),
  },
  otherwise: {
    permitted: sql.raw(runRequestMoves.permits('endWithTask', 'status')),
    status: sql.raw(runRequestMoves.moved('endWithTask', 'status')),
  },
};

export function closeTask(organizationId: string, id: string, status: EndedTaskStatus, result: object): Statement {
  return sql`
    update task set status = ${status}, result = ${JSON.stringify(result)}::jsonb, unverified_result = null,
      blockers = '[]', version = version + 1, completed_at = clock_timestamp(), updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

/** Ends the open request of a task. Asks a live run to stop: its request stays `running` until the run ends. */
export function closeRequests(organizationId: string, taskId: string, status: EndedTaskStatus): Statement {
  const move = status === 'failed' ? REQUEST_ENDS.withFailure : REQUEST_ENDS.otherwise;
  return sql`
    update run_request set status = ${move.status},
      cancel_requested_at = case when status = 'running' then coalesce(cancel_requested_at, clock_timestamp())
        else cancel_requested_at end,
      ${TOKEN_TAKEN}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and task_id = ${taskId} and ${move.permitted}`;
}

/** Leaves pending dependents of a task that has ended to the sweep. */
export function flagUnsettled(organizationId: string, id: string): Statement {
  const organization = sql.value(organizationId);
  const task = sql.value(id);
  return sql`
    update task set dependents_unsettled = true
    where organization_id = ${organization} and id = ${task} and exists (
      select from task_dependency d
      where d.organization_id = ${organization} and d.depends_on_task_id = ${task} and d.status = 'pending')`;
}
