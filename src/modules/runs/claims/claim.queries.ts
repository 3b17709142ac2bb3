import { columns, type Statement, statement, Values } from '../../../kernel/database/index.ts';
import { isUnlapsed, MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { isClaimable, runRequestMoves } from '../../tasks/index.ts';
import { organizationLine, markServed } from './claim-lines.ts';
import { bestReady, firstReady, inQueueOrder, mayStart } from './claim-queues.ts';

/** Whose claim, for how long, and which work it takes. */
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

/** How many requests one more round may take of an organization. */
export interface Quota {
  readonly organizationId: string;
  readonly items: number;
}

export interface ClaimedRow {
  /** Which of the tokens it got, from 1. */
  readonly place: number;
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly taskId: string;
  readonly agentProfileId: string;
  readonly mode: string;
  readonly priority: number;
  readonly claimExpiresAt: string;
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

const HELD_UNDER_KEY = `${runRequestMoves.permits('claimAgain', 'status')} and worker_id = $2 and claim_request_key = $4
  and ${isUnlapsed('claim', 'claim_expires_at')}`;

/** Serializes the repeats of one claim. */
export function lockRequestKey(workerId: string, requestKey: string): Statement {
  return statement(
    `select pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 1))`,
    workerId,
    requestKey,
  );
}

/** Gives the items of an earlier answer, as far as they are still claimed, new tokens. */
export function reissueClaims(claim: Claim, tokenHashes: readonly Buffer[]): Statement<ClaimedRow> {
  return statement(
    `update run_request r set claim_token_hash = ($1::bytea[])[picked.place], boot_id = $3, updated_at = clock_timestamp()
     from (select held.organization_id, held.id, row_number() over ()::int as place
           from (select r.organization_id, r.id from run_request r where ${HELD_UNDER_KEY} order by ${inQueueOrder('r')} for no key update) held) picked
     where r.organization_id = picked.organization_id and r.id = picked.id
     returning ${returned}`,
    tokenHashes,
    claim.workerId,
    claim.bootId,
    claim.requestKey,
  );
}

/**
 * Takes ready work: of each organization, least recently served first, the head of its queue, until there are as many as
 * tokens. `quotas` names the organizations of a further round and how much each may give; the first takes one of each.
 *
 * Each profile's queue is one stretch of the index `run_request_queues`, and all of an organization's heads are found in one
 * step a profile. So a backlog of those that may not start is passed by in one step too, however long it is. (Measured
 * with 100,000 of a full profile: 0.4 ms of CPU; along one queue for all profiles 39 ms, for every claim of everybody.)
 * Rows that another claim holds are passed by; the next one behind them may then be handed out before the head of another
 * profile's queue that should precede it.
 *
 * One statement, one round trip with its role (two statements), one commit; its plan is asserted in `claim-plan.test.ts`.
 * Takes nothing where the worker still holds items under its key.
 */
export function claimReady(
  claim: Claim,
  tokenHashes: readonly Buffer[],
  quotas: readonly Quota[] | undefined,
): Statement<ClaimedRow> {
  const values = new Values();
  const hashes = values.add(tokenHashes);
  const worker = values.add(claim.workerId);
  const boot = values.add(claim.bootId);
  const key = values.add(claim.requestKey);
  const organizations = quotas
    ? `select s.organization_id, s.items
       from unnest(${values.add(quotas.map(({ organizationId }) => organizationId))}::uuid[], ${values.add(quotas.map(({ items }) => items))}::int[])
         with ordinality s(organization_id, items, place) order by s.place`
    : organizationLine(
        claim,
        `(${key}::text is null or not exists (select from run_request where ${HELD_UNDER_KEY}))`,
        values,
      );
  const ofModes = among(values, claim.modes, 'text');
  const ofClasses = among(values, claim.executionClasses, 'text');
  const ready = (requests: string) =>
    `${requests}.organization_id = d.organization_id and ${isClaimable(requests)}
     ${ofModes(`${requests}.mode`)} ${ofClasses(`${requests}.execution_class`)}`;
  // Of one each the statement that passes by however many others hold; several are looked for in a bounded part of a queue.
  const several = quotas?.some(({ items }) => items > 1) ?? false;
  const able = mayStart(among(values, claim.profileKeys, 'text')('p.key'));
  const text = `with picked as materialized (
       select taken.organization_id, taken.id, taken.agent_profile_id, row_number() over ()::int as place
       from (
         select few.* from (
           select d.organization_id, head.id, head.agent_profile_id
           from (${organizations}) d
           cross join lateral (${several ? bestReady(ready, able) : firstReady(ready, able)}) head
           limit ${MAX_CLAIMS}) few
         limit ${values.add(tokenHashes.length)}::int) taken),
     ${markServed(claim)}
     update run_request r set status = ${runRequestMoves.moved('claim', 'r.status')}, claimed_at = clock_timestamp(),
       claim_expires_at = clock_timestamp() + make_interval(secs => ${values.add(claim.leaseSeconds)}::int),
       claim_token_hash = (${hashes}::bytea[])[picked.place], worker_id = ${worker}, boot_id = ${boot}, claim_request_key = ${key},
       updated_at = clock_timestamp()
     from picked
     where r.organization_id = picked.organization_id and r.id = picked.id
     returning ${returned}`;
  return statement(text, ...values.list);
}

/** A condition on a column. None where everything is wanted: one that is always true would mislead the planner. */
function among(values: Values, list: readonly string[] | null, type: 'uuid' | 'text'): (column: string) => string {
  if (!list) return () => '';
  const placeholder = values.add(list);
  return (column) => `and ${column} = any(${placeholder}::${type}[])`;
}
