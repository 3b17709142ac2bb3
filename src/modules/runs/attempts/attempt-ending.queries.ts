import { ISO_NOW, sql, type Statement, statement } from '../../../kernel/database/index.ts';
import { rejoinLines, runRequestMoves, taskMoves, UNCLAIMED } from '../../tasks/index.ts';
import type { Attempt } from './attempt.ts';
import type { Consequence } from './attempt-policy.ts';
import type { AttemptError } from './attempt-error.ts';
import type { RunUsage } from '../run.entity.ts';
import type { RunMove, RunStatus } from '../run.state.ts';

/** What the final call of a run leaves on it, beside its status. */
export interface FinalReport {
  readonly output?: object | undefined;
  readonly error?: AttemptError | undefined;
  readonly usage?: RunUsage | undefined;
  readonly receipts?: readonly object[] | undefined;
  readonly harness?: string | undefined;
  readonly workspaceUri?: string | undefined;
  readonly logState?: string | undefined;
}

export type RunEnd = Exclude<RunMove, 'begin'>;

/** Its place is free: an organization that left the lines of claims comes back into them. */
export function closeRun(organizationId: string, runId: string, status: RunStatus, report: FinalReport): Statement {
  return statement(
    `with ${rejoinLines(sql.raw('(select $1::uuid as organization_id)'))}
     update run set status = $3, finished_at = clock_timestamp(), updated_at = clock_timestamp(),
       output = $4::jsonb, error = ${stored('$5')}, usage = coalesce($6::jsonb, usage), receipts = coalesce($7::jsonb, receipts),
       harness = coalesce($8, harness), workspace_uri = coalesce($9, workspace_uri), log_state = coalesce($10, log_state)
     where organization_id = $1 and id = $2`,
    organizationId,
    runId,
    status,
    json(report.output),
    json(report.error),
    json(report.usage),
    json(report.receipts),
    report.harness ?? null,
    report.workspaceUri ?? null,
    report.logState ?? null,
  );
}

/** Ends the request of an attempt for good. */
export function closeRequest(
  organizationId: string,
  { request, run }: Attempt,
  end: 'complete' | 'cancel' | 'fail',
  error?: AttemptError,
): Statement {
  return statement(
    `update run_request set status = $3, updated_at = clock_timestamp(),
       last_error = coalesce(${stored('$4')} || jsonb_build_object('runId', $5::text), last_error)
     where organization_id = $1 and id = $2 and ${runRequestMoves.permits(end, 'status')}`,
    organizationId,
    request.id,
    runRequestMoves.next(end, 'running'),
    json(error),
    run.id,
  );
}

/** Queues the request of a failed attempt again; ready at once without a delay. */
export function requeueRequest(
  organizationId: string,
  { request, run }: Attempt,
  error: AttemptError,
  delaySeconds: number,
): Statement {
  return statement(
    `update run_request set status = ${runRequestMoves.moved('retry', 'status')}, updated_at = clock_timestamp(),
       last_error = ${stored('$3')} || jsonb_build_object('runId', $4::text),
       ready = $5::double precision = 0, available_at = clock_timestamp() + $5::double precision * interval '1 second',
       ${UNCLAIMED}, cancel_requested_at = null, requeue_on_cancel = false
     where organization_id = $1 and id = $2 and ${runRequestMoves.permits('retry', 'status')}`,
    organizationId,
    request.id,
    json(error),
    run.id,
    delaySeconds,
  );
}

/** The task goes back to `pending` with its counters moved; where it ends next, its end says so. */
export function countAttempt(
  organizationId: string,
  { task }: Attempt,
  { refund, counts }: Pick<Consequence, 'refund' | 'counts'>,
): Statement {
  return statement(
    `update task set status = ${taskMoves.moved('requeue', 'status')}, version = version + 1, updated_at = clock_timestamp(),
       consumed_agent_run_count = consumed_agent_run_count - $3, refund_streak = case when $3 = 1 then refund_streak + 1 else 0 end,
       plan_failures = plan_failures + case when phase = 'plan' then $4::int else 0 end,
       execute_failures = execute_failures + case when phase = 'execute' then $4::int else 0 end,
       verify_failures = verify_failures + case when phase = 'verify' then $4::int else 0 end
     where organization_id = $1 and id = $2 and ${taskMoves.permits('requeue', 'status')}`,
    organizationId,
    task.id,
    refund ? 1 : 0,
    counts ? 1 : 0,
  );
}

/** The task may run again: nothing was counted against it. */
export function setPending(organizationId: string, taskId: string): Statement {
  return statement(
    `update task set status = ${taskMoves.moved('requeue', 'status')}, version = version + 1, updated_at = clock_timestamp()
     where organization_id = $1 and id = $2 and ${taskMoves.permits('requeue', 'status')}`,
    organizationId,
    taskId,
  );
}

export function blockOnOperator(organizationId: string, taskId: string, inboxItemId: string): Statement {
  return statement(
    `update task set status = ${taskMoves.moved('ask', 'status')}, blockers = jsonb_build_array(
       jsonb_build_object('kind', 'operator', 'inboxItemId', $3::text, 'since', ${ISO_NOW}))
     where organization_id = $1 and id = $2`,
    organizationId,
    taskId,
    inboxItemId,
  );
}

/** An error as it is stored: with the database's time of it. */
function stored(placeholder: string): string {
  return `(${placeholder}::jsonb || jsonb_build_object('at', ${ISO_NOW}))`;
}

/** JSON for a column; null where nothing was reported. */
export function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
