import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Day, Grain, ReadCoverage } from '../definitions/index.ts';
import { inChunks } from './value-chunks.ts';
import type { Restatement, VisibleBlock, VisibleSeries } from './difference.ts';

/** A read of a source, as its rows are kept. */
export interface ReadPlace {
  readonly organizationId: string;
  readonly sourceId: string;
  readonly readKey: string;
  readonly version: number;
  readonly timezone: string;
  readonly grain: Grain;
}

/** The revision that a reader pins. */
export function publicationRevision(organizationId: string): Statement<{ revision: number }> {
  return sql`
    select s.publication_revision as revision from insight_state s where s.organization_id = ${organizationId}`;
}

/** The series of some measures of a read. */
export function seriesOf(
  { organizationId, sourceId, version, timezone, grain }: ReadPlace,
  measures: readonly string[],
): Statement<VisibleSeries> {
  return sql`
    select m.id, m.measure, m.currency, m.cut from metric_series m
    where m.organization_id = ${organizationId} and m.source_id = ${sourceId} and m.measure = any(${measures}::text[])
      and m.measure_version = ${version} and m.timezone = ${timezone} and m.grain = ${grain}`;
}

const BLOCK = columns<VisibleBlock>({
  seriesId: 'b.series_id',
  blockStart: 'b.block_start',
  values: 'b.values::text[]',
  reasons: 'b.reasons',
});

/** What readers see now of blocks that begin at these days, or at any. */
export function visibleBlocks(
  organizationId: string,
  seriesIds: readonly string[],
  starts: readonly Day[] | null,
): Statement<VisibleBlock> {
  const among = starts ? sql` and b.block_start = any(${starts}::text[])` : sql``;
  return sql`
    select ${BLOCK} from metric_block b
    where b.organization_id = ${organizationId} and b.series_id = any(${seriesIds}::uuid[])
      and b.to_revision is null${among}`;
}

/** What a reader of a revision sees of series between two days, the second one excluded. */
export function blocksAt(
  organizationId: string,
  revision: number,
  seriesIds: readonly string[],
  { from, to }: { readonly from: Day; readonly to: Day },
): Statement<VisibleBlock> {
  return sql`
    select ${BLOCK} from metric_block b
    where b.organization_id = ${organizationId} and b.series_id = any(${seriesIds}::uuid[])
      and ${isSeenAt(sql`b`, revision)} and b.block_start >= ${from} and b.block_start < ${to}
    order by b.series_id, b.block_start`;
}

const COVERAGE = columns<ReadCoverage>({
  periodStart: 'c.period_start',
  status: 'c.status',
  reason: 'c.reason',
  provisional: 'c.provisional',
  collectedAt: 'c.collected_at',
  reporting: 'c.reporting',
});

type CoveragePlace = Omit<ReadPlace, 'grain'>;

const isOf = ({ organizationId, sourceId, readKey, version, timezone }: CoveragePlace) => sql`
  c.organization_id = ${organizationId} and c.source_id = ${sourceId} and c.read_key = ${readKey}
      and c.read_version = ${version} and c.timezone = ${timezone}`;

/** What readers see now of a read's periods. */
export function visibleCoverage(place: CoveragePlace, from: Day, to: Day): Statement<ReadCoverage> {
  return sql`
    select ${COVERAGE} from metric_coverage c
    where ${isOf(place)} and c.to_revision is null and c.period_start >= ${from} and c.period_start < ${to}`;
}

/** What a reader of a revision sees of a read's periods. */
export function coverageAt(place: CoveragePlace, revision: number, from: Day, to: Day): Statement<ReadCoverage> {
  return sql`
    select ${COVERAGE} from metric_coverage c
    where ${isOf(place)} and ${isSeenAt(sql`c`, revision)} and c.period_start >= ${from} and c.period_start < ${to}
    order by c.period_start`;
}

/** Rows of an alias that a reader of a revision sees. */
export function isSeenAt(alias: Sql, revision: number): Sql {
  const at = sql.value(revision);
  return sql`${alias}.from_revision <= ${at} and (${alias}.to_revision is null or ${alias}.to_revision > ${at})`;
}

export function insertSeries(
  { organizationId, sourceId, version, timezone, grain }: ReadPlace,
  series: readonly VisibleSeries[],
): readonly Statement[] {
  return inChunks(
    series,
    ({ id, measure, currency, cut }) => sql`
    (${organizationId}::uuid, ${id}::uuid, ${sourceId}::uuid, ${measure}, ${version}::int, ${timezone}, ${grain}, ${currency},
      ${cut})`,
  ).map(
    (rows) => sql`
    insert into metric_series (organization_id, id, source_id, measure, measure_version, timezone, grain, currency, cut)
    values ${rows}`,
  );
}

export function endBlocks(organizationId: string, blocks: readonly VisibleBlock[], revision: number): Statement {
  const keys = blocks.map(({ seriesId, blockStart }) => ({ seriesId, blockStart }));
  return sql`
    with ended as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as row("seriesId" uuid, "blockStart" text))
    update metric_block b set to_revision = ${revision} from ended e
    where b.organization_id = ${organizationId} and b.series_id = e."seriesId" and b.block_start = e."blockStart"
      and b.to_revision is null`;
}

export function insertBlocks(
  organizationId: string,
  blocks: readonly VisibleBlock[],
  revision: number,
): readonly Statement[] {
  return inChunks(
    blocks,
    ({ seriesId, blockStart, values, reasons }) => sql`
    (${organizationId}::uuid, ${seriesId}::uuid, ${blockStart}, ${revision}::int, null, ${values}::numeric[],
      ${reasons}::text[])`,
  ).map(
    (rows) => sql`
    insert into metric_block (organization_id, series_id, block_start, from_revision, to_revision, values, reasons)
    values ${rows}`,
  );
}

export function endCoverage(place: CoveragePlace, periods: readonly Day[], revision: number): Statement {
  return sql`
    update metric_coverage c set to_revision = ${revision}
    where ${isOf(place)} and c.period_start = any(${periods}::text[]) and c.to_revision is null`;
}

export function insertCoverage(
  { organizationId, sourceId, readKey, version, timezone }: CoveragePlace,
  coverage: readonly ReadCoverage[],
  revision: number,
): readonly Statement[] {
  return inChunks(
    coverage,
    ({ periodStart, status, reason, provisional, collectedAt, reporting }) => sql`
    (${organizationId}::uuid, ${sourceId}::uuid, ${readKey}, ${version}::int, ${timezone}, ${periodStart}, ${revision}::int,
      null, ${status}, ${reason}, ${provisional}::boolean, ${collectedAt}::timestamptz,
      ${reporting === null ? null : JSON.stringify(reporting)}::jsonb)`,
  ).map(
    (rows) => sql`
    insert into metric_coverage (organization_id, source_id, read_key, read_version, timezone, period_start, from_revision,
      to_revision, status, reason, provisional, collected_at, reporting)
    values ${rows}`,
  );
}

export function insertRestatements(
  organizationId: string,
  restatements: readonly Restatement[],
  revision: number,
  now: string,
): readonly Statement[] {
  return inChunks(
    restatements,
    ({ seriesId, periodStart, old, new: is }) => sql`
    (${organizationId}::uuid, ${seriesId}::uuid, ${periodStart}, ${revision}::int, ${old}::numeric, ${is}::numeric,
      ${now}::timestamptz)`,
  ).map(
    (rows) => sql`
    insert into metric_restatement (organization_id, series_id, period_start, revision, old, new, at)
    values ${rows}`,
  );
}

export function insertPublication(
  { organizationId, sourceId }: Pick<ReadPlace, 'organizationId' | 'sourceId'>,
  collectionId: string,
  revision: number,
  now: string,
): Statement {
  return sql`
    insert into metric_publication (organization_id, revision, source_id, collection_id, at)
    values (${organizationId}, ${revision}, ${sourceId}, ${collectionId}, ${now})`;
}
