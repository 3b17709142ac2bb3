import { sql, type Statement } from '../../../kernel/database/index.ts';
import { isLiveRun } from '../../runs/index.ts';
import { runRequestMoves } from '../../tasks/index.ts';
import type { KnownWorkerDto } from './known-worker.dto.ts';

/** Workers that one answer shows. */
const MOST = sql.raw('1000');

/**
 * Workers that claimed within a day, with what each holds, and others that hold something; the latest seen first. Reads
 * what is held in all organizations along the indexes of what lives, which does not grow with history.
 */
export function knownWorkers(): Statement<KnownWorkerDto> {
  return sql`
    with held as (
      select r.organization_id, r.worker_id, r.boot_id, r.heartbeat_at as at, 'run' as kind
      from run r where ${sql.raw(isLiveRun('r.status'))}
      union all
      select q.organization_id, q.worker_id, q.boot_id, q.claimed_at, 'claim'
      from run_request q where ${sql.raw(runRequestMoves.permits('giveBack', 'q.status'))}
      union all
      select m.organization_id, m.worker_id, m.boot_id, m.heartbeat_at, 'turn' from message m where m.leased),
    holders as (
      select h.worker_id, max(h.at) as at, (array_agg(h.boot_id order by h.at desc))[1] as boot_id,
        count(*) filter (where h.kind = 'claim')::int as claims, count(*) filter (where h.kind = 'run')::int as runs,
        count(*) filter (where h.kind = 'turn')::int as turns
      from held h join organization o on o.id = h.organization_id and o.status = 'active'
      where h.worker_id is not null group by h.worker_id)
    select coalesce(w.worker_id, h.worker_id) as "workerId", coalesce(w.boot_id, h.boot_id) as "bootId",
      greatest(w.last_seen_at, h.at) as "lastSeenAt",
      jsonb_build_object('claims', coalesce(h.claims, 0), 'runs', coalesce(h.runs, 0), 'turns', coalesce(h.turns, 0))
        as holds,
      jsonb_build_object('runs', w.run_filters, 'turns', w.turn_filters) as filters
    from worker w full join holders h on h.worker_id = w.worker_id
    order by greatest(w.last_seen_at, h.at) desc, coalesce(w.worker_id, h.worker_id) limit ${MOST}`;
}
