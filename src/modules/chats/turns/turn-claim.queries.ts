import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import { TURN } from './turn.policy.ts';
import type { TokenOfTurn } from './turn-tokens.service.ts';

/** Who claims, and which turns. */
export interface TurnClaim {
  readonly workerId: string;
  readonly bootId: string;
  readonly requestKey: string | null;
  readonly organizationIds: readonly string[] | null;
  readonly profileKeys: readonly string[] | null;
}

/** One statement of a claim: where it goes on in the ring of organizations, and how many turns each may give. */
export interface TurnRound {
  /** The first round looks for turns of an earlier answer. */
  readonly first: boolean;
  readonly after: string;
  readonly perOrganization: number;
}

export interface ClaimedTurnRow extends TokenOfTurn {
  /** Which of the tokens it got, from 1. */
  readonly place: number;
  readonly chatId: string;
  readonly userMessageId: string;
  readonly leaseExpiresAt: string;
  /** Which attempt this one will be. */
  readonly attempt: number;
}

const returned = columns<ClaimedTurnRow>({
  place: 'picked.place',
  organizationId: 'm.organization_id',
  turnId: 'm.id',
  chatId: 'm.chat_id',
  userMessageId: 'm.reply_to_message_id',
  agentProfileId: 'm.agent_profile_id',
  profileKey: 'p.key',
  profileKind: 'p.kind',
  department: 'p.department',
  generation: 'm.generation',
  attempt: 'm.attempt + 1',
  leaseExpiresAt: 'm.lease_expires_at',
  capabilityExpiresAt: 'm.capability_expires_at',
});

export const LEASE_TIME = sql.raw(`interval '${TURN.leaseSeconds} seconds'`);
export const CAPABILITY_TIME = sql.raw(`interval '${CAPABILITY_SECONDS} seconds'`);
const MAX_LIVE = sql.raw(String(TURN.maxLive));

/** The condition of the index that claims walk, of an alias. */
export function isWaiting(alias: string): Sql {
  return sql.raw(`${alias}.status = 'pending' and not ${alias}.leased and not ${alias}.resting`);
}

const M_WAITS = isWaiting('m');
const W_WAITS = isWaiting('w');

/** Live turns of the organization of an alias. */
function liveTurnsOf(alias: string): Sql {
  return sql.raw(`(select count(*) from message l where l.organization_id = ${alias}.organization_id and l.leased)`);
}

/**
 * Whether any turn of the organization of an alias may be claimed: the organization is active, a chat profile is
 * enabled, and fewer turns are live than may be.
 */
export function organizationMayRunTurns(alias: string): Sql {
  const organizationId = sql.raw(`${alias}.organization_id`);
  return sql`(select true from organization o
    where o.id = ${organizationId} and o.status = 'active'
      and exists (select from agent_profile p where p.organization_id = ${organizationId} and p.kind = 'chat'
        and p.status = 'enabled' and p.deleted_at is null)
      and ${liveTurnsOf(alias)} < ${MAX_LIVE})`;
}

const LIVE_OF_LINE = liveTurnsOf('line');
const LIVE_OF_MINE = liveTurnsOf('mine');

const IS_UNBEGUN = sql`h.leased and h.status = 'pending' and ${isUnlapsed('turn', 'h.lease_expires_at')}`;

/** Turns `h` that an earlier answer to the same request key gave and whose worker has not begun them. */
function isHeldUnderKey(worker: string | Sql, key: string | Sql | null): Sql {
  return sql`${IS_UNBEGUN} and h.worker_id = ${worker} and h.claim_request_key = ${key}`;
}

/** Gives each turn its place, from 1, and the token of that place. */
function withTokens(turns: Sql, tokenHashes: readonly Buffer[]): Sql {
  return sql`
    select numbered.organization_id, numbered.id, numbered.place,
      (${tokenHashes}::bytea[])[numbered.place] as token_hash
    from (select turn.organization_id, turn.id, row_number() over ()::int as place from (${turns}) turn) numbered`;
}

/** Serializes the repeats of one claim. */
export function lockTurnRequestKey(workerId: string, requestKey: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('turns of ' || ${workerId} || ' ' || ${requestKey}, 1))`;
}

/** Gives the turns of an earlier answer new tokens, as far as their worker has not begun them. */
export function reissueTurnClaims(claim: TurnClaim, tokenHashes: readonly Buffer[]): Statement<ClaimedTurnRow> {
  const held = sql`
    select h.organization_id, h.id from message h where ${isHeldUnderKey(claim.workerId, claim.requestKey)}
    order by h.created_at, h.id for no key update`;
  return sql`
    update message m set lease_token_hash = picked.token_hash, former_token_hash = m.lease_token_hash, boot_id = ${claim.bootId},
      capability_expires_at = clock_timestamp() + ${CAPABILITY_TIME}
    from (${withTokens(held, tokenHashes)}) picked, agent_profile p
    where m.organization_id = picked.organization_id and m.id = picked.id
      and p.organization_id = m.organization_id and p.id = m.agent_profile_id
    returning ${returned}`;
}

/**
 * Claims turns that wait, the oldest of each organization first, with what follows it (below) and the role in four
 * statements, one round trip, one commit.
 *
 * Organizations are taken in a ring, from behind the one that this process served last, so that an organization with
 * many turns does not hold up the others; the walk goes along the index of waiting turns only as far as needed, and so
 * does the walk of each organization's queue (`turn-plans.test.ts`). A claim passes over turns that another claim
 * holds, and over organizations that have as many live turns as they may or whose chat profile is disabled. The first
 * round takes nothing where the worker still holds turns under its key.
 */
export function claimTurns(
  claim: TurnClaim,
  tokenHashes: readonly Buffer[],
  { first, after, perOrganization }: TurnRound,
): Statement<ClaimedTurnRow> {
  const worker = sql.value(claim.workerId);
  const key = sql.value(claim.requestKey);
  const keys = sql.value(claim.profileKeys);
  const { walks, line } = organizationRing(claim.organizationIds, sql.value(after));
  const waiting = sql`
    select head.organization_id, head.id
    -- Organizations in the order of the ring.
    from (select line.organization_id from (${line}) line
          where ${first ? sql`false` : sql`true`} or ${key}::text is null
            or not exists (select from message h where ${isHeldUnderKey(worker, key)})) line
    -- Its enabled chat profiles, and how many turns it may give.
    cross join lateral (
      select array_agg(p.id) as profiles, least(${perOrganization}::int, ${MAX_LIVE} - ${LIVE_OF_LINE}) as items
      from organization o join agent_profile p on p.organization_id = o.id and p.kind = 'chat'
        and p.status = 'enabled' and p.deleted_at is null and (${keys}::text[] is null or p.key = any(${keys}::text[]))
      where o.id = line.organization_id and o.status = 'active'
      having count(*) > 0) able
    -- Its oldest waiting turns.
    cross join lateral (
      select m.organization_id, m.id from message m
      where m.organization_id = line.organization_id and ${M_WAITS} and m.agent_profile_id = any(able.profiles)
      order by m.created_at, m.id
      limit greatest(able.items, 0)
      for no key update skip locked) head
    limit ${tokenHashes.length}::int`;
  return sql`
    with recursive ${walks}
    clock as materialized (select clock_timestamp() as now),
    picked as materialized (${withTokens(waiting, tokenHashes)})
    update message m set leased = true, lease_token_hash = picked.token_hash,
      former_token_hash = coalesce(m.lease_token_hash, m.former_token_hash),
      lease_expires_at = clock.now + ${LEASE_TIME}, heartbeat_at = clock.now,
      capability_expires_at = clock.now + ${CAPABILITY_TIME}, worker_id = ${worker}, boot_id = ${claim.bootId},
      claim_request_key = ${key}, first_claimed_at = coalesce(m.first_claimed_at, clock.now),
      generation = m.generation + 1, authorization_epoch = o.authorization_epoch, catalog_revision = p.catalog_revision,
      final_digest = null, final_answer = null
    from picked cross join clock, organization o, agent_profile p
    where m.organization_id = picked.organization_id and m.id = picked.id and o.id = m.organization_id
      and p.organization_id = m.organization_id and p.id = m.agent_profile_id
    returning ${returned}`;
}

/**
 * The organizations that a claim asks, in the order of the ring: those that it names, else all that have turns waiting.
 */
function organizationRing(organizationIds: readonly string[] | null, after: Sql): { walks: Sql; line: Sql } {
  if (organizationIds)
    return {
      walks: sql``,
      line: sql`
        select id as organization_id from unnest(${organizationIds}::uuid[]) id order by id <= ${after}::uuid, id`,
    };
  return {
    walks: sql`
      -- The ring, organization by organization along the index: from behind the last one served, then from the start.
      ${walk('ahead', sql`and w.organization_id > ${after}::uuid`, sql`ahead.organization_id is not null`)}
      ${walk('behind', sql``, sql`behind.organization_id < ${after}::uuid`)}`,
    line: sql`
      select organization_id from ahead where organization_id is not null
      union all select organization_id from behind where organization_id <= ${after}::uuid`,
  };
}

/** A recursive CTE of organizations with turns that wait, `first` narrowing the first one, as long as `more` holds. */
function walk(name: string, first: Sql, more: Sql): Sql {
  const walked = sql.raw(name);
  return sql`${walked}(organization_id) as (
        (${nextWaiting(first)})
        union all
        select (${nextWaiting(sql`and w.organization_id > ${walked}.organization_id`)}) from ${walked} where ${more}),`;
}

function nextWaiting(narrowed: Sql): Sql {
  return sql`select w.organization_id from message w where ${W_WAITS} ${narrowed}
         order by w.organization_id limit 1`;
}

/**
 * Follows a claim in its transaction: two claims that met in an organization have each counted without the other. Under
 * a lock of the organization's own, and with the snapshot of a later statement, the second one returns its surplus;
 * answers the ids of those turns.
 */
export function returnSurplusClaims(
  workerId: string,
  tokenHashes: readonly Buffer[],
): [Statement, Statement<{ id: string }>] {
  const mine = sql`message m
    where m.leased and m.worker_id = ${workerId} and m.lease_token_hash = any(${tokenHashes}::bytea[])`;
  return [
    sql`
      select pg_advisory_xact_lock(hashtextextended('chat turns ' || taken.organization_id, 0))
      from (select distinct m.organization_id from ${mine} order by m.organization_id) taken`,
    sql`
      with mine as materialized (
        select m.organization_id, m.id,
          row_number() over (partition by m.organization_id order by m.created_at desc, m.id desc) as from_last
        from ${mine})
      update message m set leased = false, lease_token_hash = null, lease_expires_at = null, worker_id = null,
        boot_id = null, claim_request_key = null, first_claimed_at = nullif(m.first_claimed_at, m.heartbeat_at)
      from mine
      where m.organization_id = mine.organization_id and m.id = mine.id
        and mine.from_last <= ${LIVE_OF_MINE} - ${MAX_LIVE}
      returning m.id`,
  ];
}
