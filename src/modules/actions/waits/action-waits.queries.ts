import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { LockedAction } from '../action-row.ts';
import { unsentActions } from '../actions.queries.ts';
import { type EndedActionStatus, isUnresolvedAction, type UnresolvedActionStatus } from '../action.state.ts';

const IS_UNRESOLVED = sql.raw(isUnresolvedAction('a.status'));

/** Whether a task has unresolved actions: an index probe. `organization` and `task` are columns or values. */
export function hasUnresolvedActions(organization: Sql, task: Sql): Sql {
  return sql`exists (select from action a
      where a.organization_id = ${organization} and a.task_id = ${task} and ${IS_UNRESOLVED})`;
}

/** Condition that the completion of a task `f` leaves no action behind. */
export const NOTHING_UNRESOLVED = sql`not ${hasUnresolvedActions(sql`f.organization_id`, sql`f.task_id`)}`;

/** Locks and reads what these tasks have not sent. */
export function unsentOfTasks(organizationId: string, taskIds: readonly string[]): Statement<LockedAction> {
  return unsentActions(organizationId, sql`a.task_id = any(${taskIds}::uuid[])`);
}

/** Locks and reads what a chat has not sent. */
export function unsentOfChat(organizationId: string, chatId: string): Statement<LockedAction> {
  return unsentActions(organizationId, sql`a.chat_id = ${chatId}`);
}

/** How many more actions a task may propose, of a task `t`. */
export const ACTIONS_LEFT = sql`greatest(t.max_actions - (select count(*)::int from action a
      where a.organization_id = t.organization_id and a.task_id = t.id), 0)`;

/** An action of a task, as the run sees it that wants to wait. */
export interface WaitableAction {
  readonly id: string;
  readonly isUnresolved: boolean;
  /** This run proposed it in the present version of the task. */
  readonly isProposed: boolean;
  /** An earlier run proposed it, and it was unresolved when this run began. */
  readonly isLeft: boolean;
}

/** The unresolved actions of a locked task, and those that are named; of named ones of other tasks there is no row. */
export function waitableActions(
  organizationId: string,
  { taskId, runId }: { readonly taskId: string; readonly runId: string },
  named: readonly string[],
): Statement<WaitableAction> {
  const organization = sql.value(organizationId);
  const run = sql.value(runId);
  return sql`
    select a.id, ${IS_UNRESOLVED} as "isUnresolved", c.task_version is not null as "isProposed",
      a.run_id is distinct from ${run}::uuid and coalesce(a.finished_at > r.started_at, true) as "isLeft"
    from action a
    join task t on t.organization_id = ${organization} and t.id = a.task_id
    join run r on r.organization_id = ${organization} and r.id = ${run}
    left join action_receipt c on c.organization_id = ${organization} and c.action_id = a.id and c.run_id = ${run}
      and c.task_version = t.version
    where a.organization_id = ${organization} and a.task_id = ${taskId}
      and (${IS_UNRESOLVED} or a.id = any(${named}::uuid[]))
    order by a.id`;
}

/** What became of an action, as the manifest tells whoever proposed it. */
export interface DecidedAction {
  readonly actionId: string;
  readonly reference: string;
  readonly status: EndedActionStatus;
  /** What a person said of it. */
  readonly note: string | null;
  readonly errorCode: string | null;
}

/** An action that has not ended. */
export interface UnresolvedAction {
  readonly actionId: string;
  readonly reference: string;
  readonly status: UnresolvedActionStatus;
  readonly title: string;
  readonly runId: string | null;
}

const decided = columns<DecidedAction>({
  actionId: 'a.id',
  reference: 'a.reference',
  status: 'a.status',
  note: `coalesce(a.reconciliation ->> 'note', a.decision ->> 'comment')`,
  errorCode: `case when a.status <> 'succeeded' then a.error ->> 'code' end`,
});
const unresolved = columns<UnresolvedAction>({
  actionId: 'a.id',
  reference: 'a.reference',
  status: 'a.status',
  title: 'a.title',
  runId: 'a.run_id',
});

/** Ended actions that a manifest shows, and unresolved ones; a task may name 50 in a wait. */
const SHOWN = sql`50`;

/** The ended actions of a task or chat, the newest first; `owner` is a condition of `a`. */
export function decidedActions(organizationId: string, owner: Sql): Statement<DecidedAction> {
  return sql`
    select ${decided} from action a
    where a.organization_id = ${organizationId} and ${owner} and not ${IS_UNRESOLVED}
    order by a.finished_at desc, a.id desc limit ${SHOWN}`;
}

/** The unresolved actions of a task or chat, the oldest first. */
export function unresolvedActions(organizationId: string, owner: Sql): Statement<UnresolvedAction> {
  return sql`
    select ${unresolved} from action a
    where a.organization_id = ${organizationId} and ${owner} and ${IS_UNRESOLVED}
    order by a.id limit ${SHOWN}`;
}
