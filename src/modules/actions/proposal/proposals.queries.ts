import { ISO_NOW, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { LockedAction } from '../action-row.ts';
import { LOCKED_ACTION } from '../actions.queries.ts';
import {
  type ActionDecision,
  type ActionFacts,
  type ActionKind,
  type ActionPolicy,
  type ActionRisk,
  type ActionStatus,
  isUnresolvedAction,
} from '../action.state.ts';

const UNRESOLVED = sql.raw(isUnresolvedAction('a.status'));

/** Where a proposal belongs, and within which its key is unique. */
export type ProposalPlace =
  { readonly taskId: string; readonly chatId: null } | { readonly taskId: null; readonly chatId: string };

export interface KnownProposal {
  readonly id: string;
  readonly kind: ActionKind;
  readonly argumentsDigest: string;
}

/** The action of a key in a task or chat, whatever became of it. */
export function proposalOfKey(
  organizationId: string,
  place: ProposalPlace,
  dedupeKey: string,
): Statement<KnownProposal> {
  return sql`
    select a.id, a.kind, a.arguments_digest as "argumentsDigest" from action a
    where a.organization_id = ${organizationId} and a.dedupe_key = ${dedupeKey} and ${inPlace(place)}`;
}

export interface KnownTry {
  readonly id: string;
  readonly kind: ActionKind;
  readonly dedupeKey: string;
  readonly status: ActionStatus;
}

/** All actions of a key and its counted successors in a task or chat, newest first. */
export function triesOfKey(organizationId: string, place: ProposalPlace, dedupeKey: string): Statement<KnownTry> {
  return sql`
    select a.id, a.kind, a.dedupe_key as "dedupeKey", a.status from action a
    where a.organization_id = ${organizationId} and ${inPlace(place)}
      and (a.dedupe_key = ${dedupeKey} or starts_with(a.dedupe_key, ${`${dedupeKey}:`}))
    order by a.id desc`;
}

/** Locks and reads the unresolved actions of a task or chat for which a condition of `a` holds. */
export function unresolvedInPlace(organizationId: string, place: ProposalPlace, which: Sql): Statement<LockedAction> {
  return sql`
    select ${LOCKED_ACTION} from action a
    where a.organization_id = ${organizationId} and ${inPlace(place)} and ${UNRESOLVED} and ${which}
    order by a.id for no key update`;
}

function inPlace({ taskId, chatId }: ProposalPlace) {
  return taskId === null ? sql`a.chat_id = ${chatId}` : sql`a.task_id = ${taskId}`;
}

/** How many actions a task has proposed so far. */
export function proposalsOfTask(organizationId: string, taskId: string): Statement<{ count: number }> {
  return sql`
    select count(*)::int as count from action a where a.organization_id = ${organizationId} and a.task_id = ${taskId}`;
}

/** How many actions the turns of one message have proposed. */
export function proposalsOfTurn(
  organizationId: string,
  chatId: string,
  messageId: string | null,
): Statement<{ count: number }> {
  return sql`
    select count(*)::int as count from action a
    where a.organization_id = ${organizationId} and a.chat_id = ${chatId}
      and a.chat_message_id is not distinct from ${messageId}::uuid`;
}

export interface ProposalTimes {
  readonly now: string;
  readonly expiresAt: string;
  readonly tooSoon: boolean;
  readonly tooLate: boolean;
}

/** When a proposal expires, by the database's clock, and whether that is within the bounds. */
export function proposalTimes(
  expiresAt: string | null,
  { min, max, standard }: { readonly min: string; readonly max: string; readonly standard: string },
): Statement<ProposalTimes> {
  const now = sql.raw('clock_timestamp()');
  return sql`
    with given as materialized (
      select ${now} as now, coalesce(${expiresAt}::timestamptz, ${now} + ${standard}::interval) as expires_at)
    select ${sql.raw(ISO_NOW)} as now, g.expires_at as "expiresAt",
      g.expires_at < g.now + ${min}::interval as "tooSoon", g.expires_at > g.now + ${max}::interval as "tooLate"
    from given g`;
}

export interface NewAction {
  readonly id: string;
  readonly reference: string;
  readonly kind: ActionKind;
  readonly title: string;
  readonly summary: string;
  readonly connectorKey: string;
  readonly integrationId: string | null;
  readonly toolName: string;
  readonly arguments: string;
  readonly argumentsDigest: string;
  readonly preview: string;
  readonly place: ProposalPlace;
  readonly taskVersion: number | null;
  readonly runId: string | null;
  readonly chatMessageId: string | null;
  readonly agentProfileId: string;
  readonly risk: ActionRisk;
  readonly policy: ActionPolicy;
  readonly decision: ActionDecision | null;
  readonly status: Extract<ActionStatus, 'awaiting_approval' | 'approved'>;
  readonly authorizationEpoch: number;
  readonly facts: ActionFacts;
  readonly dedupeKey: string;
  readonly expiresAt: string;
  /** Now, read behind the locks. */
  readonly now: string;
}

/** Answers none where the reference is taken. */
export function insertAction(organizationId: string, a: NewAction): Statement<{ id: string }> {
  const awaits = a.status === 'awaiting_approval';
  return sql`
    insert into action (organization_id, id, reference, kind, title, summary, connector_key, integration_id, tool_name,
      arguments, arguments_digest, preview, task_id, task_version, run_id, chat_id, chat_message_id, agent_profile_id,
      risk, policy, approval_required, decision, status, authorization_epoch, facts, dedupe_key, expires_at,
      awaits_since, approved_at)
    values (${organizationId}, ${a.id}, ${a.reference}, ${a.kind}, ${a.title}, ${a.summary}, ${a.connectorKey},
      ${a.integrationId}, ${a.toolName}, ${a.arguments}, ${a.argumentsDigest}, ${a.preview}, ${a.place.taskId},
      ${a.taskVersion}, ${a.runId}, ${a.place.chatId}, ${a.chatMessageId}, ${a.agentProfileId}, ${a.risk},
      ${JSON.stringify(a.policy)}::jsonb, ${a.policy.approvalRequired},
      ${a.decision === null ? null : JSON.stringify(a.decision)}::jsonb, ${a.status}, ${a.authorizationEpoch},
      ${JSON.stringify(a.facts)}::jsonb, ${a.dedupeKey}, ${a.expiresAt}, ${awaits ? a.now : null}, ${awaits ? null : a.now})
    on conflict (organization_id, reference) do nothing
    returning id`;
}

/** That a run proposed an action in this version of its task; a later proposal of the same replaces it. */
export function noteReceipt(organizationId: string, receipt: Receipt): Statement {
  return sql`
    insert into action_receipt as r (organization_id, action_id, run_id, task_version)
    values (${organizationId}, ${receipt.actionId}, ${receipt.runId}, ${receipt.taskVersion})
    on conflict (organization_id, action_id, run_id) do update
      set task_version = excluded.task_version, created_at = excluded.created_at`;
}

export interface Receipt {
  readonly actionId: string;
  readonly runId: string;
  readonly taskVersion: number;
}
