import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Block, Day, Grain, ReadCoverage } from '../definitions/index.ts';
import { isSeenAt } from '../publication/publication.queries.ts';

/** A series that has something in a window. */
export interface StoredSeries {
  readonly id: string;
  readonly sourceId: string;
  readonly measure: string;
  readonly version: number;
  readonly timezone: string;
  readonly grain: Grain;
  readonly currency: string | null;
  readonly cut: string | null;
}

/** Which series are asked for. */
export interface SoughtSeries {
  readonly sourceIds: readonly string[];
  readonly measures: readonly string[];
  /** At a revision, and for cuts only where a block of the window is. */
  readonly revision: number;
  readonly from: Day;
  readonly to: Day;
}

/**
 * Series of measures and sources that a reader of a revision knows: totals that were ever published, and values of cuts with a
 * block in the window. No value is read.
 */
export function knownSeries(organizationId: string, sought: SoughtSeries): Statement<StoredSeries> {
  const { sourceIds, measures, revision, from, to } = sought;
  const organization = sql.value(organizationId);
  return sql`
    select ${columns<StoredSeries>({
      id: 'm.id',
      sourceId: 'm.source_id',
      measure: 'm.measure',
      version: 'm.measure_version',
      timezone: 'm.timezone',
      grain: 'm.grain',
      currency: 'm.currency',
      cut: 'm.cut',
    })} from metric_series m
    where m.organization_id = ${organization} and m.source_id = any(${sourceIds}::uuid[])
      and m.measure = any(${measures}::text[])
      and exists (
        select from metric_block b
        where b.organization_id = ${organization} and b.series_id = m.id and ${isSeenAt(sql`b`, revision)}
          and (m.cut is null or (b.block_start >= ${from} and b.block_start < ${to})))
    order by m.source_id, m.measure, m.timezone, m.currency, m.cut`;
}

export interface StoredBlock extends Block {
  readonly seriesId: string;
}

/** The blocks of series that a reader of a revision sees, from a block's beginning up to a day. */
export function blocksOf(
  organizationId: string,
  revision: number,
  seriesIds: readonly string[],
  { from, to }: { readonly from: Day; readonly to: Day },
): Statement<StoredBlock> {
  return sql`
    select ${columns<StoredBlock>({
      seriesId: 'b.series_id',
      start: 'b.block_start',
      values: 'b.values::text[]',
      reasons: 'b.reasons',
    })} from metric_block b
    where b.organization_id = ${organizationId} and b.series_id = any(${seriesIds}::uuid[])
      and ${isSeenAt(sql`b`, revision)} and b.block_start >= ${from} and b.block_start < ${to}`;
}

export interface StoredCoverage extends ReadCoverage {
  readonly sourceId: string;
  readonly readKey: string;
  readonly version: number;
  readonly timezone: string;
}

/** The coverage of reads that a reader of a revision sees, of periods that begin between two days. */
export function coverageOfReads(
  organizationId: string,
  revision: number,
  { sourceIds, readKeys }: { readonly sourceIds: readonly string[]; readonly readKeys: readonly string[] },
  { from, to }: { readonly from: Day; readonly to: Day },
): Statement<StoredCoverage> {
  return sql`
    select ${columns<StoredCoverage>({
      sourceId: 'c.source_id',
      readKey: 'c.read_key',
      version: 'c.read_version',
      timezone: 'c.timezone',
      periodStart: 'c.period_start',
      status: 'c.status',
      reason: 'c.reason',
      provisional: 'c.provisional',
      collectedAt: 'c.collected_at',
      reporting: 'c.reporting',
    })} from metric_coverage c
    where c.organization_id = ${organizationId} and c.source_id = any(${sourceIds}::uuid[])
      and c.read_key = any(${readKeys}::text[]) and ${isSeenAt(sql`c`, revision)}
      and c.period_start >= ${from} and c.period_start < ${to}`;
}

/** Which timezones the days of sources were read in, within a window. */
export interface SeenTimezone {
  readonly sourceId: string;
  readonly timezone: string;
}

export function timezonesSeen(
  organizationId: string,
  revision: number,
  sourceIds: readonly string[],
  { from, to }: { readonly from: Day; readonly to: Day },
): Statement<SeenTimezone> {
  return sql`
    select distinct ${columns<SeenTimezone>({ sourceId: 'c.source_id', timezone: 'c.timezone' })} from metric_coverage c
    where c.organization_id = ${organizationId} and c.source_id = any(${sourceIds}::uuid[])
      and ${isSeenAt(sql`c`, revision)} and c.period_start >= ${from} and c.period_start < ${to} and c.status <> 'none'`;
}

export interface StoredRate {
  readonly day: Day;
  readonly currency: string;
  readonly rate: string;
}

/** The newest rates of currencies between two days, both included. */
export function ratesOf(currencies: readonly string[], from: Day, to: Day): Statement<StoredRate> {
  return sql`
    select distinct on (r.day, r.currency) ${columns<StoredRate>({
      day: 'r.day',
      currency: 'r.currency',
      rate: 'r.rate',
    })} from fx_rate r
    where r.currency = any(${currencies}::text[]) and r.day >= ${from} and r.day <= ${to}
    order by r.day, r.currency, r.revision desc`;
}

/** The latest day of which rates are stored. */
export function newestRateDay(): Statement<{ day: string | null }> {
  return sql`select max(r.day) as day from fx_rate r`;
}

/** Ends statements of a transaction that take longer. */
export function withinMs(timeoutMs: number): Statement {
  return sql`set local statement_timeout = ${sql.raw(String(timeoutMs))}`;
}
