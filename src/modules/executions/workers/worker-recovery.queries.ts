import { sql, type Sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { isLiveRun } from '../../runs/index.ts';
import {
  joinLines,
  logRequeued,
  rejoinOtherProfiles,
  type RequeuedRequest,
  runRequestMoves,
  UNCLAIMED,
} from '../../tasks/index.ts';

const IS_CLAIMED = sql.raw(runRequestMoves.permits('giveBack', 'q.status'));

/** Gives back what a worker claimed under another boot and was silent about since; hints at it. */
export function releaseClaims(workerId: string, bootId: string, silenceMs: number): Statement<RequeuedRequest> {
  const released = sql<RequeuedRequest>`
    with held as (
      select q.organization_id, q.id from run_request q
      where ${IS_CLAIMED} and ${isOfOtherBoot(sql`q`, workerId, bootId)}
        and q.claimed_at <= clock_timestamp() - ${silenceMs}::int * interval '1 millisecond'
      order by q.organization_id, q.id for no key update skip locked),
    given_back as (
      update run_request q
      set status = ${sql.raw(runRequestMoves.moved('giveBack', 'q.status'))}, ${UNCLAIMED},
          updated_at = clock_timestamp()
      from held where q.organization_id = held.organization_id and q.id = held.id
      returning q.organization_id, q.agent_profile_id, q.id, q.task_id),
    -- their organizations and profiles go back into line, and others for the places that are free
    ${joinLines(sql`given_back`)},
    ${rejoinOtherProfiles(sql`given_back`)}
    select g.organization_id as "organizationId", g.id, g.task_id as "taskId", ${workerId}::text as "workerId"
    from given_back g`;
  return withAfterCommit(released, (claims) => logRequeued(claims, 'recovered'));
}

/** Condition of what an alias holds for another boot of a worker. */
function isOfOtherBoot(of: Sql, workerId: string, bootId: string): Sql {
  return sql`${of}.worker_id = ${workerId} and ${of}.boot_id is distinct from ${bootId}::uuid`;
}

export interface RunOfOtherBoot {
  readonly organizationId: string;
  readonly id: string;
  /** Until it may be given up; zero or less when it may be now. */
  readonly freshMs: number;
}

/** Live runs of a worker's other boots. */
export function runsOfOtherBoots(workerId: string, bootId: string, silenceMs: number): Statement<RunOfOtherBoot> {
  return sql`
    select r.organization_id as "organizationId", r.id,
      (extract(epoch from r.heartbeat_at - clock_timestamp()) * 1000 + ${silenceMs}::int)::int as "freshMs"
    from run r join organization o on o.id = r.organization_id
    where ${sql.raw(isLiveRun('r.status'))} and ${isOfOtherBoot(sql`r`, workerId, bootId)} and o.status = 'active'`;
}

/** How long the last of the claims that were too fresh to be given back stays so. */
export function freshestClaim(
  workerId: string,
  bootId: string,
  silenceMs: number,
): Statement<{ freshMs: number | null }> {
  return sql`
    select max(extract(epoch from q.claimed_at - clock_timestamp()) * 1000 + ${silenceMs}::int)::int as "freshMs"
    from run_request q where ${IS_CLAIMED} and ${isOfOtherBoot(sql`q`, workerId, bootId)}`;
}
