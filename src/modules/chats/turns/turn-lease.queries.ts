import { columns, type Placed, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed, outageThatEnds, releasesInARow, restAfter } from '../../../kernel/leases/index.ts';
import { type MessageStatus, turnMoves } from '../messages/message.state.ts';
import { textOrNull, updateChatOfTurn } from './turn-chat.queries.ts';
import { CAPABILITY_TIME, LEASE_TIME } from './turn-claim.queries.ts';
import { hasWaitingTurns, requeueHeldBack } from './turn-rests.queries.ts';
import type { TokenOfTurn } from './turn-tokens.service.ts';
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
export function isCancelOverdue(alias: string): Sql {
  return sql.raw(`(${alias}.status = 'cancelling'
      and ${alias}.cancel_requested_at <= clock_timestamp() - interval '${TURN.cancelGraceSeconds} seconds')`);
}

/**
 * Condition of a turn, of an alias and found by its key, that its holder may still move; the sweep takes held turns
 * beyond it. The cast keeps the index of leased turns from answering, which would be walked for the whole organization.
 */
export function isHeld(alias: string): Sql {
  const unlapsed = isUnlapsed('turn', `${alias}.lease_expires_at`);
  return sql`${sql.raw(alias)}.leased::int = 1 and ${unlapsed} and not ${isCancelOverdue(alias)}`;
}

const IS_HELD = isHeld('m');

/**
 * Turns of the calls `c` that share a transaction, each behind its fence, as `message m`; found by key alone, and none
 * in an organization that is being deleted or onboarded.
 */
export const FENCED_TURNS = sql`message m on m.organization_id = c.organization_id and m.id = c.turn_id
        and m.lease_token_hash = c.token_hash and ${IS_HELD}
      join organization o on o.id = m.organization_id and o.status = 'active'`;

/** Organizations, turns and token hashes of calls, as arrays for `unnest`. */
export function fenceArrays(calls: readonly TurnFence[]): Sql {
  return sql`${calls.map(({ organizationId }) => organizationId)}::uuid[], ${calls.map(({ turnId }) => turnId)}::uuid[],
        ${calls.map(({ tokenHash }) => tokenHash)}::bytea[]`;
}

/** The fence of a call that is alone, inside its organization, of `message m`. */
function isFenced({ organizationId, turnId, tokenHash }: TurnFence): Sql {
  return sql`m.organization_id = ${organizationId} and m.id = ${turnId} and m.lease_token_hash = ${tokenHash}
        and ${IS_HELD}`;
}

/** The state of a turn after a call. */
export interface TurnStateRow {
  readonly chatId: string;
  readonly status: MessageStatus;
  readonly revision: number;
  readonly cancelRequested: boolean;
}

export interface TurnHeartbeatRow
  extends Placed, Omit<TurnStateRow, 'chatId'>, Omit<TokenOfTurn, 'organizationId' | 'turnId'> {
  readonly leaseExpiresAt: string;
  /** Whether a new capability is due. */
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

/**
 * Renews leases, and capabilities of which less than half is left. Writes the turns' rows alone, in place: none of the
 * columns is in an index. No row is a lapsed lease. With the role two statements, one round trip, one commit, for all
 * that arrive together.
 */
export function renewTurnLeases(calls: readonly TurnFence[]): Statement<TurnHeartbeatRow> {
  return sql`
    with held as materialized (
      select c.place, m.organization_id, m.id,
        m.capability_expires_at < clock_timestamp() + ${CAPABILITY_TIME} / 2 as due
      from unnest(${fenceArrays(calls)}) with ordinality c(organization_id, turn_id, token_hash, place)
      join ${FENCED_TURNS}
      order by m.organization_id, m.id for no key update of m)
    update message m set heartbeat_at = clock_timestamp(), lease_expires_at = clock_timestamp() + ${LEASE_TIME},
      capability_expires_at = case when h.due then clock_timestamp() + ${CAPABILITY_TIME}
                                   else m.capability_expires_at end
    from held h, agent_profile p
    where m.organization_id = h.organization_id and m.id = h.id
      and p.organization_id = h.organization_id and p.id = m.agent_profile_id
    returning ${heartbeatColumns}`;
}

/** Extends the leases of turns that would lapse over the outage that this transaction's note ends, as those of runs. */
export function extendTurnLeases(): Statement {
  return sql`
    with outage as materialized (${outageThatEnds('turn')}),
    held as materialized (
      select m.organization_id, m.id, clock_timestamp() as now, clock_timestamp() + outage.period as until
      from outage join message m on m.leased and m.lease_expires_at > outage.since
        and m.lease_expires_at < clock_timestamp() + outage.period
      order by m.organization_id, m.id for no key update of m)
    update message m set lease_expires_at = h.until, heartbeat_at = h.now
    from held h where m.organization_id = h.organization_id and m.id = h.id
    returning 1`;
}

/** Lapses the leases of a profile's turns, so that none of their calls passes and the sweep ends them. */
export function lapseTurnLeases(organizationId: string, agentProfileId: string): Statement {
  // No outage began so early, so none extends the lease.
  return sql`
    update message m set lease_expires_at = 'epoch'
    where m.organization_id = ${organizationId} and m.agent_profile_id = ${agentProfileId} and m.leased`;
}

export interface Workplace {
  readonly harness: string;
  readonly model: string;
  readonly harnessSessionId?: string;
}

export interface TurnRunningRow extends TurnStateRow {
  /** Whether it runs nowhere else. */
  readonly accepted: boolean;
  /** Whether this call noted it first. */
  readonly noted: boolean;
}

const RUNNING_STATUS = sql.raw(turnMoves.moved('running', 'm.status'));

/**
 * Notes that a turn is running, and where; the chat, which was locked before, keeps the session unless the
 * organization's epoch has advanced since the claim. No row is a lapsed lease. With the chat's lock and the way in four
 * statements, one round trip, one commit.
 */
export function markTurnRunning(
  fence: TurnFence,
  { harness, model, harnessSessionId }: Workplace,
): Statement<TurnRunningRow> {
  const session = { title: sql`null::text`, summary: sql`null::text`, session: textOrNull(harnessSessionId) };
  return sql`
    -- The turn behind its fence, and whether it runs already, here or elsewhere.
    with held as materialized (
      select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.authorization_epoch, m.cancel_requested_at,
        m.harness is null as noted, m.harness is null or (m.harness, m.model) = (${harness}, ${model}) as accepted
      from message m where ${isFenced(fence)} for no key update),
    -- The first call alone moves it.
    moved as (
      update message m set status = ${RUNNING_STATUS}, attempt = m.attempt + (m.status = 'pending')::int,
        harness = ${harness}, model = ${model}, revision = m.revision + 1, updated_at = clock_timestamp()
      from held h where h.noted and m.organization_id = h.organization_id and m.id = h.id
      returning m.status, m.revision),
    kept as (${updateChatOfTurn(sql`held`, session)})
    select h.chat_id as "chatId", h.accepted, h.noted, coalesce(moved.status, h.status) as status,
      coalesce(moved.revision, h.revision) as revision, h.cancel_requested_at is not null as "cancelRequested"
    from held h left join moved on true`;
}

export interface TurnReleaseRow extends TurnStateRow {
  readonly released: boolean;
  /** Whether the organization has turns that wait, perhaps for the place of this one. */
  readonly hasWaitingTurns: boolean;
}

const MAY_RELEASE = sql.raw(turnMoves.permits('release', 'm.status'));
const RELEASES = releasesInARow('m', 'attempt');
const REST = restAfter('h.releases');

/**
 * Releases a turn that has not begun to stream; it rests, longer with each release in a row. No row is a lapsed lease.
 * With the way in three statements, one round trip, one commit.
 */
export function releaseTurn(fence: TurnFence): Statement<TurnReleaseRow> {
  const organization = sql.shared(sql`${fence.organizationId}::uuid`);
  return sql`
    -- The turn behind its fence.
    with held as materialized (
      select m.organization_id, m.id, m.chat_id, m.status, m.revision, m.cancel_requested_at,
        ${MAY_RELEASE} as released, m.attempt, ${RELEASES} as releases, clock_timestamp() as now
      from message m where ${isFenced(fence)} for no key update),
    -- Rests from now on; its place goes to a turn that was held back.
    released as (
      update message m set leased = false, lease_token_hash = null, former_token_hash = m.lease_token_hash,
        lease_expires_at = null, worker_id = null,
        boot_id = null, claim_request_key = null, resting = true, rests_until = h.now + ${REST},
        release_streak = h.releases, released_attempt = h.attempt
      from held h where h.released and m.organization_id = h.organization_id and m.id = h.id),
    freed as materialized (select from held h where h.released),
    ${requeueHeldBack(organization, 'freed')}
    select h.chat_id as "chatId", h.released, h.status, h.revision,
      h.cancel_requested_at is not null as "cancelRequested", ${hasWaitingTurns(organization)} as "hasWaitingTurns"
    from held h`;
}
