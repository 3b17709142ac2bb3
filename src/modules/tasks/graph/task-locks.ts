import { columns, type Statement, statement, type Tx } from '../../../kernel/database/index.ts';
import {
  type Blocker,
  isOpenTask,
  type TaskKind,
  type TaskPhase,
  type TaskStatus,
  type Verification,
} from '../task.state.ts';

/** What the moves of a task are decided by, read after its lock was taken. */
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

/** Tasks that this transaction holds locked, by id. */
export type LockedTasks = ReadonlyMap<string, LockedTask>;

/** How many dependents a move settles in its own transaction; a sweep settles the others. */
export const MAX_DEPENDENTS = 200;

/**
 * Whoever adds edges takes it, before tasks: two plans in two trees that each checked under their own root's lock would
 * together close a cycle. An advisory lock of the transaction, so that no row has to be there.
 */
export async function lockGraph(tx: Tx, organizationId: string): Promise<void> {
  await tx.rows(statement(`select pg_advisory_xact_lock(hashtextextended('task graph ' || $1, 0))`, organizationId));
}

/**
 * Locks tasks in the order of their ids, then reads them: what the lock waited for is in what is read. `unread` are locked
 * among them and not read, since nothing but their being locked matters.
 */
export async function lockTasks(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
  unread: readonly string[] = [],
): Promise<LockedTasks> {
  const [, reading] = taskLocks(organizationId, ids);
  const [, rows] = await tx.batch([lockOf(organizationId, [...ids, ...unread]), reading]);
  return lockedTasks(rows);
}

/** The lock and the reading behind it, for whoever locks more in the same round trip; `lockedTasks` takes the second's rows. */
export function taskLocks(organizationId: string, ids: readonly string[]): [Statement, Statement<LockedTask>] {
  return [
    lockOf(organizationId, ids),
    statement(
      `select ${select} from task t where t.organization_id = $1 and t.id = any($2::uuid[])`,
      organizationId,
      ids,
    ),
  ];
}

/** One row whatever their number: that of a row for each of 10,000 costs more than the locks. */
function lockOf(organizationId: string, ids: readonly string[]): Statement {
  return statement(
    `with held as materialized (
       select t.id from task t where t.organization_id = $1 and t.id = any($2::uuid[]) order by t.id for no key update)
     select count(*) from held`,
    organizationId,
    ids,
  );
}

export function lockedTasks(rows: readonly LockedTask[]): LockedTasks {
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Locks what the end of these tasks may move: the tasks, those that wait for them, and the parents of those, which may
 * have to replan.
 */
export async function lockForEnd(tx: Tx, organizationId: string, taskIds: readonly string[]): Promise<LockedTasks> {
  const waiting = await tx.rows(dependentsOf(organizationId, '= any($2::uuid[])', taskIds));
  return lockTasks(tx, organizationId, affectedByEnd(taskIds, waiting));
}

/** A task that waits, and its parent. */
export interface DependentTask {
  readonly id: string;
  readonly parentId: string | null;
}

/** Tasks that wait for prerequisites, read without a lock; `which` compares a prerequisite's id with the second parameter. */
export function dependentsOf(organizationId: string, which: string, value: unknown): Statement<DependentTask> {
  return statement(
    `select distinct t.id, t.parent_id as "parentId"
     from task_dependency d join task t on t.organization_id = d.organization_id and t.id = d.task_id
     where d.organization_id = $1 and d.depends_on_task_id ${which} and d.status = 'pending'
     order by t.id limit ${MAX_DEPENDENTS}`,
    organizationId,
    value,
  );
}

/** The ids of all tasks that ends of these may move. */
export function affectedByEnd(taskIds: readonly string[], waiting: readonly DependentTask[]): string[] {
  return [...new Set([...taskIds, ...waiting.flatMap(({ id, parentId }) => (parentId ? [id, parentId] : [id]))])];
}

/** One creation or retry of a key at a time, so that whoever comes second sees what the first one made. */
export async function lockDedupeKey(tx: Tx, organizationId: string, dedupeKey: string): Promise<void> {
  await tx.rows(
    statement(
      `select pg_advisory_xact_lock(hashtextextended('task dedupe ' || $1 || ' ' || $2, 0))`,
      organizationId,
      dedupeKey,
    ),
  );
}

/** The task of a key that has not ended. */
export function liveTaskOf(organizationId: string, dedupeKey: string) {
  return statement<{ id: string }>(
    `select id from task where organization_id = $1 and dedupe_key = $2 and ${isOpenTask('status')}`,
    organizationId,
    dedupeKey,
  );
}
