import { columns, type Statement, statement, Values } from '../../kernel/database/index.ts';
import { sha256 } from '../../kernel/crypto/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { AppendLogsDto, RunLogDto, RunLogListQuery } from './run-log.dto.ts';
import { RUN_FENCE } from './run-lease.queries.ts';

/** The partition of a run's log: the month of the run's creation, whenever an entry arrives. */
const RUN_MONTH = `date_trunc('month', r.created_at, 'UTC')`;

/** How many missing sequences an answer names. */
const MAX_MISSING = 100;

export interface Appended {
  /** Whether the lease still held. */
  readonly live: boolean;
  /** A sequence that is stored with other content; nothing was stored then. */
  readonly differing: number | null;
}

/**
 * Batches of one run go one after the other, so that what is compared is what is stored, and nothing of a refused batch
 * lands. Taken before the run's row; nobody else takes it.
 */
export function lockLog(runId: string): Statement {
  return statement(`select pg_advisory_xact_lock(hashtextextended('run log ' || $1, 0))`, runId);
}

/**
 * Stores a batch under the fence. The run is locked shared: an expiry that commits first ends the lease, one that comes
 * later waits, so no entry lands after it. (FOR KEY SHARE would not hold it back.)
 */
export function appendLogs(runId: string, { organizationId, leaseToken, entries }: AppendLogsDto): Statement<Appended> {
  return statement(
    `with live as materialized (
       select r.organization_id, r.id, ${RUN_MONTH} as run_month from run r
       where ${RUN_FENCE} for share),
     sent as materialized (
       select e.sequence, e.category, e.status, e.label, e.detail, e."occurredAt" as occurred_at
       from jsonb_to_recordset($4::jsonb) as e(sequence int, category text, status text, label text, detail text, "occurredAt" timestamptz(6))),
     differing as materialized (
       select min(s.sequence) as sequence from live
       join run_log l on l.organization_id = live.organization_id and l.run_id = live.id and l.run_month = live.run_month
       join sent s on s.sequence = l.sequence
       where (l.category, l.status, l.label, l.detail, l.occurred_at) is distinct from (s.category, s.status, s.label, s.detail, s.occurred_at)),
     stored as (
       insert into run_log (organization_id, run_id, sequence, run_month, category, status, label, detail, occurred_at)
       select live.organization_id, live.id, s.sequence, live.run_month, s.category, s.status, s.label, s.detail, s.occurred_at
       from live cross join sent s where (select d.sequence from differing d) is null
       on conflict do nothing)
     select exists (select from live) as live, (select d.sequence from differing d) as differing`,
    organizationId,
    runId,
    sha256(leaseToken),
    JSON.stringify(entries),
  );
}

export interface LogProgress {
  readonly acceptedThrough: number;
  readonly missing: number[];
}

/** How far a run's log goes without a gap, and what is missing. Sequences begin with 1; a worker may begin with 0. */
export function logProgress(organizationId: string, runId: string): Statement<LogProgress> {
  return statement(
    `with stored as materialized (
       select l.sequence, lag(l.sequence, 1, 0) over (order by l.sequence) as before from run_log l
       where l.organization_id = $1 and l.run_id = $2
         and l.run_month = (select ${RUN_MONTH} from run r where r.organization_id = $1 and r.id = $2)),
     gap as (select before + 1 as first, sequence - 1 as last from stored where sequence > before + 1)
     select coalesce((select min(first) - 1 from gap), (select max(sequence) from stored), 0)::int as "acceptedThrough",
            coalesce((select jsonb_agg(m.sequence) from (
              select n as sequence from gap, lateral (select * from generate_series(first, least(last, first + ${MAX_MISSING - 1})) n) each
              order by n limit ${MAX_MISSING}) m), '[]') as missing`,
    organizationId,
    runId,
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
