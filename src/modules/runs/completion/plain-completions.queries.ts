import { type Placed, type Sql, sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { type EntriesOfRows, insertActivity, insertHeard, logEvent } from '../../organizations/index.ts';
import { rejoinLines, runRequestMoves, taskMoves } from '../../tasks/index.ts';
import { type FinalReport, json } from '../attempts/attempt-ending.queries.ts';
import { namesBytes } from '../artifacts/delivered-artifacts.ts';
import type { RunEndedDto } from './run-completion.dto.ts';
import { runMoves } from '../run.state.ts';
import { ACTIVE, FENCE_COLUMNS, fencesOf, RUN_FENCE, type RunFence, runsNamedBy } from '../leases/run-lease.queries.ts';

export interface PlainCompletion extends RunFence {
  readonly output: { readonly kind: string; readonly result: object };
  readonly report: FinalReport;
  /** Of the final call's canonical body. */
  readonly digest: string;
  /** Ids of the two entries of the activity log. */
  readonly runEntryId: string;
  readonly taskEntryId: string;
}

export interface PlainCompletionRow extends Placed {
  readonly answer: RunEndedDto;
  readonly agentProfileId: string;
  readonly profileKey: string;
  /** Whether somebody subscribed to an end of the batch. */
  readonly isHeard: boolean;
}

const SUCCEEDED = sql.raw(runMoves.moved('succeed', 'r.status'));
const TASK_COMPLETED = sql.raw(taskMoves.moved('complete', 't.status'));
const TASK_MAY_COMPLETE = sql.raw(taskMoves.permits('complete', 'f.task_status'));
const REQUEST_COMPLETED = sql.raw(runRequestMoves.moved('complete', 'q.status'));
const REQUEST_MAY_COMPLETE = sql.raw(runRequestMoves.permits('complete', 'f.request_status'));
const NOT_VERIFIED = sql`f.verification = 'none'`;
const REJOIN_LINES = rejoinLines(sql`facts`);

/** The locks of completions, in the order of all locks. */
export function completionLocks(calls: readonly RunFence[]): Statement[] {
  const runs = runsNamedBy(calls);
  return [
    sql`
    select from ${runs} join task t on t.organization_id = r.organization_id and t.id = r.task_id
    order by t.organization_id, t.id for no key update of t`,
    sql`
    select from ${runs} join run_request q on q.organization_id = r.organization_id and q.id = r.run_request_id
    order by q.organization_id, q.id for no key update of q`,
    sql`select from ${runs} order by r.organization_id, r.id for no key update of r`,
  ];
}

/**
 * The output of a call of `c` with the size of the bytes that its artifacts name, and whether its run stored all of
 * those, as `withStoredSizes` has it.
 */
const DELIVERED = sql`
        select coalesce(bool_and(a.sha256 is not null or not e.item ? 'sha256'), true) as stored,
          case when c.names_bytes then jsonb_set(c.output::jsonb, '{result,artifacts}', jsonb_agg(
            case when a.sha256 is null then e.item
              else e.item || jsonb_build_object('sizeBytes', a.size_bytes) end order by e.nth))
            else c.output::jsonb end as output
        from jsonb_array_elements(case when c.names_bytes then c.output::jsonb #> '{result,artifacts}' else '[]' end)
          with ordinality e(item, nth)
        left join run_artifact a
          on a.organization_id = c.organization_id and a.run_id = c.run_id and a.sha256 = e.item ->> 'sha256'`;

/** The entries of the ends in `facts`: of the run's and of its task's. */
const ENDS: EntriesOfRows = {
  entry: {
    organizationId: sql`f.organization_id`,
    id: sql`e.id`,
    at: sql`f.now`,
    actor: { kind: sql`'agent'`, id: sql`f.agent_profile_id::text`, name: sql`f.profile_key` },
    verb: sql`e.verb`,
    subject: { kind: sql`e.kind`, id: sql`e.subject_id::text`, label: sql`f.label` },
    details: sql`e.details`,
  },
  rows: sql`facts f cross join lateral (values
    (f.run_entry_id, 'run.succeeded', 'run', f.run_id, jsonb_build_object('taskId', f.task_id)),
    (f.task_entry_id, 'task.completed', 'task', f.task_id, '{}'::jsonb)) e(id, verb, kind, subject_id, details)`,
};
/** Tells the activity log of them, and those who subscribed to it. */
const TOLD = insertActivity(ENDS.entry, ENDS.rows);
const HEARD = insertHeard(ENDS);

/**
 * Ends runs whose completion moves nothing but themselves: work that is executed, on no learning task, without a staged outcome, without a
 * verification, without dependents that wait for the task, without an artifact of bytes that the run did not store.
 * `nothingToDo` is what else must hold of a task `f`. Decided behind the locks; no row is any other case, and moved nothing.
 *
 * With its locks and the way in five statements, one round trip, one commit, for all that arrive together.
 */
export function completePlainRuns(
  calls: readonly PlainCompletion[],
  nothingToDo: readonly Sql[] = [],
): Statement<PlainCompletionRow> {
  const reports = calls.map(({ report }) => report);
  const completed = sql<PlainCompletionRow>`
    -- All by keys alone. A condition on a status comes behind, lest an index of all that is open be walked instead.
    with found as materialized (
      select c.*, delivered.output as answer_output, delivered.stored, clock_timestamp() as now,
        r.task_id, r.run_request_id, r.agent_profile_id, p.key as profile_key,
        t.identifier_scope || '-' || t.identifier_number || ' ' || t.title as label,
        r.mode, t.kind as task_kind, t.status as task_status, t.verification, q.status as request_status
      from unnest(${fencesOf(calls)},
          ${calls.map(({ output }) => JSON.stringify(output))}::text[], ${calls.map(({ digest }) => digest)}::text[],
          ${reports.map(({ usage }) => json(usage))}::text[], ${reports.map(({ receipts }) => json(receipts))}::text[],
          ${reports.map(({ harness }) => harness ?? null)}::text[],
          ${reports.map(({ workspaceUri }) => workspaceUri ?? null)}::text[],
          ${reports.map(({ logState }) => logState ?? null)}::text[],
          ${calls.map(({ runEntryId }) => runEntryId)}::uuid[], ${calls.map(({ taskEntryId }) => taskEntryId)}::uuid[],
          ${calls.map(({ output }) => namesBytes(output.result))}::boolean[])
        with ordinality c(${FENCE_COLUMNS}, output, digest, usage, receipts, harness, workspace_uri, log_state,
          run_entry_id, task_entry_id, names_bytes, place)
      join run r on ${RUN_FENCE}
      join organization o on ${ACTIVE}
      join task t on t.organization_id = r.organization_id and t.id = r.task_id
      join run_request q on q.organization_id = r.organization_id and q.id = r.run_request_id
      join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
      cross join lateral (${DELIVERED}) delivered),
    -- those that are plain
    facts as materialized (
      select f.* from found f
      where f.stored and f.mode = 'execute' and f.task_kind <> 'learning' and ${TASK_MAY_COMPLETE} and ${REQUEST_MAY_COMPLETE}
        and not exists (select from run_outcome s where s.organization_id = f.organization_id and s.run_id = f.run_id)
        and not exists (select from task_dependency d
          where d.organization_id = f.organization_id and d.depends_on_task_id = f.task_id and d.status = 'pending')
        and ${sql.join([NOT_VERIFIED, ...nothingToDo], ' and ')}),
    -- run, request and task
    ended as (
      update run r set status = ${SUCCEEDED}, finished_at = f.now, updated_at = f.now, output = f.answer_output,
        usage = coalesce(f.usage::jsonb, r.usage), receipts = coalesce(f.receipts::jsonb, r.receipts),
        harness = coalesce(f.harness, r.harness), workspace_uri = coalesce(f.workspace_uri, r.workspace_uri),
        log_state = coalesce(f.log_state, r.log_state), final_digest = f.digest,
        final_answer = jsonb_build_object('ended', jsonb_build_object('runId', r.id, 'status', ${SUCCEEDED},
          'taskId', r.task_id, 'taskStatus', ${TASK_COMPLETED}, 'runRequestStatus', ${REQUEST_COMPLETED}))
      from facts f where r.organization_id = f.organization_id and r.id = f.run_id
      returning f.place, r.final_answer -> 'ended' as answer, f.agent_profile_id, f.profile_key),
    request as (
      update run_request q set status = ${REQUEST_COMPLETED}, updated_at = f.now
      from facts f where q.organization_id = f.organization_id and q.id = f.run_request_id),
    moved as (
      update task t set status = ${TASK_COMPLETED}, result = f.answer_output -> 'result',
        unverified_result = null, blockers = '[]',
        version = t.version + 1, completed_at = f.now, updated_at = f.now
      from facts f where t.organization_id = f.organization_id and t.id = f.task_id),
    -- activity log, and the lines of claims, since a place is free
    told as (
      ${TOLD}),
    heard as (
      ${HEARD}),
    ${REJOIN_LINES}
    select ended.place, ended.answer, ended.agent_profile_id as "agentProfileId", ended.profile_key as "profileKey",
      exists (select from heard) as "isHeard"
    from ended`;
  return withAfterCommit(completed, (rows) => {
    for (const row of rows) logCompletion(calls[row.place - 1]!.organizationId, row);
  });
}

function logCompletion(organizationId: string, { answer, agentProfileId, profileKey }: PlainCompletionRow): void {
  const { runId, taskId } = answer;
  const actor = { kind: 'agent', id: agentProfileId, name: profileKey };
  logEvent({ organizationId, verb: 'run.succeeded', actor, subject: { kind: 'run', id: runId }, facts: { taskId } });
  logEvent({ organizationId, verb: 'task.completed', actor, subject: { kind: 'task', id: taskId } });
}
