import { ISO_NOW, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
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
