import { type Statement, statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { isOpenRequest } from '../run-requests/run-request.state.ts';
import { isOpenTask } from '../task.state.ts';
import { type FoundTask, SWEEP_BATCH } from './task-sweep.ts';

/**
 * A task, `t`, that has neither ended nor a blocker has exactly one open request. A subquery with a limit stays one, which
 * asks the index for each task. (Measured with 60,000 open tasks and statistics of a time when there were few: 0.3 s; as an
 * anti-join, which compared each task with all open requests, more than 15 s.)
 */
export const WITHOUT_MOVER = `${isOpenTask('t.status')} and t.blockers = '[]' and (
  select true from run_request q where q.organization_id = t.organization_id and q.task_id = t.id
    and ${isOpenRequest('q.status')} limit 1) is null`;

/** How many open tasks a look of the liveness sweep takes, so that its cost does not grow with them; the next goes on there. */
const LOOK = 20_000;

/** A place among open tasks, in the order of their last change. */
export interface Position {
  readonly updatedAt: string;
  readonly organizationId: string;
  readonly id: string;
}

export const START: Position = { updatedAt: '-infinity', organizationId: FIRST_UUID, id: FIRST_UUID };

/** Where the position stands at which a look that begins behind `from` ends; none where it reaches the end of all. */
export function endOfLook({ updatedAt, organizationId, id }: Position): Statement<Position> {
  return statement(
    `select t.updated_at as "updatedAt", t.organization_id as "organizationId", t.id from task t
     where ${isOpenTask('t.status')} and (t.updated_at, t.organization_id, t.id) > ($1::timestamptz, $2::uuid, $3::uuid)
     order by t.updated_at, t.organization_id, t.id offset ${LOOK - 1} limit 1`,
    updatedAt,
    organizationId,
    id,
  );
}

/** What just moved may be between two statements of ours, seen by neither: it is left to a later look. */
export function withoutMover(from: Position, to: Position | undefined): Statement<FoundTask> {
  return statement(
    `select t.organization_id as "organizationId", t.id from task t join organization o on o.id = t.organization_id
     where o.status = 'active' and t.updated_at < clock_timestamp() - interval '15 seconds' and ${WITHOUT_MOVER}
       and (t.updated_at, t.organization_id, t.id) > ($1::timestamptz, $2::uuid, $3::uuid)
       and ($4::timestamptz is null or (t.updated_at, t.organization_id, t.id) <= ($4::timestamptz, $5::uuid, $6::uuid))
     order by t.updated_at limit ${SWEEP_BATCH}`,
    from.updatedAt,
    from.organizationId,
    from.id,
    to?.updatedAt ?? null,
    to?.organizationId ?? null,
    to?.id ?? null,
  );
}
