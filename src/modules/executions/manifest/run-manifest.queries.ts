import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import {
  ACTIONS_LEFT,
  decidedActions,
  type DecidedAction,
  unresolvedActions,
  type UnresolvedAction,
} from '../../actions/index.ts';
import { type ClosedQuestion, closedQuestionsOf } from '../../inbox/index.ts';
import { TASK_COLUMNS, type TaskRow } from '../../tasks/index.ts';
import type { ResolvedInputDto, PriorAttemptDto, RelatedTaskDto } from './manifest-task.dto.ts';
import type { FindingDto, RunBudgetDto } from '../../runs/index.ts';

/** How many of each a manifest shows. */
const RELATED = sql`200`;
const ATTEMPTS = sql`20`;

export interface RunFactsRow extends RunBudgetDto {
  readonly mode: string;
  readonly attempt: number;
  readonly unverifiedResult: RelatedTaskDto['result'];
  /** The run whose result is to be verified. */
  readonly unverifiedRunId: string | null;
  readonly issuedAt: string;
}

/** The run that delivered the present result of a task `t`. */
const RESULT_RUN = `(select r.id from run r where r.organization_id = t.organization_id and r.task_id = t.id
  and r.status = 'succeeded' and r.mode <> 'verify' order by r.created_at desc, r.id desc limit 1)`;

const facts = columns<RunFactsRow>({
  mode: 'run.mode',
  attempt: 'run.attempt',
  agentRuns: 'greatest(t.max_agent_runs - t.consumed_agent_run_count, 0)',
  attemptsInPhase: `greatest(t.max_attempts_per_phase - case t.phase when 'plan' then t.plan_failures
    when 'verify' then t.verify_failures else t.execute_failures end, 0)`,
  replans: 'greatest(t.max_replans - greatest(t.plan_count - 1, 0), 0)',
  actions: ACTIONS_LEFT,
  unverifiedResult: `case when run.mode = 'verify' then t.unverified_result end`,
  unverifiedRunId: `case when run.mode = 'verify' then ${RESULT_RUN} end`,
  issuedAt: 'clock_timestamp()',
});

/** A run by its id, with its task `t`. */
function ofRun(organizationId: string, runId: string): Sql {
  return sql`from run join task t on t.organization_id = run.organization_id and t.id = run.task_id
    where ${isRun(organizationId, runId)}`;
}

function isRun(organizationId: string, runId: string): Sql {
  return sql`run.organization_id = ${organizationId} and run.id = ${runId}`;
}

export function runFacts(organizationId: string, runId: string): Statement<RunFactsRow> {
  return sql`select ${facts} ${ofRun(organizationId, runId)}`;
}

/** What an execution is pinned to, for `pinnedProfile`. */
export function pinOf(organizationId: string, runId: string): Sql {
  return sql`
    select run.organization_id, run.agent_profile_id, run.catalog_revision from run where ${isRun(organizationId, runId)}`;
}

const task = columns<TaskRow>(TASK_COLUMNS);

export function taskOfRun(organizationId: string, runId: string): Statement<TaskRow> {
  return sql`select ${task} ${ofRun(organizationId, runId)}`;
}

const related = columns<RelatedTaskDto>({
  taskId: 't.id',
  identifier: `t.identifier_scope || '-' || t.identifier_number`,
  title: 't.title',
  status: 't.status',
  result: 't.result',
  runId: RESULT_RUN,
});

/** What the task depends on, its children aside. */
export function prerequisitesOf(organizationId: string, runId: string): Statement<RelatedTaskDto> {
  return sql`
    select ${related} from run
    join task_dependency d on d.organization_id = run.organization_id and d.task_id = run.task_id
    join task t on t.organization_id = d.organization_id and t.id = d.depends_on_task_id
    where ${isRun(organizationId, runId)} and t.parent_id is distinct from run.task_id
    order by t.id limit ${RELATED}`;
}

export function childrenOf(organizationId: string, runId: string): Statement<RelatedTaskDto> {
  return sql`
    select ${related} from run join task t on t.organization_id = run.organization_id and t.parent_id = run.task_id
    where ${isRun(organizationId, runId)} order by t.id limit ${RELATED}`;
}

export function priorAttemptsOf(organizationId: string, runId: string): Statement<PriorAttemptDto> {
  return sql`
    select r.id as "runId", r.status, r.error from run
    join run r on r.organization_id = run.organization_id and r.task_id = run.task_id and r.id <> run.id
    where ${isRun(organizationId, runId)} and (r.created_at, r.id) < (run.created_at, run.id)
    order by r.created_at desc, r.id desc limit ${ATTEMPTS}`;
}

/** The findings of the last verification that rejected a result of the task. */
export function findingsOf(organizationId: string, runId: string): Statement<{ findings: FindingDto[] }> {
  return sql`
    select o.outcome->'findings' as findings from run
    join run r on r.organization_id = run.organization_id and r.task_id = run.task_id
      and r.status = 'succeeded' and r.mode = 'verify'
    join run_outcome o on o.organization_id = r.organization_id and o.run_id = r.id
      and o.kind = 'verification' and o.outcome->>'verdict' = 'rejected'
    where ${isRun(organizationId, runId)}
    order by r.created_at desc, r.id desc limit 1`;
}

/** The closed questions of the task, whichever run asked them. */
export function answersOf(organizationId: string, runId: string): Statement<ClosedQuestion> {
  return closedQuestionsOf(organizationId, sql`(select run.task_id from run where ${isRun(organizationId, runId)})`);
}

/** What the task's inputs of kind `artifact` name, in their order; tasks that have not completed have none yet. */
export function artifactInputsOf(organizationId: string, runId: string): Statement<ResolvedInputDto> {
  return sql`
    select t.id as "taskId", t.identifier_scope || '-' || t.identifier_number as identifier, t.status,
      ${sql.raw(RESULT_RUN)} as "runId", input->>'artifactKind' as "artifactKind",
      -- the artifacts of that kind
      (select coalesce(jsonb_agg(artifact order by n), '[]')
       from jsonb_array_elements(
           case jsonb_typeof(t.result->'artifacts') when 'array' then t.result->'artifacts' else '[]' end)
         with ordinality e(artifact, n)
       where artifact->>'kind' = input->>'artifactKind') as artifacts
    -- the run's task with its inputs, and the task that each of them names
    from run
    join task reader on reader.organization_id = run.organization_id and reader.id = run.task_id
    cross join jsonb_array_elements(reader.spec->'inputs') with ordinality i(input, place)
    join task t on t.organization_id = run.organization_id and t.id = (input->>'taskId')::uuid
    where ${isRun(organizationId, runId)} and input->>'kind' = 'artifact'
    order by i.place`;
}

/** The actions of the run's task, as `a`. */
function ofTaskOf(organizationId: string, runId: string): Sql {
  return sql`a.task_id = (select run.task_id from run where ${isRun(organizationId, runId)})`;
}

export function decisionsOf(organizationId: string, runId: string): Statement<DecidedAction> {
  return decidedActions(organizationId, ofTaskOf(organizationId, runId));
}

export function unresolvedOf(organizationId: string, runId: string): Statement<UnresolvedAction> {
  return unresolvedActions(organizationId, ofTaskOf(organizationId, runId));
}
