import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { columns, ISO_NOW, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import {
  type InboxCloser,
  type InboxKind,
  type InboxMove,
  inboxMoves,
  type InboxOpener,
  type InboxPresentation,
  type InboxPurpose,
  type InboxResponse,
  type InboxSeverity,
  type InboxStatus,
  isClosedItem,
} from './inbox-item.state.ts';

export interface NewInboxItem {
  readonly kind: InboxKind;
  readonly purpose: InboxPurpose | null;
  readonly severity: InboxSeverity;
  readonly title: string;
  readonly body: string;
  readonly presentation: InboxPresentation;
  readonly openedBy: InboxOpener;
  readonly openedByProfileKey: string | null;
  readonly taskId: string | null;
  readonly runId: string | null;
  readonly turnId: string | null;
  readonly chatId: string | null;
  readonly actionId: string | null;
  readonly dedupeScope: string | null;
  readonly dedupeKey: string | null;
  readonly expiresAt: string | null;
}

const NOW = sql.raw(ISO_NOW);

/**
 * Opens an item. Where an open one has its key in its scope, that one takes the newest text instead and counts up; the
 * answer says which.
 */
export function openItem(organizationId: string, item: NewInboxItem): Statement<{ id: string; occurrences: number }> {
  return sql`
    insert into inbox_item as i (organization_id, id, kind, purpose, status, severity, title, body, presentation,
      opened_by, opened_by_profile_key, task_id, run_id, turn_id, chat_id, action_id, dedupe_scope, dedupe_key,
      occurrences, expires_at)
    values (${organizationId}, ${newId()}, ${item.kind}, ${item.purpose}, 'open', ${item.severity}, ${item.title},
      ${item.body}, ${JSON.stringify(item.presentation)}::jsonb, ${item.openedBy}, ${item.openedByProfileKey},
      ${item.taskId}, ${item.runId}, ${item.turnId}, ${item.chatId}, ${item.actionId}, ${item.dedupeScope},
      ${item.dedupeKey}, 1, ${item.expiresAt})
    on conflict (organization_id, dedupe_scope, dedupe_key) where status = 'open' and dedupe_key is not null
    do update set occurrences = i.occurrences + 1, title = excluded.title, body = excluded.body,
      presentation = excluded.presentation, updated_at = excluded.updated_at
    returning i.id, i.occurrences`;
}

/** Condition of the item `i` of an action. */
export function isOfAction(actionId: string, kind: InboxKind): Sql {
  return sql`i.action_id = ${actionId} and i.kind = ${kind}`;
}

/** Condition of the item `i` that has a key in its scope. */
export function hasKey(scope: string, dedupeKey: string): Sql {
  return sql`i.dedupe_scope = ${scope} and i.dedupe_key = ${dedupeKey}`;
}

/** How items are closed. */
export interface Closing {
  readonly move: InboxMove;
  readonly by: InboxCloser | null;
  readonly reason: string | null;
  /** Of an answer; its time is that of the closing. */
  readonly response?: Omit<InboxResponse, 'respondedAt'>;
}

/** An item that was closed, for what follows from it. */
export interface ClosedItem {
  readonly id: string;
  readonly kind: InboxKind;
  readonly title: string;
  readonly taskId: string | null;
  readonly chatId: string | null;
  readonly actionId: string | null;
}

/** Closes the open items of a condition on `i`, locked in the order of their ids. */
export function closeItems(organizationId: string, which: Sql, closing: Closing): Statement<ClosedItem> {
  const { move, by, reason, response } = closing;
  const organization = sql.value(organizationId);
  const answer = response
    ? sql`${JSON.stringify(response)}::jsonb || jsonb_build_object('respondedAt', h.at)`
    : sql`null::jsonb`;
  return sql`
    with locked as materialized (
      select i.id, i.kind, i.title, i.task_id, i.chat_id, i.action_id from inbox_item i
      where i.organization_id = ${organization} and ${sql.raw(inboxMoves.permits(move, 'i.status'))} and ${which}
      order by i.id for no key update),
    -- the clock behind the wait for the locks, as a time and as the text of JSON
    held as materialized (
      select l.*, clock_timestamp() as now, ${NOW} as at from locked l),
    closed as materialized (
      select h.*, ${answer} as response,
        jsonb_build_object('at', h.at, 'by', ${by === null ? null : JSON.stringify(by)}::jsonb,
          'reason', ${reason}::text) as closure
      from held h),
    moved as (
      update inbox_item i set status = ${sql.raw(inboxMoves.moved(move, 'i.status'))}, response = c.response,
        closure = c.closure, updated_at = c.now
      from closed c where i.organization_id = ${organization} and i.id = c.id)
    select c.id, c.kind, c.title, c.task_id as "taskId", c.chat_id as "chatId", c.action_id as "actionId" from closed c`;
}

/** Condition of the item `i` with an id. */
export function isItem(id: string): Sql {
  return sql`i.id = ${id}`;
}

/** Condition of an item `i` past its time. */
const HAS_EXPIRED = sql`i.expires_at <= clock_timestamp()`;

/** Condition of the item `i` with an id, past its time. */
export function isExpired(id: string): Sql {
  return sql`i.id = ${id} and ${HAS_EXPIRED}`;
}

/** Condition of questions `i` that tasks may wait for. */
export function isQuestionOf(taskIds: readonly string[]): Sql {
  return sql`i.task_id = any(${taskIds}::uuid[]) and i.kind = 'question' and i.purpose = 'task'`;
}

/** Condition of what turns of a chat opened. Approvals are closed with their actions. */
export function isOpenedIn(chatId: string): Sql {
  return sql`i.chat_id = ${chatId} and i.kind = 'notification'`;
}

/**
 * Condition that no question of a task `f` is open. Names the closed statuses, so that the planner looks at the task's own
 * items and never at all that are open.
 */
export const NO_OPEN_QUESTION = sql`not exists (select from inbox_item i
      where i.organization_id = f.organization_id and i.task_id = f.task_id and i.kind = 'question' and i.purpose = 'task'
        and not ${sql.raw(isClosedItem('i.status'))})`;

/** What decides how an item is closed, and which locks that takes; none of it changes. */
export interface KnownItem {
  readonly kind: InboxKind;
  readonly purpose: InboxPurpose | null;
  readonly openedBy: InboxOpener;
  readonly taskId: string | null;
}

export function knownItem(organizationId: string, id: string): Statement<KnownItem> {
  return sql`
    select i.kind, i.purpose, i.opened_by as "openedBy", i.task_id as "taskId" from inbox_item i
    where i.organization_id = ${organizationId} and i.id = ${id}`;
}

/** An item that this transaction holds locked. */
export interface LockedItem {
  readonly id: string;
  readonly status: InboxStatus;
  readonly hasExpired: boolean;
  readonly presentation: InboxPresentation;
  readonly response: InboxResponse | null;
  readonly runId: string | null;
  readonly openedByProfileKey: string | null;
  /** Of an open item: when it got its present text. */
  readonly updatedAt: string;
}

const LOCKED = columns<LockedItem>({
  id: 'i.id',
  status: 'i.status',
  // Behind the wait for the lock.
  hasExpired: sql`coalesce(${HAS_EXPIRED}, false)`,
  presentation: 'i.presentation',
  response: 'i.response',
  runId: 'i.run_id',
  openedByProfileKey: 'i.opened_by_profile_key',
  updatedAt: 'i.updated_at',
});

export function lockItem(organizationId: string, id: string): Statement<LockedItem> {
  return sql`
    with locked as materialized (
      select i.* from inbox_item i where i.organization_id = ${organizationId} and i.id = ${id} for no key update)
    select ${LOCKED} from locked i`;
}

/** The open item that has a key in a scope, locked. */
export function lockItemOfKey(organizationId: string, scope: string, dedupeKey: string): Statement<LockedItem> {
  return sql`
    with locked as materialized (
      select i.* from inbox_item i
      where i.organization_id = ${organizationId} and i.status = 'open' and ${hasKey(scope, dedupeKey)}
      for no key update)
    select ${LOCKED} from locked i`;
}

/** Whether an instant is from 5 minutes to 90 days ahead, by the database's clock. */
export function whetherAhead(instant: string): Statement<{ isAhead: boolean }> {
  return sql`
    select ${instant}::timestamptz between clock_timestamp() + interval '5 minutes'
      and clock_timestamp() + interval '90 days' as "isAhead"`;
}

/** Lets items of agents in an organization be opened one after the other, as the last of a transaction's locks. */
export function takeOpeningLock(organizationId: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('inbox ' || ${organizationId}, 0))`;
}

/**
 * How many items are open: of one run or turn, of all agents, and of what the profile asks to learn; counted up to the
 * limits.
 */
export function openItems(
  organizationId: string,
  { execution, executionId, agentProfileId, profileKey }: ExecutionPrincipal,
  limits: { readonly ofExecution: number; readonly ofAgents: number; readonly learningInputs: number },
): Statement<{ ofExecution: number; ofAgents: number; learningInputs: number }> {
  const organization = sql.value(organizationId);
  const column = execution === 'task_run' ? sql`i.run_id` : sql`i.turn_id`;
  return sql`
    select (
      select count(*)::int from (
        select from inbox_item i
        where i.organization_id = ${organization} and ${column} = ${executionId} and i.status = 'open'
        limit ${limits.ofExecution}) own) as "ofExecution", (
      select count(*)::int from (
        select from inbox_item i
        where i.organization_id = ${organization} and i.status = 'open' and i.opened_by = 'agent'
        limit ${limits.ofAgents}) all_of_them) as "ofAgents", (
      select count(*)::int from (
        select from inbox_item i
        join task t on t.organization_id = ${organization} and t.id = i.task_id
        where i.organization_id = ${organization} and i.purpose = 'learning_input' and i.status = 'open'
          and i.opened_by_profile_key = ${profileKey} and t.owner_agent_profile_id = ${agentProfileId}
        limit ${limits.learningInputs}) learning) as "learningInputs"`;
}

/** Locks a chat, so that its turns open one after the other; none where it is deleted. */
export function lockChat(organizationId: string, id: string): Statement<{ id: string }> {
  return sql`
    select c.id from chat c where c.organization_id = ${organizationId} and c.id = ${id} and c.deleted_at is null
    for no key update`;
}

/** Who posted a message, as it says, and when. */
export function postedMessage(
  organizationId: string,
  id: string,
): Statement<{ author: { displayName: string } | null; postedAt: string }> {
  return sql`
    select m.author, m.created_at as "postedAt" from message m
    where m.organization_id = ${organizationId} and m.id = ${id}`;
}

/** How a task is called. */
export function taskName(organizationId: string, id: string): Statement<{ identifier: string; title: string }> {
  return sql`
    select t.identifier_scope || '-' || t.identifier_number as identifier, t.title from task t
    where t.organization_id = ${organizationId} and t.id = ${id}`;
}

export interface ExpiredItem {
  readonly organizationId: string;
  readonly id: string;
  /** The task that may wait for it. */
  readonly taskId: string | null;
}

/** Items past their time, across organizations. Approvals expire with their actions. */
export function expiredItems(limit: number): Statement<ExpiredItem> {
  return sql`
    select i.organization_id as "organizationId", i.id, case when i.purpose = 'task' then i.task_id end as "taskId"
    from inbox_item i join organization o on o.id = i.organization_id
    where i.status = 'open' and i.kind in ('question', 'notification') and ${HAS_EXPIRED} and o.status = 'active'
    order by i.expires_at limit ${limit}`;
}
