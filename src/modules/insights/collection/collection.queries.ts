import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Day, PauseReason, Reporting } from '../definitions/index.ts';
import { inChunks } from '../publication/value-chunks.ts';
import type { SourceCoverage } from '../sources/source-coverage.ts';
import { SOURCE, type SourceRow } from '../sources/sources.queries.ts';
import type { ReadProgress } from './read-progress.ts';
import type { Purpose } from './read-rhythm.ts';
import type { StagedFact } from './staged-fact.ts';

/** Longer than a request with its proofs may take. */
export const LEASE_SECONDS = 120;

/** A source that is due. */
export interface DueSource {
  readonly organizationId: string;
  readonly id: string;
  readonly integrationId: string;
}

/** Sources whose time has come and that nobody collects, over all organizations; none of a connector that is asked now. */
export function dueSources(limit: number): Statement<DueSource> {
  return sql`
    select s.organization_id as "organizationId", s.id, s.integration_id as "integrationId" from metric_source s
    where s.due_at <= clock_timestamp() and s.paused_reason is null
      and (s.backoff_until is null or s.backoff_until <= clock_timestamp())
      and not exists (
        select from metric_source o
        where o.organization_id = s.organization_id and o.integration_id = s.integration_id
          and o.lease_expires_at > clock_timestamp())
    order by s.due_at limit ${limit}`;
}

/** Takes a source that is still due; no row where another process has it, or asks its connector. */
export function claimSource(
  organizationId: string,
  id: string,
  leaseToken: string,
): Statement<SourceRow & { readonly now: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select h.* from metric_source h
      where h.organization_id = ${organization} and h.id = ${id} and h.due_at <= clock_timestamp()
        and h.paused_reason is null and (h.backoff_until is null or h.backoff_until <= clock_timestamp())
        and (h.lease_expires_at is null or h.lease_expires_at <= clock_timestamp())
      for no key update skip locked),
    free as materialized (
      select h.*, clock_timestamp() as now, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::int) as until
      from held h
      where not exists (
        select from metric_source o
        where o.organization_id = ${organization} and o.integration_id = h.integration_id and o.id <> h.id
          and o.lease_expires_at > clock_timestamp())),
    taken as (
      update metric_source s set lease_token = ${leaseToken}, lease_expires_at = f.until from free f
      where s.organization_id = ${organization} and s.id = f.id)
    select ${SOURCE}, s.now from free s`;
}

/** Holds a leased source for one more page, and counts the request; no row where the lease is lost. */
export function renewLease(
  organizationId: string,
  id: string,
  leaseToken: string,
): Statement<{ readonly now: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select h.id, h.calls, h.calls_day, h.lease_expires_at from metric_source h
      where h.organization_id = ${organization} and h.id = ${id} and h.lease_token = ${leaseToken}
      for no key update),
    clock as materialized (
      select h.*, clock_timestamp() as now, to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD') as today
      from held h),
    live as materialized (
      select c.id, c.now, c.today, c.now + make_interval(secs => ${LEASE_SECONDS}::int) as until,
        case when c.calls_day = c.today then c.calls + 1 else 1 end as calls
      from clock c where c.lease_expires_at > c.now),
    renewed as (
      update metric_source s set lease_expires_at = l.until, calls_day = l.today, calls = l.calls from live l
      where s.organization_id = ${organization} and s.id = l.id)
    select l.now from live l`;
}

/** What a collection leaves of its source. */
export interface EndedSource {
  readonly dueAt: string | null;
  readonly backoffUntil: string | null;
  readonly failures: number;
  readonly rejections: number;
  readonly pausedReason: PauseReason | null;
  readonly coverage: SourceCoverage;
  readonly lastCollectedAt: string | null;
  readonly lastError: Readonly<Record<string, unknown>> | null;
  readonly timezone: string | null;
}

/** Gives a leased source back. */
export function releaseSource(organizationId: string, id: string, leaseToken: string, source: EndedSource): Statement {
  return sql`
    update metric_source set lease_token = null, lease_expires_at = null, due_at = ${source.dueAt},
      backoff_until = ${source.backoffUntil}, failures = ${source.failures}, rejections = ${source.rejections},
      paused_reason = ${source.pausedReason}, coverage = ${JSON.stringify(source.coverage)}::jsonb,
      last_collected_at = ${source.lastCollectedAt}, timezone = ${source.timezone},
      last_error = ${source.lastError === null ? null : JSON.stringify(source.lastError)}::jsonb
    where organization_id = ${organizationId} and id = ${id} and lease_token = ${leaseToken}`;
}

/** Makes locked sources due now, with all of their reads. */
export function makeDue(organizationId: string, ids: readonly string[], now: string): readonly Statement[] {
  return [
    sql`update metric_source set due_at = ${now} where organization_id = ${organizationId} and id = any(${ids}::uuid[])`,
    sql`
    update metric_read set due_at = ${now}
    where organization_id = ${organizationId} and source_id = any(${ids}::uuid[])`,
  ];
}

export interface ReadRow {
  readonly readKey: string;
  readonly version: number;
  readonly timezone: string;
  readonly dueAt: string;
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
  readonly progress: ReadProgress;
}

export function readsOf(organizationId: string, sourceId: string): Statement<ReadRow> {
  return sql`
    select ${columns<ReadRow>({
      readKey: 'r.read_key',
      version: 'r.version',
      timezone: 'r.timezone',
      dueAt: 'r.due_at',
      checkpoint: 'r.checkpoint',
      progress: 'r.progress',
    })} from metric_read r
    where r.organization_id = ${organizationId} and r.source_id = ${sourceId} order by r.read_key`;
}

/** Writes how far a read has come. */
export function storeRead(organizationId: string, sourceId: string, read: ReadRow): Statement {
  const { readKey, version, timezone, dueAt, checkpoint, progress } = read;
  return sql`
    insert into metric_read (organization_id, source_id, read_key, version, timezone, due_at, checkpoint, progress)
    values (${organizationId}, ${sourceId}, ${readKey}, ${version}, ${timezone}, ${dueAt},
      ${checkpoint === null ? null : JSON.stringify(checkpoint)}::jsonb, ${JSON.stringify(progress)}::jsonb)
    on conflict (organization_id, source_id, read_key) do update set version = excluded.version,
      timezone = excluded.timezone, due_at = excluded.due_at, checkpoint = excluded.checkpoint,
      progress = excluded.progress`;
}

/** What the pages of a collection told beside their items. */
export interface Told {
  readonly wholeFrom: Day | null;
  /** The page on which the day before it began, where pages are numbered. */
  readonly wholePage: number | null;
  /** The page that was read last. */
  readonly lastPage: number;
  readonly reporting: Reporting | null;
  /** Whether nothing is left to ask. */
  readonly isOver: boolean;
}

export const NOTHING_TOLD: Told = {
  wholeFrom: null,
  wholePage: null,
  lastPage: 1,
  reporting: null,
  isOver: false,
};

export interface CollectionRow {
  readonly id: string;
  readonly readKey: string;
  readonly readVersion: number;
  readonly timezone: string;
  readonly purpose: Purpose;
  readonly fromDay: Day;
  readonly toDay: Day;
  readonly calls: number;
  readonly stamp: string;
  readonly told: Told;
  readonly startedAt: string;
}

/** The collection of a source that has not ended. */
export function runningCollection(organizationId: string, sourceId: string): Statement<CollectionRow> {
  return sql`
    select ${columns<CollectionRow>({
      id: 'c.id',
      readKey: 'c.read_key',
      readVersion: 'c.read_version',
      timezone: 'c.timezone',
      purpose: 'c.purpose',
      fromDay: 'c.from_day',
      toDay: 'c.to_day',
      calls: 'c.calls',
      stamp: 'c.collection_generation',
      told: 'c.told',
      startedAt: 'c.started_at',
    })} from metric_collection c
    where c.organization_id = ${organizationId} and c.source_id = ${sourceId} and c.status = 'running'`;
}

export function insertCollection(organizationId: string, sourceId: string, collection: CollectionRow): Statement {
  const { id, readKey, readVersion, timezone, purpose, fromDay, toDay, stamp, told, startedAt } = collection;
  return sql`
    insert into metric_collection (organization_id, id, source_id, read_key, read_version, timezone, purpose, from_day, to_day,
      status, calls, collection_generation, told, started_at)
    values (${organizationId}, ${id}, ${sourceId}, ${readKey}, ${readVersion}, ${timezone}, ${purpose}, ${fromDay}, ${toDay},
      'running', 0, ${stamp}, ${JSON.stringify(told)}::jsonb, ${startedAt})`;
}

/** Notes what a page told, with the request that it took. */
export function tellCollection(organizationId: string, id: string, calls: number, told: Told): Statement {
  return sql`
    update metric_collection set calls = ${calls}, told = ${JSON.stringify(told)}::jsonb
    where organization_id = ${organizationId} and id = ${id} and status = 'running'`;
}

/** Keeps what items say; read again, an item replaces what it said before. */
export function stageFacts(
  organizationId: string,
  collectionId: string,
  facts: ReadonlyMap<string, StagedFact>,
): readonly Statement[] {
  return inChunks(
    [...facts],
    ([key, fact]) => sql`(${organizationId}::uuid, ${collectionId}::uuid, ${key}, ${JSON.stringify(fact)}::jsonb)`,
  ).map(
    (rows) => sql`
    insert into metric_staged (organization_id, collection_id, item_key, fact) values ${rows}
    on conflict (organization_id, collection_id, item_key) do update set fact = excluded.fact`,
  );
}

export function stagedFacts(organizationId: string, collectionId: string): Statement<{ readonly fact: StagedFact }> {
  return sql`
    select s.fact from metric_staged s
    where s.organization_id = ${organizationId} and s.collection_id = ${collectionId}`;
}

/** Ends a collection; what it staged goes with it. */
export function endCollection(
  organizationId: string,
  id: string,
  end: {
    readonly status: 'published' | 'failed' | 'abandoned';
    readonly revision?: number;
    readonly error?: Readonly<Record<string, unknown>>;
    readonly now: string;
  },
): readonly Statement[] {
  return [
    sql`delete from metric_staged where organization_id = ${organizationId} and collection_id = ${id}`,
    sql`
    update metric_collection set status = ${end.status}, revision = ${end.revision ?? null}, ended_at = ${end.now},
      error = ${end.error === undefined ? null : JSON.stringify(end.error)}::jsonb
    where organization_id = ${organizationId} and id = ${id} and status = 'running'`,
  ];
}
