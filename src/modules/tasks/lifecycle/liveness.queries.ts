import { sql, type Statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { isOpenRequest } from '../run-requests/run-request.state.ts';
import { isOpenTask, taskMoves } from '../task.state.ts';
import { type FoundTask, SWEEP_LIMIT } from './task-sweep.ts';

const IS_OPEN = sql.raw(isOpenTask('t.status'));
const REPAIRED = sql.raw(taskMoves.moved('repair', 'status'));

/**
 * Condition of a stuck task `t`: it has neither ended nor a blocker, and lacks the open request that it needs. A
 * subquery with a limit stays one, which asks the index for each task. (Measured with 60,000 open tasks and statistics
 * of a time when there were few: 0.3 s; as an anti-join, which compared each task with all open requests, more than
 * 15 s.)
 */
const IS_STUCK = sql`${IS_OPEN} and t.blockers = '[]' and (
        select true from run_request q where q.organization_id = t.organization_id and q.task_id = t.id
          and ${sql.raw(isOpenRequest('q.status'))} limit 1) is null`;

/** Open tasks that one scan takes, so that its cost does not grow with them; the next scan continues there. */
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
  return sql`
    select t.updated_at as "updatedAt", t.organization_id as "organizationId", t.id from task t
    where ${IS_OPEN}
      and (t.updated_at, t.organization_id, t.id) > (${updatedAt}::timestamptz, ${organizationId}::uuid, ${id}::uuid)
    order by t.updated_at, t.organization_id, t.id offset ${sql.raw(String(SCAN_LIMIT - 1))} limit 1`;
}

/** Stuck tasks of a scan. Leaves what just moved to a later scan: it may be between two statements, seen by neither. */
export function stuckTasks(from: ScanPosition, to: ScanPosition | undefined): Statement<FoundTask> {
  const end = sql.value(to?.updatedAt ?? null);
  return sql`
    select t.organization_id as "organizationId", t.id from task t join organization o on o.id = t.organization_id
    where o.status = 'active' and t.updated_at < clock_timestamp() - interval '15 seconds' and ${IS_STUCK}
      and (t.updated_at, t.organization_id, t.id)
        > (${from.updatedAt}::timestamptz, ${from.organizationId}::uuid, ${from.id}::uuid)
      and (${end}::timestamptz is null or (t.updated_at, t.organization_id, t.id)
        <= (${end}::timestamptz, ${to?.organizationId ?? null}::uuid, ${to?.id ?? null}::uuid))
    order by t.updated_at limit ${sql.raw(String(SWEEP_LIMIT))}`;
}

/** A locked task, if it is stuck, and whether it was repaired before. */
export function stuckTask(organizationId: string, id: string): Statement<{ repaired: boolean }> {
  return sql`
    select t.repaired_at is not null as repaired from task t
    where t.organization_id = ${organizationId} and t.id = ${id} and ${IS_STUCK}`;
}

/** Makes a stuck task `pending`, for a new request. */
export function repairTask(organizationId: string, id: string): Statement {
  return sql`
    update task set status = ${REPAIRED}, repaired_at = clock_timestamp(), version = version + 1,
      updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}
