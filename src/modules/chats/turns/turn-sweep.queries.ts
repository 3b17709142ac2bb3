import { type Sql, sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { isLapsed } from '../../../kernel/leases/index.ts';
import { isActive, turnMoves } from '../messages/message.state.ts';
import { logTurnEnd } from '../messages/turn-end.ts';
import { isWaiting } from './turn-claim.queries.ts';
import { IS_HEARD, statusAfterAttempt, SET_SETTLED, LOG_ENDINGS } from './turn-ending.queries.ts';
import { isCancelOverdue, type TurnStateRow } from './turn-lease.queries.ts';
import { isResting, requeueHeldBack, hasWaitingTurns } from './turn-rests.queries.ts';
import { TURN, TURN_END_ERRORS } from './turn.policy.ts';

export interface FoundTurn {
  readonly organizationId: string;
  readonly id: string;
}

/** A worker that started again: turns of its other boots count as lost after that silence. */
export interface Recovery {
  readonly workerId: string;
  readonly bootId: string;
  readonly silenceMs: number;
}

export interface SettledTurn extends TurnStateRow {
  readonly turnId: string;
  readonly hasWaitingTurns: boolean;
  /** `lease` where it lapsed, or its worker gave it up by recovery. */
  readonly reason: 'lease' | 'cancelled' | 'timeout' | 'unclaimed';
  readonly attempt: number;
  readonly workerId: string | null;
  /** Whether somebody subscribed to one of the ends. */
  readonly isHeard: boolean;
}

/** Turns that one statement of a sweep finds. */
export const TURNS_LIMIT = 200;
const LIMIT = sql.raw(String(TURNS_LIMIT));

const MAX_TIME = sql.raw(`interval '${TURN.maxMinutes} minutes'`);
const UNCLAIMED_TIME = sql.raw(`interval '${TURN.unclaimedHours} hours'`);

const IS_ACTIVE = sql.raw(isActive('m.status'));
const IS_LAPSED = isLapsed('turn', 'm.lease_expires_at');
const TOOK_TOO_LONG = sql`m.first_claimed_at <= clock_timestamp() - ${MAX_TIME}`;
const UNCLAIMED = sql`m.first_claimed_at is null and m.created_at <= clock_timestamp() - ${UNCLAIMED_TIME}`;

/**
 * Held turns whose lease or time is over, and cancelled turns that no worker holds, or that their worker is slow to
 * end.
 */
export function dueTurns(): Statement<FoundTurn> {
  const found = sql`
    select m.organization_id as "organizationId", m.id from message m join organization o on o.id = m.organization_id
    where o.status = 'active'`;
  return sql`
    (${found} and m.leased and (${IS_LAPSED} or ${TOOK_TOO_LONG}) limit ${LIMIT})
    union (${found} and m.status = 'cancelling' and (not m.leased or ${isCancelOverdue('m')}) limit ${LIMIT})`;
}

/** Turns that have waited too long for a first claim, or for another one. */
export function unansweredTurns(): Statement<FoundTurn> {
  const found = (waits: Sql) => sql`
    select m.organization_id as "organizationId", m.id
    from message m join organization o on o.id = m.organization_id
    where o.status = 'active' and ${waits} and m.created_at <= clock_timestamp() - ${MAX_TIME}
      and (${TOOK_TOO_LONG} or ${UNCLAIMED}) limit ${LIMIT}`;
  return sql`(${found(isWaiting('m'))}) union (${found(isResting('m'))})`;
}

/** Whether a turn `m` is one that the worker held in another boot and has been silent about since. */
function heldBefore({ workerId, bootId, silenceMs }: Recovery): Sql {
  return sql`(m.leased and m.worker_id = ${workerId} and m.boot_id is distinct from ${bootId}::uuid
          and m.heartbeat_at <= clock_timestamp() - ${silenceMs}::int * interval '1 millisecond')`;
}

/** Why the backend moves a turn `m`; null where it does not. */
function reason(recovery: Recovery | undefined): Sql {
  return sql`case
          when not (${IS_ACTIVE}) then null
          when m.status = 'cancelling' and (not m.leased or m.leased and ${IS_LAPSED} or ${isCancelOverdue('m')})
            then 'cancelled'
          when ${TOOK_TOO_LONG} then 'timeout'
          when m.leased and ${IS_LAPSED} or ${recovery ? heldBefore(recovery) : sql`false`} then 'lease'
          when m.status = 'pending' and not m.leased and ${UNCLAIMED} then 'unclaimed' end`;
}

/** The status of a turn `m` for each reason. */
const NEXT = sql`case
          when m.reason = 'cancelled' then ${sql.raw(turnMoves.moved('cancelled', 'm.status'))}
          when m.reason = 'timeout' then ${sql.raw(turnMoves.moved('timeout', 'm.status'))}
          when m.reason = 'unclaimed' then ${sql.raw(turnMoves.moved('unclaimed', 'm.status'))}
          else ${statusAfterAttempt(sql`m.attempt`, sql`true`)} end`;
const END_ERRORS = JSON.stringify(TURN_END_ERRORS);

/**
 * Moves the due turns of an organization, with a snapshot taken behind their locks. The fence of a turn's worker is the
 * complement of the reasons here, and the row lock decides between the two. `entryIds` are for the activity log. With
 * the locks and the way in four statements, one round trip, one commit.
 */
export function settleDue(
  organizationId: string,
  turnIds: readonly string[],
  entryIds: readonly string[],
  recovery: Recovery | undefined,
): Statement<SettledTurn> {
  const organization = sql.shared(sql`${organizationId}::uuid`);
  const settled = sql<SettledTurn>`
    -- The turns, and why each is due.
    with seen as materialized (
      select m.*, c.title, due.entry_id, ${reason(recovery)} as reason
      from unnest(${turnIds}::uuid[], ${entryIds}::uuid[]) due(id, entry_id)
      join message m on m.organization_id = ${organization} and m.id = due.id
      join chat c on c.organization_id = m.organization_id and c.id = m.chat_id),
    -- Where the reason leads.
    decided as materialized (
      select m.organization_id, m.id, m.chat_id, m.title, m.entry_id, m.attempt, m.worker_id, m.reason,
        null::jsonb as usage, null::jsonb as parts, ${END_ERRORS}::jsonb -> m.reason || '{"retryable": false}' as error,
        'system' as actor_kind, 'system' as actor_id, 'work engine' as actor_name, ${NEXT} as next
      from seen m where m.reason is not null),
    -- The turns themselves, turns that were held back, and the activity log.
    settled as (
      update message m set ${SET_SETTLED} from decided d where m.organization_id = d.organization_id and m.id = d.id
      returning m.chat_id, m.id, m.status, m.revision, m.cancel_requested_at),
    ${requeueHeldBack(organization, 'decided')},
    ${LOG_ENDINGS}
    select s.chat_id as "chatId", s.id as "turnId", s.status, s.revision,
      s.cancel_requested_at is not null as "cancelRequested", ${hasWaitingTurns(organization)} as "hasWaitingTurns",
      d.reason, d.attempt, d.worker_id as "workerId", ${IS_HEARD} as "isHeard"
    from settled s join decided d on d.id = s.id`;
  return withAfterCommit(settled, (turns) => {
    for (const turn of turns) logSettled(organizationId, turn, recovery);
  });
}

const WORK_ENGINE = { kind: 'system', id: 'system', name: 'work engine' };

function logSettled(organizationId: string, settled: SettledTurn, recovery: Recovery | undefined): void {
  const { turnId, chatId, status, attempt, workerId, reason } = settled;
  const code = reason === 'cancelled' || status === 'pending' ? undefined : TURN_END_ERRORS[reason].code;
  const why = recovery && reason === 'lease' ? 'recovered' : reason;
  logTurnEnd({ organizationId, turnId, chatId, status, actor: WORK_ENGINE, attempt, workerId, reason: why, code });
}

/** Live turns of a worker's other boots, and for how many more ms each counts as alive. */
export function turnsOfOtherBoots({
  workerId,
  bootId,
  silenceMs,
}: Recovery): Statement<FoundTurn & { freshMs: number }> {
  return sql`
    select m.organization_id as "organizationId", m.id,
      (extract(epoch from m.heartbeat_at - clock_timestamp()) * 1000 + ${silenceMs}::int)::int as "freshMs"
    from message m join organization o on o.id = m.organization_id
    where m.leased and m.worker_id = ${workerId} and m.boot_id is distinct from ${bootId}::uuid
      and o.status = 'active'`;
}

const CHUNKS_EXPIRED = sql`m.chunks_expire_at <= clock_timestamp()`;

/** Removes chunks that no reader comes back for, one remover at a time; the second statement answers a row for each. */
export function removeChunks(limit: number): readonly [Statement, Statement, Statement] {
  const most = sql.value(limit);
  return [
    sql`select pg_advisory_xact_lock(hashtext('message chunks'))`,
    sql`
      delete from message_chunk where (organization_id, message_id, draft, part_id, part_offset) in (
        select k.organization_id, k.message_id, k.draft, k.part_id, k.part_offset
        from (select m.organization_id, m.id from message m where ${CHUNKS_EXPIRED}
              order by m.chunks_expire_at limit ${most}) m
        join message_chunk k on k.organization_id = m.organization_id and k.message_id = m.id
        limit ${most})
      returning 1`,
    sql`
      update message m set chunks_expire_at = null
      where ${CHUNKS_EXPIRED} and not exists (
        select from message_chunk k where k.organization_id = m.organization_id and k.message_id = m.id)`,
  ];
}
