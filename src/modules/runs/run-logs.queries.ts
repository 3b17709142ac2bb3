import { columns, type Placed, type Statement, statement, Values } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { LogEntryDto, RunLogDto, RunLogListQuery } from './run-log.dto.ts';
import { ACTIVE, fencedCalls, fenceValues, NAMED_RUNS, RUN_FENCE, type RunFence } from './run-lease.queries.ts';

/** The partition of a run's log: the month of the run's creation, whenever an entry arrives. */
const RUN_MONTH = `date_trunc('month', r.created_at, 'UTC')`;

/** How many missing sequences an answer names. */
const MAX_MISSING = 100;

export interface AppendCall extends RunFence {
  readonly entries: readonly LogEntryDto[];
}

export interface Appended extends Placed {
  /** A sequence that is stored with other content; nothing of the batch was stored then. */
  readonly differing: number | null;
  readonly acceptedThrough: number;
  readonly missing: number[];
}

/**
 * Batches of one run go one after the other, so that what is compared is what is stored, and nothing of a refused batch
 * lands; an expiry that commits first ends the lease, one that comes later waits, so no entry lands after it.
 */
export function lockLogs(calls: readonly RunFence[]): Statement {
  return statement(
    `select from ${NAMED_RUNS} order by r.organization_id, r.id for no key update of r`,
    ...fenceValues(calls).slice(0, 2),
  );
}

/**
 * Stores batches under their fences and says how far each log goes without a gap, and what is missing. The run's row
 * knows that much of its log (`log_through`, `log_last`), so a batch that is next in line reads none of it. Sequences begin
 * with 1; a worker may begin with 0. No row is a lapsed lease.
 */
export function appendLogs(calls: readonly AppendCall[]): Statement<Appended> {
  return statement(
    `with live as materialized (
       select c.place, r.organization_id, r.id, ${RUN_MONTH} as run_month, r.log_through, r.log_last, c.entries::jsonb as entries
       from ${fencedCalls({ type: 'text', name: 'entries' })}
       join run r on ${RUN_FENCE} join organization o on ${ACTIVE}),
     sent as materialized (
       select l.place, l.organization_id, l.id as run_id, l.run_month, l.log_through, l.log_last,
         e.sequence, e.category, e.status, e.label, e.detail, e."occurredAt" as occurred_at,
         case when e.sequence <= l.log_last then exists (
           select from run_log g where g.organization_id = l.organization_id and g.run_id = l.id and g.sequence = e.sequence
             and g.run_month = l.run_month
             and (g.category, g.status, g.label, g.detail, g.occurred_at) is distinct from (e.category, e.status, e.label, e.detail, e."occurredAt"))
           else false end as differs
       from live l cross join lateral jsonb_to_recordset(l.entries)
         as e(sequence int, category text, status text, label text, detail text, "occurredAt" timestamptz(6))),
     stored as (
       insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, detail, occurred_at)
       select s.organization_id, s.run_id, s.sequence, s.run_month, s.category, s.status, s.label, s.detail, s.occurred_at
       from sent s where s.place not in (select d.place from sent d where d.differs)
       on conflict do nothing),
     steps as materialized (
       select b.*, coalesce(lag(b.sequence) over (partition by b.place order by b.sequence), b.log_through) as before
       from (select s.place, s.organization_id, s.run_id, s.log_through, s.log_last, greatest(s.sequence, s.log_through) as sequence,
               case when s.differs then s.sequence end as differing
             from sent s
             union all
             select l.place, l.organization_id, l.id, l.log_through, l.log_last, g.sequence, null from live l
             join run_log g on g.organization_id = l.organization_id and g.run_id = l.id and g.run_month = l.run_month
             where l.log_last > l.log_through and g.sequence > l.log_through) b),
     progress as materialized (
       select s.place, s.organization_id, s.run_id, min(s.differing) as differing,
         coalesce(min(s.before) filter (where s.sequence > s.before + 1), max(s.sequence)) as through,
         max(s.sequence) as last
       from steps s group by s.place, s.organization_id, s.run_id),
     advanced as (
       update run r set log_through = p.through, log_last = p.last from progress p
       where p.differing is null and r.organization_id = p.organization_id and r.id = p.run_id
         and (r.log_through, r.log_last) <> (p.through, p.last))
     select p.place, p.differing, p.through as "acceptedThrough",
       case when p.through = p.last then '[]' else (select jsonb_agg(m.sequence) from (
         select n as sequence from steps s, lateral (
           select * from generate_series(s.before + 1, least(s.sequence - 1, s.before + ${MAX_MISSING})) n) each
         where s.place = p.place and s.sequence > s.before + 1
         order by n limit ${MAX_MISSING}) m) end as missing
     from progress p`,
    ...fenceValues(calls),
    calls.map(({ entries }) => JSON.stringify(entries)),
  );
}

export function runExists(organizationId: string, id: string): Statement {
  return statement(`select 1 from run where organization_id = $1 and id = $2`, organizationId, id);
}

const select = columns<RunLogDto>({
  sequence: 'l.sequence',
  category: 'l.category',
  status: 'l.status',
  label: 'l.label',
  detail: 'l.detail',
  occurredAt: 'l.occurred_at',
  receivedAt: 'l.received_at',
});

export function logsOf(organizationId: string, runId: string, query: RunLogListQuery): KeysetList<RunLogDto> {
  const values = new Values();
  const filters = new Filters(values).equals('l.organization_id', organizationId).equals('l.run_id', runId);
  const run = [values.add(organizationId), values.add(runId)];
  return new KeysetList<RunLogDto>(
    {
      select,
      from: 'run_log l',
      where: [
        ...filters.where,
        `l.run_month = (select ${RUN_MONTH} from run r where r.organization_id = ${run[0]} and r.id = ${run[1]})`,
      ],
      values,
      sortBy: [{ sql: 'l.sequence', type: 'integer', of: ({ sequence }) => String(sequence) }],
      cursor: opaqueCursor('run-logs', [organizationId, runId, query.order]),
    },
    query,
  );
}
