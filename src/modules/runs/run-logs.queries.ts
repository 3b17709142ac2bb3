import { columns, type Placed, type Statement, statement, Values } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { LogEntryDto, RunLogDto, RunLogListQuery } from './run-log.dto.ts';
import { fencedCalls, fenceValues, RUN_FENCE, type RunFence } from './run-lease.queries.ts';

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
    `select from unnest($1::uuid[], $2::uuid[]) c(organization_id, run_id)
     join run r on r.organization_id = c.organization_id and r.id = c.run_id
     order by r.organization_id, r.id for no key update of r`,
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
       from ${fencedCalls({ type: 'text', name: 'entries' })}, run r, organization o where ${RUN_FENCE}),
     sent as materialized (
       select l.place, l.organization_id, l.id as run_id, l.run_month, l.log_through, l.log_last,
         e.sequence, e.category, e.status, e.label, e.detail, e."occurredAt" as occurred_at
       from live l cross join lateral jsonb_to_recordset(l.entries)
         as e(sequence int, category text, status text, label text, detail text, "occurredAt" timestamptz(6))),
     differing as materialized (
       select s.place, min(s.sequence) as sequence from sent s
       join run_log g on g.organization_id = s.organization_id and g.run_id = s.run_id and g.sequence = s.sequence
         and g.run_month = s.run_month
       where s.sequence <= s.log_last
         and (g.category, g.status, g.label, g.detail, g.occurred_at) is distinct from (s.category, s.status, s.label, s.detail, s.occurred_at)
       group by s.place),
     stored as (
       insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, detail, occurred_at)
       select s.organization_id, s.run_id, s.sequence, s.run_month, s.category, s.status, s.label, s.detail, s.occurred_at
       from sent s where not exists (select from differing d where d.place = s.place)
       on conflict do nothing),
     steps as materialized (
       select b.place, b.sequence, coalesce(lag(b.sequence) over (partition by b.place order by b.sequence), l.log_through) as before
       from (select s.place, s.sequence from sent s where s.sequence > s.log_through
             union
             select l.place, g.sequence from live l
             join run_log g on g.organization_id = l.organization_id and g.run_id = l.id and g.run_month = l.run_month
             where l.log_last > l.log_through and g.sequence > l.log_through) b
       join live l on l.place = b.place),
     progress as materialized (
       select l.place, l.organization_id, l.id, d.sequence as differing,
         coalesce(min(s.before) filter (where s.sequence > s.before + 1), max(s.sequence), l.log_through) as through,
         greatest(max(s.sequence), l.log_last) as last
       from live l left join steps s on s.place = l.place left join differing d on d.place = l.place
       group by l.place, l.organization_id, l.id, d.sequence, l.log_through, l.log_last),
     advanced as (
       update run r set log_through = p.through, log_last = p.last from progress p
       where p.differing is null and r.organization_id = p.organization_id and r.id = p.id
         and (r.log_through, r.log_last) <> (p.through, p.last))
     select p.place, p.differing, p.through as "acceptedThrough",
       case when p.through = p.last then '[]' else coalesce((select jsonb_agg(m.sequence) from (
         select n as sequence from steps s, lateral (
           select * from generate_series(s.before + 1, least(s.sequence - 1, s.before + ${MAX_MISSING})) n) each
         where s.place = p.place and s.sequence > s.before + 1
         order by n limit ${MAX_MISSING}) m), '[]') end as missing
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
