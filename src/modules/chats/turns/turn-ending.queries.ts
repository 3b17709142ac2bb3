import { type Sql, sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { type EntriesOfRows, insertActivity, insertHeard } from '../../organizations/index.ts';
import { type MessageError, type MessagePart, type TurnMove, turnMoves } from '../messages/message.state.ts';
import { logTurnEnd } from '../messages/turn-end.ts';
import { STREAMED_PARTS } from '../messages/messages.queries.ts';
import { textOrNull, updateChatOfTurn } from './turn-chat.queries.ts';
import { isHeld, type TurnFence, type TurnStateRow } from './turn-lease.queries.ts';
import { requeueHeldBack, hasWaitingTurns } from './turn-rests.queries.ts';
import { TURN } from './turn.policy.ts';

/** The calls that end a turn, or its attempt. */
export type FinalCall = 'complete' | 'fail' | 'cancelled';

/** What a final call reports: `complete` what it leaves in the chat, `fail` why. */
export interface FinalReport {
  readonly call: FinalCall;
  /** SHA-256 of call and body, which tells a repeat. */
  readonly digest: string;
  /** Id of the entry in the activity log. */
  readonly entryId: string;
  readonly usage?: object | undefined;
  readonly parts?: readonly MessagePart[] | undefined;
  readonly error?: MessageError;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly harnessSessionId?: string | undefined;
}

export interface FinalRow extends TurnStateRow {
  /** Whether the fence held. */
  readonly held: boolean;
  /** Whether the status permitted the move too. */
  readonly permitted: boolean;
  /** The answer to an earlier call of the same kind and body; null where this call is the first. */
  readonly repeated: Omit<TurnStateRow, 'chatId'> | null;
  /** Whether the organization has turns that wait, perhaps for the place of this one. */
  readonly hasWaitingTurns: boolean;
  readonly attempt: number;
  readonly agentProfileId: string;
  readonly profileKey: string;
  /** Whether somebody subscribed to the end. */
  readonly isHeard: boolean;
}

/** Attempts of a turn `m` once this one has failed: an attempt that never began to stream counts from then on. */
const FAILED_ATTEMPTS = sql`(m.attempt + (m.status = 'pending')::int)`;
const MAX_ATTEMPTS = sql.raw(String(TURN.maxAttempts));
const COMPLETE = ifPermitted('complete');
const CANCELLED = ifPermitted('cancelled');
const RETRY = sql.raw(turnMoves.moved('retry', 'm.status'));
const FAIL = sql.raw(turnMoves.moved('fail', 'm.status'));

/** The status of a turn `m` after a failed attempt, which was attempt number `attempts`. */
export function statusAfterAttempt(attempts: Sql, retryable: Sql): Sql {
  return sql`case when ${retryable} and ${attempts} < ${MAX_ATTEMPTS} then ${RETRY} else ${FAIL} end`;
}

/** The status of a turn `m` after the call; null where its status does not permit that. */
function statusAfterCall({ call, error }: FinalReport): Sql {
  if (call === 'fail') return statusAfterAttempt(FAILED_ATTEMPTS, sql`${error!.retryable}::boolean`);
  return call === 'complete' ? COMPLETE : CANCELLED;
}

function ifPermitted(move: TurnMove): Sql {
  return sql.raw(`case when ${turnMoves.permits(move, 'm.status')} then ${turnMoves.moved(move, 'm.status')} end`);
}

/** Locks turns, so that the next statement reads all that was appended before. */
export function lockTurns(organizationId: string, turnIds: readonly string[]): Statement {
  return sql`
    select from message m where m.organization_id = ${organizationId} and m.id = any(${turnIds}::uuid[])
    order by m.id for no key update`;
}

const CHUNKS_KEPT = sql.raw(`interval '${TURN.chunksKeptMinutes} minutes'`);

/**
 * Settles a turn `m` that leaves its lease, as decided in `d` (`next`, `attempt`, `parts`, `usage`, `error`): an end
 * folds the text into parts, unless it brings some; a retry begins a new draft.
 */
export const SET_SETTLED = sql`status = d.next, revision = m.revision + 1, updated_at = clock_timestamp(),
        leased = false, lease_expires_at = null, attempt = d.attempt, usage = coalesce(d.usage, m.usage),
        error = case when d.next = 'failed' then d.error end,
        parts = case when d.next = 'pending' then '[]' else coalesce(d.parts, ${STREAMED_PARTS}) end,
        draft = m.draft + (d.next = 'pending')::int,
        text_bytes = case when d.next = 'pending' then 0 else m.text_bytes end,
        harness = case when d.next <> 'pending' then m.harness end,
        model = case when d.next <> 'pending' then m.model end,
        completed_at = case when d.next <> 'pending' then clock_timestamp() end,
        chunks_expire_at = case when d.next <> 'pending' then clock_timestamp() + ${CHUNKS_KEPT} end`;

/** The entry of each turn in `decided` that ends (`entry_id`, the actor, the chat's `title`). */
const ENDINGS: EntriesOfRows = {
  entry: {
    organizationId: sql`d.organization_id`,
    id: sql`d.entry_id`,
    actor: { kind: sql`d.actor_kind`, id: sql`d.actor_id`, name: sql`d.actor_name` },
    verb: sql`'message.' || case d.next when 'complete' then 'completed' else d.next end`,
    subject: { kind: sql`'message'`, id: sql`d.id::text`, label: sql`d.title` },
    details: sql`jsonb_strip_nulls(jsonb_build_object('chatId', d.chat_id,
      'code', case when d.next = 'failed' then d.error->>'code' end))`,
  },
  rows: sql`(select * from decided where next <> 'pending') d`,
};

/** Writes the ends of turns into the activity log, and hands them to those who subscribed to them (`heard`). */
export const LOG_ENDINGS = sql`logged as (${insertActivity(ENDINGS.entry, ENDINGS.rows)}),
    heard as (${insertHeard(ENDINGS)})`;
export const IS_HEARD = sql`exists (select from heard)`;

const IS_HELD = isHeld('m');
const COMPLETED = sql`(select * from decided where next = 'complete')`;

/**
 * Ends a turn, or its attempt, with a snapshot taken behind the locks of chat and turn, and keeps the answer for
 * repeats. No row is an unknown turn, or a deleted chat. With the locks and the way in five statements, one round trip,
 * one commit.
 */
export function endTurn(fence: TurnFence, report: FinalReport): Statement<FinalRow> {
  const { organizationId, turnId, tokenHash } = fence;
  const organization = sql.shared(sql`${organizationId}::uuid`);
  const token = sql.shared(sql`${tokenHash}::bytea`);
  const digest = sql.shared(sql`${report.digest}::text`);
  const left = {
    title: textOrNull(report.title),
    summary: textOrNull(report.summary),
    session: textOrNull(report.harnessSessionId),
  };
  const ended = sql<FinalRow>`
    -- The turn, whether its fence holds, where the call leads, and the answer to an earlier one.
    with seen as materialized (
      select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.authorization_epoch, m.cancel_requested_at,
        m.lease_token_hash = ${token} and ${IS_HELD} as held, ${statusAfterCall(report)} as next,
        ${report.call === 'fail' ? FAILED_ATTEMPTS : sql`m.attempt`} as attempt,
        case when m.lease_token_hash = ${token} and not m.leased and m.final_digest = ${digest}
             then m.final_answer end as repeated,
        ${jsonOrNull(report.usage)} as usage, ${jsonOrNull(report.parts)} as parts,
        ${jsonOrNull(report.error)} as error,
        coalesce(${left.title}, c.title) as title, ${report.entryId}::uuid as entry_id,
        'agent' as actor_kind, p.id::text as actor_id, p.key as actor_name
      from message m
      join chat c on c.organization_id = m.organization_id and c.id = m.chat_id and c.deleted_at is null
      join agent_profile p on p.organization_id = m.organization_id and p.id = m.agent_profile_id
      where m.organization_id = ${organization} and m.id = ${turnId}::uuid),
    decided as materialized (select s.* from seen s where s.held and s.next is not null),
    -- The turn itself, with the answer that repeats get.
    settled as (
      update message m set ${SET_SETTLED}, final_digest = ${digest}, final_answer = jsonb_build_object(
        'status', d.next, 'revision', m.revision + 1, 'cancelRequested', m.cancel_requested_at is not null)
      from decided d where m.organization_id = d.organization_id and m.id = d.id
      returning m.status, m.revision),
    -- Its chat, a turn that was held back, and the activity log.
    left_in_chat as (${updateChatOfTurn(COMPLETED, left)}),
    ${requeueHeldBack(organization, 'decided')},
    ${LOG_ENDINGS}
    select s.held, settled.status is not null as permitted, s.repeated, s.chat_id as "chatId",
      coalesce(settled.status, s.status) as status, coalesce(settled.revision, s.revision) as revision,
      s.cancel_requested_at is not null as "cancelRequested", ${hasWaitingTurns(organization)} as "hasWaitingTurns",
      s.attempt, s.actor_id as "agentProfileId", s.actor_name as "profileKey", ${IS_HEARD} as "isHeard"
    from seen s left join settled on true`;
  return withAfterCommit(ended, ([row]) => {
    if (!row?.permitted) return;
    const { chatId, status, attempt, agentProfileId, profileKey } = row;
    const actor = { kind: 'agent', id: agentProfileId, name: profileKey };
    logTurnEnd({ organizationId, turnId, chatId, status, actor, attempt, code: report.error?.code });
  });
}

function jsonOrNull(value: object | undefined): Sql {
  return sql`${value === undefined ? null : JSON.stringify(value)}::jsonb`;
}
