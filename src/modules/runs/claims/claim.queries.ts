import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isUnlapsed, MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { runRequestMoves } from '../../tasks/index.ts';
import { markServed, organizationLine } from './claim-lines.queries.ts';
import {
  ANY_READY,
  bestReady,
  firstReady,
  isContended,
  ORGANIZATION_PLACES,
  type Pick,
  profilePlaces,
  QUEUE_ORDER,
} from './claim-queues.queries.ts';

/** The worker of a claim, the length of its lease, and the work that it takes. */
export interface Claim {
  readonly workerId: string;
  readonly bootId: string;
  readonly requestKey: string | null;
  readonly leaseSeconds: number;
  readonly organizationIds: readonly string[] | null;
  readonly profileKeys: readonly string[] | null;
  readonly modes: readonly string[] | null;
  readonly executionClasses: readonly string[] | null;
}

/** The number of requests that one more round may take of an organization. */
export interface Quota {
  readonly organizationId: string;
  readonly items: number;
}

export interface ClaimedRow {
  /** The place of its token in the list, from 1. */
  readonly place: number;
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly taskId: string;
  readonly agentProfileId: string;
  readonly mode: string;
  readonly priority: number;
  readonly claimExpiresAt: string;
}

/** The one row of a claim that took nothing: whether other claims were taking what it found. */
export interface NothingClaimed {
  readonly place: null;
  readonly contended: boolean;
}

const returned = columns<ClaimedRow>({
  place: 'picked.place',
  organizationId: 'r.organization_id',
  runRequestId: 'r.id',
  taskId: 'r.task_id',
  agentProfileId: 'r.agent_profile_id',
  mode: 'r.mode',
  priority: 'r.priority',
  claimExpiresAt: 'r.claim_expires_at',
});

const HELD = sql`${sql.raw(runRequestMoves.permits('claimAgain', 'status'))}
      and ${isUnlapsed('claim', 'claim_expires_at')}`;

/** Condition of requests that a worker holds under the key of a claim. */
function heldUnderKey(workerId: Sql, requestKey: Sql): Sql {
  return sql`${HELD} and worker_id = ${workerId} and claim_request_key = ${requestKey}`;
}

/** Serializes the repeats of one claim. */
export function lockRequestKey(workerId: string, requestKey: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended(${workerId}::text || ' ' || ${requestKey}::text, 1))`;
}

/** Gives the items of an earlier answer, as far as they are still claimed, new tokens. */
export function reissueClaims(claim: Claim, tokenHashes: readonly Buffer[]): Statement<ClaimedRow> {
  return sql`
    update run_request r set claim_token_hash = picked.token_hash, former_token_hash = r.claim_token_hash, boot_id = ${claim.bootId},
      updated_at = clock_timestamp()
    from (select held.organization_id, held.id, row_number() over ()::int as place,
            (${tokenHashes}::bytea[])[row_number() over ()::int] as token_hash
          from (select r.organization_id, r.id from run_request r
                where ${heldUnderKey(sql.value(claim.workerId), sql.value(claim.requestKey))}
                order by ${QUEUE_ORDER.r} for no key update) held) picked
    where r.organization_id = picked.organization_id and r.id = picked.id
    returning ${returned}`;
}

const CLAIMED = sql.raw(runRequestMoves.moved('claim', 'r.status'));

/**
 * Takes ready work: of each organization, least recently served first, the head of its queue, one for each token.
 * `quotas` names the organizations of a further round and the number that each may give; the first round takes one of
 * each.
 *
 * Each profile's queue is one stretch of the index `run_request_queues`, and all of an organization's heads are found in one
 * step a profile. So a backlog of those that may not start is passed by in one step too, however long it is. (Measured
 * with 100,000 of a full profile: 0.4 ms of CPU; along one queue for all profiles 39 ms, for every claim.)
 * Rows that another claim holds are passed by; the next one behind them may then be handed out before the head of another
 * profile's queue that should precede it.
 *
 * Hands out no more than may start, claims that are not started yet included (`IS_OURS` says how claims at the same moment
 * keep to that).
 *
 * One statement, one round trip with its role (two statements), one commit; its plan is asserted in `claim-plan.test.ts`.
 * Takes nothing where the worker still holds items under its key.
 */
export function claimReady(
  claim: Claim,
  tokenHashes: readonly Buffer[],
  quotas: readonly Quota[] | undefined,
): Statement<ClaimedRow | NothingClaimed> {
  const worker = sql.value(claim.workerId);
  const key = sql.value(claim.requestKey);
  const ofModes = valuesOf(claim.modes);
  const ofClasses = valuesOf(claim.executionClasses);
  const pick: Pick = {
    ready: {
      r: sql`${ANY_READY.r}${among(sql`r.mode`, ofModes)}${among(sql`r.execution_class`, ofClasses)}`,
      q: sql`${ANY_READY.q}${among(sql`q.mode`, ofModes)}${among(sql`q.execution_class`, ofClasses)}`,
    },
    places: profilePlaces(among(sql`p.key`, valuesOf(claim.profileKeys))),
  };
  // Of one each the statement that passes by all that others hold; several are looked for in a bounded part of a queue.
  const several = quotas?.some(({ items }) => items > 1) ?? false;
  const organizations = quotas
    ? sql`select d.organization_id, room.places, least(d.items, room.places) as items
            from unnest(${quotas.map(({ organizationId }) => organizationId)}::uuid[],
                ${quotas.map(({ items }) => items)}::int[])
              with ordinality d(organization_id, items, place)
            cross join lateral (${ORGANIZATION_PLACES}) room order by d.place`
    : organizationLine(
        claim,
        sql`(${key}::text is null or not exists (select from run_request where ${heldUnderKey(worker, key)}))`,
      );
  return sql`
    -- the requests, each with its token
    with picked as materialized (
      select taken.organization_id, taken.id, taken.agent_profile_id, taken.scarce, row_number() over ()::int as place,
        (${tokenHashes}::bytea[])[row_number() over ()::int] as token_hash
      from (
        select few.* from (
          select d.organization_id, head.id, head.agent_profile_id, head.scarce
          from (${organizations}) d
          cross join lateral (${several ? bestReady(pick) : firstReady(pick)}) head
          limit ${sql.raw(String(MAX_CLAIMS))}) few
        limit ${tokenHashes.length}::int) taken),
    -- their organizations and profiles, to the end of the line
    ${markServed(claim)},
    -- the claim
    claimed as (
      update run_request r set status = ${CLAIMED}, claimed_at = clock_timestamp(),
        claim_expires_at = clock_timestamp() + make_interval(secs => ${claim.leaseSeconds}::int),
        claim_token_hash = picked.token_hash, worker_id = ${worker}, boot_id = ${claim.bootId}, claim_request_key = ${key},
        updated_at = clock_timestamp()
      from picked
      where r.organization_id = picked.organization_id and r.id = picked.id
      returning ${returned})
    -- the answer
    select c.*, none.contended
    from (select not exists (select from picked)
            and exists (select from (${organizations}) d where ${isContended(pick)}) as contended) none
    left join claimed c on true`;
}

function valuesOf(list: readonly string[] | null): Sql | undefined {
  return list ? sql.value(list) : undefined;
}

/** One more condition on a column. None where all is wanted: one that is always true would mislead the planner. */
function among(column: Sql, list: Sql | undefined): Sql {
  return list ? sql` and ${column} = any(${list}::text[])` : NONE;
}
const NONE = sql``;
