import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { ReviewFactsDto } from '../onboarding.dto.ts';
import { REVIEW } from '../onboarding.policy.ts';
import { SOURCE_COLUMNS } from '../onboarding.queries.ts';
import type { SourceResult } from '../source-result.ts';
import type { HeldSource } from '../sources/sources.queries.ts';
import type { ReviewedSource } from './review-document.ts';

/** Lets a source be read again over which processes died. */
export function tryAgainWhatKilled(organizationId: string): Statement {
  return sql`
    update onboarding_source set deaths = 0, result = null, extractor_version = null
    where organization_id = ${organizationId} and deaths >= ${REVIEW.deathsOfSource}`;
}

/** Reviews that one statement finds. */
export const DUE_REVIEWS_LIMIT = 100;

/** Organizations whose review nobody holds, the one that has waited longest first. */
export function dueReviews(): Statement<{ organizationId: string }> {
  return sql`
    select b.organization_id as "organizationId"
    from onboarding b join organization o on o.id = b.organization_id and o.status <> 'deleting'
    where b.state = 'reviewing' and (b.lease_expires_at is null or b.lease_expires_at < clock_timestamp())
    order by b.turn_at, b.organization_id limit ${sql.raw(String(DUE_REVIEWS_LIMIT))}`;
}

const LEASE = sql.raw(`interval '${REVIEW.leaseSeconds} seconds'`);

export interface TakenReview {
  readonly generation: number;
  /** Leases that lapsed one behind the other, this one's predecessor among them. */
  readonly lapses: number;
}

/** Takes a review that nobody holds; no row where somebody does. */
export function takeReview(organizationId: string): Statement<TakenReview> {
  const id = sql.value(organizationId);
  return sql`
    with due as materialized (
      select b.generation + 1 as generation, b.lapses + case when b.lease_expires_at is null then 0 else 1 end as lapses,
        clock_timestamp() as now, clock_timestamp() + ${LEASE} as until
      from onboarding b
      where b.organization_id = ${id} and b.state = 'reviewing'
        and (b.lease_expires_at is null or b.lease_expires_at < clock_timestamp())
      for no key update of b skip locked),
    taken as (
      update onboarding b
      set generation = due.generation, lapses = due.lapses, turn_at = due.now, lease_expires_at = due.until
      from due where b.organization_id = ${id} returning 1)
    select generation, lapses from due`;
}

/** Locks a review that is still held by this generation; no row where it is not. */
export function holdReview(organizationId: string, generation: number): Statement<{ now: string }> {
  return sql`
    with held as materialized (
      select clock_timestamp() as now from onboarding b
      where b.organization_id = ${organizationId} and b.state = 'reviewing' and b.generation = ${generation}
        and b.lease_expires_at > clock_timestamp()
      for no key update of b)
    select now from held`;
}

/** Makes the lease of this generation last; no row where it is over. */
export function renewReview(organizationId: string, generation: number): Statement {
  const id = sql.value(organizationId);
  return sql`
    with held as materialized (
      select clock_timestamp() + ${LEASE} as until from onboarding b
      where b.organization_id = ${id} and b.state = 'reviewing' and b.generation = ${generation}
        and b.lease_expires_at > clock_timestamp()
      for no key update of b),
    renewed as (
      update onboarding b set lease_expires_at = held.until from held where b.organization_id = ${id} returning 1)
    select from held`;
}

/** Lets another process go on at once with a review that is held. */
export function releaseReview(organizationId: string): Statement {
  return sql`update onboarding set lease_expires_at = null where organization_id = ${organizationId}`;
}

/** The same behind a source that was read. */
export function passTurn(organizationId: string): Statement {
  return sql`update onboarding set lease_expires_at = null, lapses = 0 where organization_id = ${organizationId}`;
}

export interface UnreadSource extends HeldSource {
  readonly deaths: number;
}

const selectUnread = columns<UnreadSource>({
  ...SOURCE_COLUMNS,
  uploadId: 's.upload_id',
  knowledgeId: 's.knowledge_id',
  deaths: 's.deaths',
});

/** The next source that this extractor has not read. */
export function nextUnread(organizationId: string, extractorVersion: string): Statement<UnreadSource> {
  return sql`
    select ${selectUnread} from onboarding_source s
    where s.organization_id = ${organizationId}
      and (s.result is null or s.extractor_version is distinct from ${extractorVersion})
    order by s.created_at, s.id limit 1`;
}

/** Notes how many processes began to read a source and have not read it yet. */
export function noteDeaths(organizationId: string, sourceId: string, deaths: number): Statement {
  return sql`
    update onboarding_source set deaths = ${deaths} where organization_id = ${organizationId} and id = ${sourceId}`;
}

interface Read {
  readonly extractorVersion: string;
  readonly result: SourceResult;
  readonly deaths: number;
}

export function recordResult(organizationId: string, sourceId: string, read: Read): Statement {
  const { extractorVersion, result, deaths } = read;
  return sql`
    update onboarding_source
    set result = ${JSON.stringify(result)}::jsonb, extractor_version = ${extractorVersion}, deaths = ${deaths}
    where organization_id = ${organizationId} and id = ${sourceId}`;
}

/** What of the organization the review is about. */
export function factsOf(organizationId: string): Statement<ReviewFactsDto> {
  return sql`
    select o.name, o.slug, o.timezone, o.enabled_departments as departments, o.website,
      o.default_currency as "defaultCurrency"
    from organization o where o.id = ${organizationId}`;
}

const selectReviewed = columns<ReviewedSource>({
  ...SOURCE_COLUMNS,
  knowledgeId: 's.knowledge_id',
  result: 's.result',
});

/** Sources with what was found in them. */
export function reviewedSources(organizationId: string): Statement<ReviewedSource> {
  return sql`
    select ${selectReviewed} from onboarding_source s
    where s.organization_id = ${organizationId} and s.result is not null order by s.id`;
}

export function recordReview(
  organizationId: string,
  { state, review, now }: { readonly state: string; readonly review: object; readonly now: string },
): Statement {
  return sql`
    update onboarding
    set state = ${state}, review = ${JSON.stringify(review)}::jsonb, lapses = 0, lease_expires_at = null,
      updated_at = ${now}
    where organization_id = ${organizationId}`;
}
