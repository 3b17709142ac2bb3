import { type Statement, statement, Values } from '../../../kernel/database/index.ts';
import { isLapsed } from '../../../kernel/leases/index.ts';
import { isActive, moved } from '../messages/message.state.ts';
import { isWaiting } from './turn-claim.queries.ts';
import { statusAfterAttempt, SET_SETTLED, TOLD } from './turn-ending.queries.ts';
import { isCancelOverdue, type TurnStateRow } from './turn-lease.queries.ts';
import { isResting, requeueHeldBack, hasWaitingTurns } from './turn-rests.queries.ts';
import { TURN, TURN_END_ERRORS } from './turn.policy.ts';

export interface FoundTurn {
  readonly organizationId: string;
  readonly id: string;
}

/** What a worker held before it started again, and was silent about since. */
export interface Recovery {
  readonly workerId: string;
  readonly bootId: string;
  readonly silenceMs: number;
}

export interface SettledTurn extends TurnStateRow {
  readonly turnId: string;
  readonly hasWaitingTurns: boolean;
}

/** Turns that one statement of a sweep finds. */
export const TURNS_LIMIT = 200;

const TOOK_TOO_LONG = `m.first_claimed_at <= clock_timestamp() - interval '${TURN.maxMinutes} minutes'`;
const LAPSED = `m.leased and ${isLapsed('turn', 'm.lease_expires_at')}`;
const UNCLAIMED = `m.first_claimed_at is null and m.created_at <= clock_timestamp() - interval '${TURN.unclaimedHours} hours'`;

/** Held turns whose lease or time is over, and those that were cancelled and have nobody, or somebody too slow, to end them. */
export function dueTurns(): Statement<FoundTurn> {
  const found = `select m.organization_id as "organizationId", m.id from message m join organization o on o.id = m.organization_id
    where o.status = 'active'`;
  return statement(
    `(${found} and m.leased and (${isLapsed('turn', 'm.lease_expires_at')} or ${TOOK_TOO_LONG}) limit ${TURNS_LIMIT})
     union (${found} and m.status = 'cancelling' and (not m.leased or ${isCancelOverdue('m')}) limit ${TURNS_LIMIT})`,
  );
}

/** Turns that have waited too long for a first claim, or for another one. */
export function unansweredTurns(): Statement<FoundTurn> {
  const found = (waits: string) => `select m.organization_id as "organizationId", m.id
    from message m join organization o on o.id = m.organization_id
    where o.status = 'active' and ${waits} and m.created_at <= clock_timestamp() - interval '${TURN.maxMinutes} minutes'
      and (${TOOK_TOO_LONG} or ${UNCLAIMED}) limit ${TURNS_LIMIT}`;
  return statement(`(${found(isWaiting('m'))}) union (${found(isResting('m'))})`);
}

/** Why the backend moves a turn `m`; null where it does not. */
function reason(recovered: string): string {
  return `case when not (${isActive('m.status')}) then null
    when m.status = 'cancelling' and (not m.leased or ${LAPSED} or ${isCancelOverdue('m')}) then 'cancelled'
    when ${TOOK_TOO_LONG} then 'timeout'
    when ${LAPSED} or ${recovered} then 'lease'
    when m.status = 'pending' and not m.leased and ${UNCLAIMED} then 'unclaimed' end`;
}

/** Whether a turn `m` is one that a worker held before. */
function heldBefore({ workerId, bootId, silenceMs }: Recovery, values: Values): string {
  return `(m.leased and m.worker_id = ${values.add(workerId)} and m.boot_id is distinct from ${values.add(bootId)}::uuid
    and m.heartbeat_at <= clock_timestamp() - ${values.add(silenceMs)}::int * interval '1 millisecond')`;
}

/**
 * Moves what is due of an organization, with a snapshot taken behind the turns' locks; the fence of whoever holds one is the
 * complement of this, and the row lock decides between the two. `entryIds` are for the activity log.
 */
export function settleDue(
  organizationId: string,
  turnIds: readonly string[],
  entryIds: readonly string[],
  recovery: Recovery | undefined,
): Statement<SettledTurn> {
  const values = new Values();
  const organization = `${values.add(organizationId)}::uuid`;
  return statement(
    `with seen as materialized (
       select m.*, c.title, due.entry_id, ${reason(recovery ? heldBefore(recovery, values) : 'false')} as reason
       from unnest(${values.add(turnIds)}::uuid[], ${values.add(entryIds)}::uuid[]) due(id, entry_id)
       join message m on m.organization_id = ${organization} and m.id = due.id
       join chat c on c.organization_id = m.organization_id and c.id = m.chat_id),
     decided as materialized (
       select m.organization_id, m.id, m.chat_id, m.title, m.entry_id, m.attempt, null::jsonb as usage, null::jsonb as parts,
         ${values.add(JSON.stringify(TURN_END_ERRORS))}::jsonb -> m.reason || '{"retryable": false}' as error,
         'system' as actor_kind, 'system' as actor_id, 'work engine' as actor_name,
         case m.reason when 'cancelled' then ${moved('cancelled', 'm.status')} when 'timeout' then ${moved('timeout', 'm.status')}
           when 'unclaimed' then ${moved('unclaimed', 'm.status')} else ${statusAfterAttempt('m.attempt')} end as next
       from seen m where m.reason is not null),
     settled as (
       update message m set ${SET_SETTLED} from decided d where m.organization_id = d.organization_id and m.id = d.id
       returning m.chat_id, m.id, m.status, m.revision, m.cancel_requested_at),
     ${requeueHeldBack(organization, 'decided')},
     told as (${TOLD})
     select s.chat_id as "chatId", s.id as "turnId", s.status, s.revision,
       s.cancel_requested_at is not null as "cancelRequested", ${hasWaitingTurns(organization)} as "hasWaitingTurns"
     from settled s`,
    ...values.list,
  );
}

/** Live turns of a worker's other boots, and how long each still counts as alive. */
export function turnsOfOtherBoots({
  workerId,
  bootId,
  silenceMs,
}: Recovery): Statement<FoundTurn & { freshMs: number }> {
  return statement(
    `select m.organization_id as "organizationId", m.id,
       (extract(epoch from m.heartbeat_at - clock_timestamp()) * 1000 + $3::int)::int as "freshMs"
     from message m join organization o on o.id = m.organization_id
     where m.leased and m.worker_id = $1 and m.boot_id is distinct from $2::uuid and o.status = 'active'`,
    workerId,
    bootId,
    silenceMs,
  );
}

const CHUNKS_GO = `chunks_expire_at <= clock_timestamp()`;

/** Removes chunks whose readers are gone, one remover at a time; answers those that it removed. */
export function removeChunks(limit: number): readonly [Statement, Statement, Statement] {
  return [
    statement(`select pg_advisory_xact_lock(hashtext('message chunks'))`),
    statement(
      `delete from message_chunk where (organization_id, message_id, draft, part_id, part_offset) in (
         select k.organization_id, k.message_id, k.draft, k.part_id, k.part_offset
         from (select m.organization_id, m.id from message m where m.${CHUNKS_GO} order by m.chunks_expire_at limit $1) m
         join message_chunk k on k.organization_id = m.organization_id and k.message_id = m.id
         limit $1)
       returning 1`,
      limit,
    ),
    statement(
      `update message m set chunks_expire_at = null
       where m.${CHUNKS_GO} and not exists (
         select from message_chunk k where k.organization_id = m.organization_id and k.message_id = m.id)`,
    ),
  ];
}
