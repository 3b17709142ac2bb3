import { sql, type Statement, statement, Values } from '../../../kernel/database/index.ts';
import { insertActivity } from '../../organizations/index.ts';
import { type MessageError, type MessagePart, moved } from '../messages/message.state.ts';
import { STREAMED_PARTS } from '../messages/messages.queries.ts';
import { isHeld, updateChatOfTurn, type TurnFence, type TurnStateRow } from './turn-lease.queries.ts';
import { requeueHeldBack, hasWaitingTurns } from './turn-rests.queries.ts';
import { TURN } from './turn.policy.ts';

/** The calls that end a turn, or its attempt. */
export type FinalCall = 'complete' | 'fail' | 'cancelled';

/** What a final call reports; of `complete` what it leaves in the chat, of `fail` why. */
export interface FinalReport {
  readonly call: FinalCall;
  /** SHA-256 of call and body, by which a repeat is known. */
  readonly digest: string;
  /** Of the entry in the activity log. */
  readonly entryId: string;
  readonly usage?: object | undefined;
  readonly parts?: readonly MessagePart[] | undefined;
  readonly error?: MessageError;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly harnessSessionId?: string | undefined;
}

export interface FinalRow extends TurnStateRow {
  /** The fence held. */
  readonly held: boolean;
  /** The state permitted the move too. */
  readonly permitted: boolean;
  /** The answer to an earlier call of the same kind and body. */
  readonly repeated: Omit<TurnStateRow, 'chatId'> | null;
  /** Whether the organization has turns that wait, perhaps for the place of this one. */
  readonly hasWaitingTurns: boolean;
}

/** Attempts of a turn `m` once this one has failed: one that never began to stream counts from then on. */
const FAILED_ATTEMPTS = `(m.attempt + (m.status = 'pending')::int)`;

/** The status of a turn `m` after a failed attempt, which was attempt number `attempts`. */
export function statusAfterAttempt(attempts: string, retryable = 'true'): string {
  return `case when ${retryable} and ${attempts} < ${TURN.maxAttempts} then ${moved('retry', 'm.status')}
    else ${moved('fail', 'm.status')} end`;
}

/** Locks turns, so that what was appended before is read behind it. */
export function lockTurns(organizationId: string, turnIds: readonly string[]): Statement {
  return statement(
    `select from message m where m.organization_id = $1 and m.id = any($2::uuid[]) order by m.id for no key update`,
    organizationId,
    turnIds,
  );
}

/**
 * What becomes of a turn `m` that leaves its lease, as decided in `d` (`next`, `attempt`, `parts`, `usage`, `error`): an end
 * folds the text into parts, unless it brings some; a retry begins a new draft.
 */
export const SET_SETTLED = `status = d.next, revision = m.revision + 1, updated_at = clock_timestamp(), leased = false,
  lease_expires_at = null, attempt = d.attempt, usage = coalesce(d.usage, m.usage),
  error = case when d.next = 'failed' then d.error end,
  parts = case when d.next = 'pending' then '[]' else coalesce(d.parts, ${STREAMED_PARTS}) end,
  draft = m.draft + (d.next = 'pending')::int, text_bytes = case when d.next = 'pending' then 0 else m.text_bytes end,
  harness = case when d.next <> 'pending' then m.harness end, model = case when d.next <> 'pending' then m.model end,
  completed_at = case when d.next <> 'pending' then clock_timestamp() end,
  chunks_expire_at = case when d.next <> 'pending' then clock_timestamp() + interval '${TURN.chunksKeptMinutes} minutes' end`;

/** Tells the activity log of those in `decided` that end (`entry_id`, the actor, the chat's `title`). */
export const TOLD = insertActivity(
  {
    organizationId: sql`d.organization_id`,
    id: sql`d.entry_id`,
    actor: { kind: sql`d.actor_kind`, id: sql`d.actor_id`, name: sql`d.actor_name` },
    verb: sql`'message.' || case d.next when 'complete' then 'completed' else d.next end`,
    subject: { kind: sql`'message'`, id: sql`d.id::text`, label: sql`d.title` },
    details: sql`jsonb_strip_nulls(jsonb_build_object('chatId', d.chat_id,
      'code', case when d.next = 'failed' then d.error->>'code' end))`,
  },
  sql`decided d where d.next <> 'pending'`,
);

/**
 * Ends a turn, or its attempt, with a snapshot taken behind the locks of chat and turn, and keeps the answer for repeats.
 * No row is an unknown turn, or a deleted chat. With the locks and the way in five statements, one round trip, one commit.
 */
export function endTurn({ organizationId, turnId, tokenHash }: TurnFence, report: FinalReport): Statement<FinalRow> {
  const values = new Values();
  const organization = `${values.add(organizationId)}::uuid`;
  const turn = `${values.add(turnId)}::uuid`;
  const token = `${values.add(tokenHash)}::bytea`;
  const digest = `${values.add(report.digest)}::text`;
  const fails = report.call === 'fail';
  const next = fails
    ? statusAfterAttempt(FAILED_ATTEMPTS, `${values.add(report.error!.retryable)}::boolean`)
    : moved(report.call === 'complete' ? 'complete' : 'cancelled', 'm.status');
  const json = (value: object | undefined) =>
    `${values.add(value === undefined ? null : JSON.stringify(value))}::jsonb`;
  const text = (value: string | undefined) => `${values.add(value ?? null)}::text`;
  const left = {
    title: text(report.title),
    summary: text(report.summary),
    session: text(report.harnessSessionId),
  };
  return statement(
    `with seen as materialized (
       select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.authorization_epoch, m.cancel_requested_at,
         m.lease_token_hash = ${token} and ${isHeld('m')} as held, ${next} as next,
         ${fails ? FAILED_ATTEMPTS : 'm.attempt'} as attempt,
         case when m.lease_token_hash = ${token} and not m.leased and m.final_digest = ${digest}
              then m.final_answer end as repeated,
         ${json(report.usage)} as usage, ${json(report.parts)} as parts, ${json(report.error)} as error,
         coalesce(${left.title}, c.title) as title, ${values.add(report.entryId)}::uuid as entry_id,
         'agent' as actor_kind, p.id::text as actor_id, p.key as actor_name
       from message m
       join chat c on c.organization_id = m.organization_id and c.id = m.chat_id and c.deleted_at is null
       join agent_profile p on p.organization_id = m.organization_id and p.id = m.agent_profile_id
       where m.organization_id = ${organization} and m.id = ${turn}),
     decided as materialized (select s.* from seen s where s.held and s.next is not null),
     settled as (
       update message m set ${SET_SETTLED}, final_digest = ${digest}, final_answer = jsonb_build_object(
         'status', d.next, 'revision', m.revision + 1, 'cancelRequested', m.cancel_requested_at is not null)
       from decided d where m.organization_id = d.organization_id and m.id = d.id
       returning m.status, m.revision),
     left_in_chat as (${updateChatOfTurn(`(select * from decided where next = 'complete')`, left)}),
     ${requeueHeldBack(organization, 'decided')},
     told as (${TOLD})
     select s.held, settled.status is not null as permitted, s.repeated, s.chat_id as "chatId",
       coalesce(settled.status, s.status) as status, coalesce(settled.revision, s.revision) as revision,
       s.cancel_requested_at is not null as "cancelRequested", ${hasWaitingTurns(organization)} as "hasWaitingTurns"
     from seen s left join settled on true`,
    ...values.list,
  );
}
