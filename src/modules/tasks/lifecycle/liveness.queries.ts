import { type Statement, statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { isOpenRequest } from '../run-requests/run-request.state.ts';
import { isOpenTask } from '../task.state.ts';
import { type FoundTask, SWEEP_LIMIT } from './task-sweep.ts';

/**
 * A task, `t`, that has neither ended nor a blocker has exactly one open request. A subquery with a limit stays one, which
 * asks the index for each task. (Measured with 60,000 open tasks and statistics of a time when there were few: 0.3 s; as an
 * anti-join, which compared each task with all open requests, more than 15 s.)
 */
export const IS_STUCK = `${isOpenTask('t.status')} and t.blockers = '[]' and (
  select true from run_request q where q.organization_id = t.organization_id and q.task_id = t.id
    and ${isOpenRequest('q.status')} limit 1) is null`;

/** Open tasks that one scan of the liveness sweep takes, so that its cost does not grow with them; the next goes on there. */
const SCAN_LIMIT = 20_000;

/** A place among open tasks, in the order of their last change. */
export interface ScanPosition {
  readonly updatedAt: string;
  readonly organizationId: string;
  readonly id: string;
}

export const SCAN_START: ScanPosition = { updatedAt: '-infinity', organizationId: FIRST_UUID, id: FIRST_UUID };

/** The position at which a scan that begins behind this one ends; none where it reaches the last open task. */
export function scanEnd({ updatedAt, organizationId, id }: ScanPosition): Statement<ScanPosition> {
  return statement(
    `select t.updated_at as "updatedAt", t.organization_id as "organizationId", t.id from task t
     where ${isOpenTask('t.status')} and (t.updated_at, t.organization_id, t.id) > ($1::timestamptz, $2::uuid, $3::uuid)
     order by t.updated_at, t.organization_id, t.id offset ${SCAN_LIMIT - 1} limit 1`,
    updatedAt,
    organizationId,
    id,
  );
}

/** What just moved may be between two statements of ours, seen by neither: it is left to a later scan. */
export function stuckTasks(from: ScanPosition, to: ScanPosition | undefined): Statement<FoundTask> {
  return statement(
    `select t.organization_id as "organizationId", t.id from task t join organization o on o.id = t.organization_id
     where o.status = 'active' and t.updated_at < clock_timestamp() - interval '15 seconds' and ${IS_STUCK}
       and (t.updated_at, t.organization_id, t.id) > ($1::timestamptz, $2::uuid, $3::uuid)
       and ($4::timestamptz is null or (t.updated_at, t.organization_id, t.id) <= ($4::timestamptz, $5::uuid, $6::uuid))
     order by t.updated_at limit ${SWEEP_LIMIT}`,
    from.updatedAt,
    from.organizationId,
    from.id,
    to?.updatedAt ?? null,
    to?.organizationId ?? null,
    to?.id ?? null,
  );
}
