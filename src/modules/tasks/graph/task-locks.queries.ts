import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import {
  type Blocker,
  isOpenTask,
  type TaskKind,
  type TaskPhase,
  type TaskStatus,
  type Verification,
} from '../task.state.ts';

const IS_OPEN = sql.raw(isOpenTask('status'));

/** The facts that decide how a task may move, read after its lock was taken. */
export interface LockedTask {
  readonly id: string;
  /** `ENG-7`. */
  readonly identifier: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly phase: TaskPhase;
  readonly kind: TaskKind;
  readonly version: number;
  readonly graphRevision: number;
  /** Of a root; null until it was counted. */
  readonly descendantCount: number | null;
  readonly parentId: string | null;
  readonly rootTaskId: string;
  readonly depth: number;
  readonly ownerAgentProfileId: string;
  readonly blockers: readonly Blocker[];
  readonly agentRunCount: number;
  readonly consumedAgentRunCount: number;
  readonly planCount: number;
  readonly planFailures: number;
  readonly executeFailures: number;
  readonly verifyFailures: number;
  readonly refundStreak: number;
  readonly maxAgentRuns: number;
  readonly maxAttemptsPerPhase: number;
  readonly maxReplans: number;
  readonly maxActions: number;
  readonly verification: Verification;
  readonly unverifiedResult: object | null;
}

const select = columns<LockedTask>({
  id: 't.id',
  identifier: `t.identifier_scope || '-' || t.identifier_number`,
  title: 't.title',
  status: 't.status',
  phase: 't.phase',
  kind: 't.kind',
  version: 't.version',
  graphRevision: 't.graph_revision',
  descendantCount: 't.descendant_count',
  parentId: 't.parent_id',
  rootTaskId: 't.root_task_id',
  depth: 't.depth',
  ownerAgentProfileId: 't.owner_agent_profile_id',
  blockers: 't.blockers',
  agentRunCount: 't.agent_run_count',
  consumedAgentRunCount: 't.consumed_agent_run_count',
  planCount: 't.plan_count',
  planFailures: 't.plan_failures',
  executeFailures: 't.execute_failures',
  verifyFailures: 't.verify_failures',
  refundStreak: 't.refund_streak',
  maxAgentRuns: 't.max_agent_runs',
  maxAttemptsPerPhase: 't.max_attempts_per_phase',
  maxReplans: 't.max_replans',
  maxActions: 't.max_actions',
  verification: 't.verification',
  unverifiedResult: 't.unverified_result',
});

/** How many dependents a move settles in its own transaction; a sweep settles the others. */
export const MAX_DEPENDENTS = sql.raw('200');

/** Takes an advisory lock of the transaction, which needs no row. */
export function takeGraphLock(organizationId: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('task graph ' || ${organizationId}, 0))`;
}

export function takeDedupeKeyLock(organizationId: string, dedupeKey: string): Statement {
  return sql`
    select pg_advisory_xact_lock(hashtextextended('task dedupe ' || ${organizationId} || ' ' || ${dedupeKey}, 0))`;
}

/** Locks tasks in the order of their ids. Answers one row: a row for each of 10,000 costs more than the locks. */
export function holdTasks(organizationId: string, ids: readonly string[]): Statement {
  return sql`
    with held as materialized (
      select t.id from task t
      where t.organization_id = ${organizationId} and t.id = any(${ids}::uuid[]) order by t.id for no key update)
    select count(*) from held`;
}

/** Reads tasks behind their locks. */
export function heldTasks(organizationId: string, ids: readonly string[]): Statement<LockedTask> {
  return sql`select ${select} from task t where t.organization_id = ${organizationId} and t.id = any(${ids}::uuid[])`;
}

/** A task that waits, and its parent. */
export interface DependentTask {
  readonly id: string;
  readonly parentId: string | null;
}

/** Tasks that wait for prerequisites, read without a lock; `which` compares a prerequisite's id. */
export function dependentsOf(organizationId: string, which: Sql): Statement<DependentTask> {
  return sql`
    select distinct t.id, t.parent_id as "parentId"
    from task_dependency d join task t on t.organization_id = d.organization_id and t.id = d.task_id
    where d.organization_id = ${organizationId} and d.depends_on_task_id ${which} and d.status = 'pending'
    order by t.id limit ${MAX_DEPENDENTS}`;
}

export function dependentsOfTasks(organizationId: string, taskIds: readonly string[]): Statement<DependentTask> {
  return dependentsOf(organizationId, sql`= any(${taskIds}::uuid[])`);
}

/** The task of a key that has not ended. */
export function liveTaskOf(organizationId: string, dedupeKey: string): Statement<{ id: string }> {
  return sql`
    select id from task where organization_id = ${organizationId} and dedupe_key = ${dedupeKey} and ${IS_OPEN}`;
}

/** The root of the tree that a task is in. */
export function rootOf(organizationId: string, taskId: string): Statement<{ rootTaskId: string }> {
  return sql`
    select root_task_id as "rootTaskId" from task where organization_id = ${organizationId} and id = ${taskId}`;
}
