import { sql, type Statement } from '../database/index.ts';

/** A worker as a process saw it. */
export interface Sighting {
  readonly workerId: string;
  readonly bootId: string;
  readonly ageMs: number;
  /** As JSON. */
  readonly runFilters: string | null;
  readonly turnFilters: string | null;
}

/**
 * Writes down workers, unless another process has seen them later. Locks the rows in one order. What the worker asked for
 * through another process stays, unless that was before it started again.
 */
export function noteWorkers(sightings: readonly Sighting[]): Statement {
  return sql`
    insert into worker (worker_id, boot_id, last_seen_at, run_filters, turn_filters)
    select s.worker_id, s.boot_id, clock_timestamp() - s.age_ms * interval '1 millisecond', s.run_filters::jsonb,
      s.turn_filters::jsonb
    from unnest(${sightings.map(({ workerId }) => workerId)}::text[],
        ${sightings.map(({ bootId }) => bootId)}::uuid[], ${sightings.map(({ ageMs }) => ageMs)}::int[],
        ${sightings.map(({ runFilters }) => runFilters)}::text[],
        ${sightings.map(({ turnFilters }) => turnFilters)}::text[])
      s(worker_id, boot_id, age_ms, run_filters, turn_filters)
    order by s.worker_id
    on conflict (worker_id) do update
    set boot_id = excluded.boot_id, last_seen_at = excluded.last_seen_at,
      run_filters = case when worker.boot_id = excluded.boot_id
        then coalesce(excluded.run_filters, worker.run_filters) else excluded.run_filters end,
      turn_filters = case when worker.boot_id = excluded.boot_id
        then coalesce(excluded.turn_filters, worker.turn_filters) else excluded.turn_filters end
    where worker.last_seen_at < excluded.last_seen_at`;
}

/** Removes workers that were not seen for a day, one remover at a time; answers a row for each. */
export function forgetWorkers(limit: number): Statement<{ workerId: string }> {
  return sql`
    delete from worker where worker_id in (
      select w.worker_id from worker w where w.last_seen_at < clock_timestamp() - interval '1 day'
      order by w.worker_id limit ${limit} for update skip locked)
    returning worker_id as "workerId"`;
}
