import { type Statement, statement } from '../../kernel/database/index.ts';
import { isLiveRun } from '../runs/index.ts';
import { joinLines, runRequestMoves, UNCLAIMED } from '../tasks/index.ts';

export interface RecoveredClaim {
  readonly organizationId: string;
  readonly id: string;
}

/** Gives back what a worker claimed under another boot and was silent about since; hints at it. */
export function releaseClaims(workerId: string, bootId: string, silenceMs: number): Statement<RecoveredClaim> {
  return statement(
    `with held as (
       select q.organization_id, q.id from run_request q
       where ${runRequestMoves.permits('giveBack', 'q.status')} and q.worker_id = $1 and q.boot_id is distinct from $2::uuid
         and q.claimed_at <= clock_timestamp() - $3::int * interval '1 millisecond'
       order by q.organization_id, q.id for no key update skip locked),
     given_back as (
       update run_request q set status = ${runRequestMoves.moved('giveBack', 'q.status')}, ${UNCLAIMED}, updated_at = clock_timestamp()
       from held where q.organization_id = held.organization_id and q.id = held.id
       returning q.organization_id, q.agent_profile_id, q.id),
     ${joinLines('given_back')}
     select g.organization_id as "organizationId", g.id from given_back g`,
    workerId,
    bootId,
    silenceMs,
  );
}

export interface RunOfOtherBoot {
  readonly organizationId: string;
  readonly id: string;
  /** Until it may be given up; zero or less when it may be now. */
  readonly freshMs: number;
}

/** Live runs of a worker's other boots. */
export function runsOfOtherBoots(workerId: string, bootId: string, silenceMs: number): Statement<RunOfOtherBoot> {
  return statement(
    `select r.organization_id as "organizationId", r.id,
       (extract(epoch from r.heartbeat_at - clock_timestamp()) * 1000 + $3::int)::int as "freshMs"
     from run r join organization o on o.id = r.organization_id
     where ${isLiveRun('r.status')} and r.worker_id = $1 and r.boot_id is distinct from $2::uuid
       and o.status = 'active'`,
    workerId,
    bootId,
    silenceMs,
  );
}

/** How long the last of the claims that were too fresh to be given back stays so. */
export function freshestClaim(
  workerId: string,
  bootId: string,
  silenceMs: number,
): Statement<{ freshMs: number | null }> {
  return statement(
    `select max(extract(epoch from q.claimed_at - clock_timestamp()) * 1000 + $3::int)::int as "freshMs"
     from run_request q where ${runRequestMoves.permits('giveBack', 'q.status')} and q.worker_id = $1 and q.boot_id is distinct from $2::uuid`,
    workerId,
    bootId,
    silenceMs,
  );
}
