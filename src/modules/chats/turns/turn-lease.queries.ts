import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { columns, type Placed, type Statement, statement } from '../../../kernel/database/index.ts';
import { isUnlapsed, outageThatEnds, releasesInARow, restAfter } from '../../../kernel/leases/index.ts';
import { moved, type MessageStatus, permits } from '../messages/message.state.ts';
import type { TokenOfTurn } from './turn-tokens.service.ts';
import { requeueHeldBack, hasWaitingTurns } from './turn-rests.queries.ts';
import { TURN } from './turn.policy.ts';

export interface TurnFence {
  readonly organizationId: string;
  readonly turnId: string;
  readonly tokenHash: Buffer;
}

/** The keys of a call on a turn: calls with one in common do not share a transaction. */
export function lockedTurn({ turnId }: TurnFence): string[] {
  return [turnId];
}

/** Condition of a turn, of an alias, whose worker has had its time to end it. */
export function isCancelOverdue(alias: string): string {
  return `(${alias}.status = 'cancelling' and ${alias}.cancel_requested_at <= clock_timestamp() - interval '${TURN.cancelGraceSeconds} seconds')`;
}

/**
 * Condition of a turn, of an alias and found by its key, that its holder may still move; the sweep takes those that are held
 * and beyond it. Asked such that the index of what is leased cannot answer: it would be walked for the organization.
 */
export function isHeld(alias: string): string {
  return `${alias}.leased::int = 1 and ${isUnlapsed('turn', `${alias}.lease_expires_at`)} and not ${isCancelOverdue(alias)}`;
}

/**
 * Turns of the calls `c` that share a transaction, each behind its fence, as `message m`; found by key alone, and none in an
 * organization that is being deleted or onboarded.
 */
export const FENCED_TURNS = `message m on m.organization_id = c.organization_id and m.id = c.turn_id
    and m.lease_token_hash = c.token_hash and ${isHeld('m')}
  join organization o on o.id = m.organization_id and o.status = 'active'`;

/** The fence of a call that is alone, inside its organization. */
const FENCE = `m.organization_id = $1 and m.id = $2 and m.lease_token_hash = $3 and ${isHeld('m')}`;

/** Where a turn stands, of `message m`. */
export interface TurnStateRow {
  readonly chatId: string;
  readonly status: MessageStatus;
  readonly revision: number;
  readonly cancelRequested: boolean;
}

export interface TurnHeartbeatRow
  extends Placed, Omit<TurnStateRow, 'chatId'>, Omit<TokenOfTurn, 'organizationId' | 'turnId'> {
  readonly leaseExpiresAt: string;
  /** A new capability is due. */
  readonly renewed: boolean;
}

const heartbeatColumns = columns<TurnHeartbeatRow>({
  place: 'h.place',
  status: 'm.status',
  revision: 'm.revision',
  cancelRequested: 'm.cancel_requested_at is not null',
  leaseExpiresAt: 'm.lease_expires_at',
  renewed: 'h.due',
  capabilityExpiresAt: 'm.capability_expires_at',
  agentProfileId: 'm.agent_profile_id',
  profileKey: 'p.key',
  profileKind: 'p.kind',
  department: 'p.department',
  generation: 'm.generation',
});

/** Renews leases; writes the turns' rows alone, in place (none of the columns is in an index). No row is a lapsed lease. */
export function renewTurnLeases(calls: readonly TurnFence[]): Statement<TurnHeartbeatRow> {
  return statement(
    `with held as materialized (
       select c.place, m.organization_id, m.id,
         m.capability_expires_at < clock_timestamp() + interval '${CAPABILITY_SECONDS} seconds' / 2 as due
       from unnest($1::uuid[], $2::uuid[], $3::bytea[]) with ordinality c(organization_id, turn_id, token_hash, place)
       join ${FENCED_TURNS} order by m.organization_id, m.id for no key update of m)
     update message m set heartbeat_at = clock_timestamp(),
       lease_expires_at = clock_timestamp() + interval '${TURN.leaseSeconds} seconds',
       capability_expires_at = case when h.due then clock_timestamp() + interval '${CAPABILITY_SECONDS} seconds'
                                    else m.capability_expires_at end
     from held h, agent_profile p
     where m.organization_id = h.organization_id and m.id = h.id
       and p.organization_id = h.organization_id and p.id = m.agent_profile_id
     returning ${heartbeatColumns}`,
    calls.map(({ organizationId }) => organizationId),
    calls.map(({ turnId }) => turnId),
    calls.map(({ tokenHash }) => tokenHash),
  );
}

/**
 * Extends the leases of turns that would lapse over the outage that this transaction's note ends, as those of runs.
 */
export function extendTurnLeases(): Statement {
  return statement(
    `with outage as materialized (${outageThatEnds('turn')}),
     held as materialized (
       select m.organization_id, m.id, clock_timestamp() as now, clock_timestamp() + outage.period as until
       from outage join message m on m.leased and m.lease_expires_at > outage.since
         and m.lease_expires_at < clock_timestamp() + outage.period
       order by m.organization_id, m.id for no key update of m)
     update message m set lease_expires_at = h.until, heartbeat_at = h.now
     from held h where m.organization_id = h.organization_id and m.id = h.id
     returning 1`,
  );
}

/** Locks the chat of a turn, which comes before the turn in the order of locks. */
export function lockChatOfTurn(organizationId: string, turnId: string): Statement {
  return statement(
    `select from chat c where c.organization_id = $1
       and c.id = (select m.chat_id from message m where m.organization_id = $1 and m.id = $2) for no key update`,
    organizationId,
    turnId,
  );
}

export interface Workplace {
  readonly harness: string;
  readonly model: string;
  readonly harnessSessionId?: string;
}

export interface TurnRunningRow extends TurnStateRow {
  /** It is not running elsewhere. */
  readonly accepted: boolean;
  /** It was not noted before. */
  readonly noted: boolean;
}

/**
 * Notes that a turn is running, and where; the chat, which was locked before, keeps the session unless the organization's
 * epoch has advanced since the claim. No row is a lapsed lease.
 */
export function markTurnRunning(
  { organizationId, turnId, tokenHash }: TurnFence,
  { harness, model, harnessSessionId }: Workplace,
): Statement<TurnRunningRow> {
  return statement(
    `with held as materialized (
       select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.authorization_epoch, m.cancel_requested_at,
         m.harness is null as noted, m.harness is null or (m.harness, m.model) = ($4, $5) as accepted
       from message m where ${FENCE} for no key update),
     moved as (
       update message m set status = ${moved('running', 'm.status')}, attempt = m.attempt + (m.status = 'pending')::int,
         harness = $4, model = $5, revision = m.revision + 1, updated_at = clock_timestamp()
       from held h where h.noted and m.organization_id = h.organization_id and m.id = h.id
       returning m.status, m.revision),
     kept as (${updateChatOfTurn('held', { title: 'null::text', summary: 'null::text', session: '$6::text' })})
     select h.chat_id as "chatId", h.accepted, h.noted, coalesce(moved.status, h.status) as status,
       coalesce(moved.revision, h.revision) as revision, h.cancel_requested_at is not null as "cancelRequested"
     from held h left join moved on true`,
    organizationId,
    turnId,
    tokenHash,
    harness,
    model,
    harnessSessionId ?? null,
  );
}

/** Placeholders of what a turn changes in its chat, each perhaps null. */
interface ChatOfTurnUpdate {
  readonly title: string;
  readonly summary: string;
  readonly session: string;
}

/**
 * Changes the chat of a turn in `of`, where there is anything to change; it was locked before. The session is kept unless
 * the organization's epoch has advanced since the claim.
 */
export function updateChatOfTurn(of: string, { title, summary, session }: ChatOfTurnUpdate): string {
  return `update chat c set title = coalesce(${title}, c.title), summary = coalesce(${summary}, c.summary),
      harness_session_id = case when t.keeps then ${session} else c.harness_session_id end,
      harness_session_epoch = case when t.keeps then t.authorization_epoch else c.harness_session_epoch end,
      updated_at = clock_timestamp()
    from (select t.organization_id, t.chat_id, t.authorization_epoch,
            ${session} is not null and o.authorization_epoch = t.authorization_epoch as keeps
          from ${of} t join organization o on o.id = t.organization_id) t
    where c.organization_id = t.organization_id and c.id = t.chat_id
      and (t.keeps or coalesce(${title}, ${summary}) is not null)`;
}

export interface TurnReleaseRow extends TurnStateRow {
  readonly released: boolean;
  /** Whether the organization has turns that wait, perhaps for the place of this one. */
  readonly hasWaitingTurns: boolean;
}

/** Gives back a turn that has not begun to stream; it rests, longer with each release in a row. No row is a lapsed lease. */
export function releaseTurn({ organizationId, turnId, tokenHash }: TurnFence): Statement<TurnReleaseRow> {
  return statement(
    `with held as materialized (
       select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.cancel_requested_at, ${permits('release', 'm.status')} as released,
         m.attempt, ${releasesInARow('m', 'attempt')} as releases, clock_timestamp() as now
       from message m where ${FENCE} for no key update),
     released as (
       update message m set leased = false, lease_token_hash = null, lease_expires_at = null, worker_id = null, boot_id = null,
         claim_request_key = null, resting = true, rests_until = h.now + ${restAfter('h.releases')},
         release_streak = h.releases, released_attempt = h.attempt
       from held h where h.released and m.organization_id = h.organization_id and m.id = h.id),
     freed as materialized (select from held h where h.released),
     ${requeueHeldBack('$1', 'freed')}
     select h.chat_id as "chatId", h.released, h.status, h.revision, h.cancel_requested_at is not null as "cancelRequested",
       ${hasWaitingTurns('$1::uuid')} as "hasWaitingTurns"
     from held h`,
    organizationId,
    turnId,
    tokenHash,
  );
}
