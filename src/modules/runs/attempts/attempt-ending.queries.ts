import { ISO_NOW, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
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

const NOW_ISO = sql.raw(ISO_NOW);

/** Closes a run. Its place is free: an organization that left the lines of claims comes back into them. */
export function closeRun(organizationId: string, runId: string, status: RunStatus, report: FinalReport): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with ${rejoinLines(sql`(select ${organization}::uuid as organization_id)`)}
    update run set status = ${status}, finished_at = clock_timestamp(), updated_at = clock_timestamp(),
      output = ${json(report.output)}::jsonb, error = ${stored(report.error)},
      usage = coalesce(${json(report.usage)}::jsonb, usage),
      receipts = coalesce(${json(report.receipts)}::jsonb, receipts),
      harness = coalesce(${report.harness ?? null}, harness),
      workspace_uri = coalesce(${report.workspaceUri ?? null}, workspace_uri),
      log_state = coalesce(${report.logState ?? null}, log_state)
    where organization_id = ${organization} and id = ${runId}`;
}

type RequestEnd = 'complete' | 'cancel' | 'fail';
const MAY_END: Readonly<Record<RequestEnd, Sql>> = {
  complete: sql.raw(runRequestMoves.permits('complete', 'status')),
  cancel: sql.raw(runRequestMoves.permits('cancel', 'status')),
  fail: sql.raw(runRequestMoves.permits('fail', 'status')),
};

/** Ends the request of an attempt for good. */
export function closeRequest(
  organizationId: string,
  { request, run }: Attempt,
  end: RequestEnd,
  error?: AttemptError,
): Statement {
  return sql`
    update run_request set status = ${runRequestMoves.next(end, 'running')}, updated_at = clock_timestamp(),
      last_error = coalesce(${stored(error)} || jsonb_build_object('runId', ${run.id}::text), last_error)
    where organization_id = ${organizationId} and id = ${request.id} and ${MAY_END[end]}`;
}

const REQUEUED = sql.raw(runRequestMoves.moved('retry', 'status'));
const MAY_RETRY = sql.raw(runRequestMoves.permits('retry', 'status'));

/** Queues the request of a failed attempt again; ready at once without a delay. */
export function requeueRequest(
  organizationId: string,
  { request, run }: Attempt,
  error: AttemptError,
  delaySeconds: number,
): Statement {
  const delay = sql.value(delaySeconds);
  return sql`
    update run_request set status = ${REQUEUED}, updated_at = clock_timestamp(),
      last_error = ${stored(error)} || jsonb_build_object('runId', ${run.id}::text),
      ready = ${delay}::double precision = 0,
      available_at = clock_timestamp() + ${delay}::double precision * interval '1 second',
      ${UNCLAIMED}, cancel_requested_at = null, requeue_on_cancel = false
    where organization_id = ${organizationId} and id = ${request.id} and ${MAY_RETRY}`;
}

const TASK_PENDING = sql.raw(taskMoves.moved('requeue', 'status'));
const TASK_MAY_REQUEUE = sql.raw(taskMoves.permits('requeue', 'status'));

/** Moves the counters of a task, which goes back to `pending`; where it ends next, its end moves it on. */
export function countAttempt(
  organizationId: string,
  { task }: Attempt,
  { refund, counts }: Pick<Consequence, 'refund' | 'counts'>,
): Statement {
  const refunded = sql.value(refund ? 1 : 0);
  const counted = sql.value(counts ? 1 : 0);
  return sql`
    update task set status = ${TASK_PENDING}, version = version + 1, updated_at = clock_timestamp(),
      consumed_agent_run_count = consumed_agent_run_count - ${refunded},
      refund_streak = case when ${refunded} = 1 then refund_streak + 1 else 0 end,
      plan_failures = plan_failures + case when phase = 'plan' then ${counted}::int else 0 end,
      execute_failures = execute_failures + case when phase = 'execute' then ${counted}::int else 0 end,
      verify_failures = verify_failures + case when phase = 'verify' then ${counted}::int else 0 end
    where organization_id = ${organizationId} and id = ${task.id} and ${TASK_MAY_REQUEUE}`;
}

/** Lets a task run again; counts nothing against it. */
export function requeueTask(organizationId: string, taskId: string): Statement {
  return sql`
    update task set status = ${TASK_PENDING}, version = version + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${taskId} and ${TASK_MAY_REQUEUE}`;
}

/** An error as it is stored: with the database's time of it. Null without one. */
function stored(error: AttemptError | undefined): Sql {
  return sql`(${json(error)}::jsonb || jsonb_build_object('at', ${NOW_ISO}))`;
}

/** JSON for a column; null where nothing was reported. */
export function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
