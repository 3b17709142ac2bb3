import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isLapsed } from '../../../kernel/leases/index.ts';
import { isLiveRun } from '../run.state.ts';

/** Why the backend itself ends a live run. */
export type ExpiryReason = 'lease' | 'start_deadline' | 'run_time' | 'cancelled';

/** The times that a run has, beside its lease. */
export interface ExpiryLimits {
  readonly startDeadlineSeconds: number;
  readonly maxRunSeconds: number;
  /** From the request to stop until the worker reports the end. */
  readonly cancelGraceSeconds: number;
}

/** Runs that one statement finds. */
export const RUNS_LIMIT = 100;

const LIVE = sql.raw(isLiveRun('r.status'));
const LAPSED = isLapsed('run', 'r.lease_expires_at');

/** Why the time of a live run `r` is over; null while it is not. */
function expiryReason({ startDeadlineSeconds, maxRunSeconds, cancelGraceSeconds }: ExpiryLimits): Sql {
  const ago = (seconds: number) => sql`clock_timestamp() - interval '${sql.raw(String(seconds))} seconds'`;
  return sql`case
      when ${LAPSED} then 'lease'
      when r.cancel_requested_at <= ${ago(cancelGraceSeconds)} then 'cancelled'
      when r.status = 'starting' and r.started_at <= ${ago(startDeadlineSeconds)} then 'start_deadline'
      when r.started_at <= ${ago(maxRunSeconds)} then 'run_time' end`;
}

export function runsDue(limits: ExpiryLimits): Statement<{ organizationId: string; id: string }> {
  return sql`
    select r.organization_id as "organizationId", r.id from run r join organization o on o.id = r.organization_id
    where ${LIVE} and o.status = 'active' and ${expiryReason(limits)} is not null
    limit ${sql.raw(String(RUNS_LIMIT))}`;
}

/** Why a locked run is over, and whether another start of its worker than `bootId` took it. */
export function expiryOf(
  organizationId: string,
  runId: string,
  limits: ExpiryLimits,
  bootId: string | null,
): Statement<{ reason: ExpiryReason | null; ofAnotherBoot: boolean }> {
  return sql`
    select ${expiryReason(limits)} as reason, r.boot_id is distinct from ${bootId}::uuid as "ofAnotherBoot"
    from run r where r.organization_id = ${organizationId} and r.id = ${runId}`;
}
