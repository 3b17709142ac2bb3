import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { columns, type Statement, statement, Values } from '../../../kernel/database/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import { TURN } from './turn.policy.ts';
import type { TokenOfTurn } from './turn-tokens.service.ts';

/** Whose claim, and which turns it takes. */
export interface TurnClaim {
  readonly workerId: string;
  readonly bootId: string;
  readonly requestKey: string | null;
  readonly organizationIds: readonly string[] | null;
  readonly profileKeys: readonly string[] | null;
}

/** One statement of a claim: where it goes on in the ring of organizations, and how much each may give. */
export interface TurnRound {
  /** The first looks for turns of an earlier answer. */
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

/** The condition of the index that claims walk, of an alias. */
export function isWaiting(alias: string): string {
  return `${alias}.status = 'pending' and not ${alias}.leased and not ${alias}.resting`;
}

/** Live turns of the organization of an alias. */
function liveTurnsOf(alias: string): string {
  return `(select count(*) from message l where l.organization_id = ${alias}.organization_id and l.leased)`;
}

/**
 * Whether anything of the organization of an alias may be claimed at all: it is active, somebody is enabled to answer, and
 * fewer are live than may be.
 */
export function organizationMayRunTurns(alias: string): string {
  return `(select true from organization o
    where o.id = ${alias}.organization_id and o.status = 'active'
      and exists (select from agent_profile p where p.organization_id = ${alias}.organization_id and p.kind = 'chat'
        and p.status = 'enabled' and p.deleted_at is null)
      and ${liveTurnsOf(alias)} < ${TURN.maxLive})`;
}

/** Turns that an earlier answer to the same request key gave and whose worker has not begun them. */
function isHeldUnderKey(alias: string, worker: string, key: string): string {
  return `${alias}.leased and ${alias}.worker_id = ${worker} and ${alias}.claim_request_key = ${key}
    and ${alias}.status = 'pending' and ${isUnlapsed('turn', `${alias}.lease_expires_at`)}`;
}

/** Serializes the repeats of one claim. */
export function lockTurnRequestKey(workerId: string, requestKey: string): Statement {
  return statement(
    `select pg_advisory_xact_lock(hashtextextended('turns of ' || $1 || ' ' || $2, 1))`,
    workerId,
    requestKey,
  );
}

/** Gives the turns of an earlier answer new tokens, as far as their worker has not begun them. */
export function reissueTurnClaims(claim: TurnClaim, tokenHashes: readonly Buffer[]): Statement<ClaimedTurnRow> {
  return statement(
    `update message m set lease_token_hash = ($1::bytea[])[picked.place], boot_id = $3,
       capability_expires_at = clock_timestamp() + interval '${CAPABILITY_SECONDS} seconds'
     from (select held.organization_id, held.id, row_number() over ()::int as place
           from (select h.organization_id, h.id from message h where ${isHeldUnderKey('h', '$2', '$4')}
                 order by h.created_at, h.id for no key update) held) picked, agent_profile p
     where m.organization_id = picked.organization_id and m.id = picked.id
       and p.organization_id = m.organization_id and p.id = m.agent_profile_id
     returning ${returned}`,
    tokenHashes,
    claim.workerId,
    claim.bootId,
    claim.requestKey,
  );
}

/**
 * Takes turns that wait, the oldest of each organization first. Organizations are taken in a ring, from behind the one that
 * this process served last, so that each has its turn however many another one has; they are walked along the index of
 * waiting turns only as far as needed, and so is each one's queue (`turn-plans.test.ts`). Turns that another claim holds
 * are passed by, and so are organizations with as many live ones as may be, and those whose chat profile is disabled.
 * The first round takes nothing where the worker still holds turns under its key.
 *
 * With what follows it (below) and the role four statements, one round trip, one commit.
 */
export function claimTurns(
  claim: TurnClaim,
  tokenHashes: readonly Buffer[],
  { first, after, perOrganization }: TurnRound,
): Statement<ClaimedTurnRow> {
  const values = new Values();
  const hashes = values.add(tokenHashes);
  const worker = values.add(claim.workerId);
  const boot = values.add(claim.bootId);
  const key = values.add(claim.requestKey);
  const keys = values.add(claim.profileKeys);
  const per = values.add(perOrganization);
  const { walks, line } = organizationRing(claim, values.add(after), values);
  const text = `with recursive ${walks}
     clock as materialized (select clock_timestamp() as now),
     picked as materialized (
       select taken.organization_id, taken.id, row_number() over ()::int as place
       from (
         select head.organization_id, head.id
         from (select line.organization_id from (${line}) line
               where ${!first} or ${key}::text is null
                 or not exists (select from message h where ${isHeldUnderKey('h', worker, key)})) line
         cross join lateral (
           select array_agg(p.id) as profiles, least(${per}::int, ${TURN.maxLive} - ${liveTurnsOf('line')}) as items
           from organization o join agent_profile p on p.organization_id = o.id and p.kind = 'chat'
             and p.status = 'enabled' and p.deleted_at is null and (${keys}::text[] is null or p.key = any(${keys}::text[]))
           where o.id = line.organization_id and o.status = 'active'
           having count(*) > 0) able
         cross join lateral (
           select m.organization_id, m.id from message m
           where m.organization_id = line.organization_id and ${isWaiting('m')} and m.agent_profile_id = any(able.profiles)
           order by m.created_at, m.id
           limit greatest(able.items, 0)
           for no key update skip locked) head
         limit ${values.add(tokenHashes.length)}::int) taken)
     update message m set leased = true, lease_token_hash = (${hashes}::bytea[])[picked.place],
       lease_expires_at = clock.now + interval '${TURN.leaseSeconds} seconds', heartbeat_at = clock.now,
       capability_expires_at = clock.now + interval '${CAPABILITY_SECONDS} seconds', worker_id = ${worker}, boot_id = ${boot},
       claim_request_key = ${key}, first_claimed_at = coalesce(m.first_claimed_at, clock.now), generation = m.generation + 1,
       authorization_epoch = o.authorization_epoch, catalog_revision = p.catalog_revision, final_digest = null,
       final_answer = null
     from picked cross join clock, organization o, agent_profile p
     where m.organization_id = picked.organization_id and m.id = picked.id and o.id = m.organization_id
       and p.organization_id = m.organization_id and p.id = m.agent_profile_id
     returning ${returned}`;
  return statement(text, ...values.list);
}

/** The organizations that a claim asks, in the order of the ring; all that have turns waiting unless it names some. */
function organizationRing(
  { organizationIds }: TurnClaim,
  after: string,
  values: Values,
): { walks: string; line: string } {
  if (organizationIds)
    return {
      walks: '',
      line: `select id as organization_id from unnest(${values.add(organizationIds)}::uuid[]) id order by id <= ${after}::uuid, id`,
    };
  const next = (behind: string) =>
    `select w.organization_id from message w where ${isWaiting('w')} ${behind} order by w.organization_id limit 1`;
  const walk = (name: string, first: string, until: string) =>
    `${name}(organization_id) as (
       (${next(first)})
       union all
       select (${next(`and w.organization_id > ${name}.organization_id`)}) from ${name} where ${until}),`;
  return {
    walks: `${walk('ahead', `and w.organization_id > ${after}::uuid`, 'ahead.organization_id is not null')}
      ${walk('behind', '', `behind.organization_id < ${after}::uuid`)}`,
    line: `select organization_id from ahead where organization_id is not null
      union all select organization_id from behind where organization_id <= ${after}::uuid`,
  };
}

/**
 * What follows a claim in its transaction: two claims that met in an organization have both counted without each other.
 * Under a lock of the organization's own, and with the snapshot of a later statement, the second one gives back what is too
 * much; answers the ids of it.
 */
export function returnSurplusClaims(
  workerId: string,
  tokenHashes: readonly Buffer[],
): [Statement, Statement<{ id: string }>] {
  const mine = `message m where m.leased and m.worker_id = $1 and m.lease_token_hash = any($2::bytea[])`;
  return [
    statement(
      `select pg_advisory_xact_lock(hashtextextended('chat turns ' || taken.organization_id, 0))
       from (select distinct m.organization_id from ${mine} order by m.organization_id) taken`,
      workerId,
      tokenHashes,
    ),
    statement(
      `with mine as materialized (
         select m.organization_id, m.id,
           row_number() over (partition by m.organization_id order by m.created_at desc, m.id desc) as from_last
         from ${mine})
       update message m set leased = false, lease_token_hash = null, lease_expires_at = null, worker_id = null, boot_id = null,
         claim_request_key = null, first_claimed_at = nullif(m.first_claimed_at, m.heartbeat_at)
       from mine
       where m.organization_id = mine.organization_id and m.id = mine.id
         and mine.from_last <= ${liveTurnsOf('mine')} - ${TURN.maxLive}
       returning m.id`,
      workerId,
      tokenHashes,
    ),
  ];
}
