import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import type { OnboardingDto, SourceDto } from './onboarding.dto.ts';
import type { OnboardingError, OnboardingState } from './onboarding.state.ts';

/** The record without its sources, which are rows of their own. */
export type OnboardingRow = Omit<OnboardingDto, 'sources'>;

const select = columns<OnboardingRow>({
  organizationId: 'b.organization_id',
  state: 'b.state',
  departments: 'o.enabled_departments',
  review: 'b.review',
  error: 'b.error',
  startedAt: 'b.started_at',
  completedAt: 'b.completed_at',
  createdAt: 'b.created_at',
  updatedAt: 'b.updated_at',
});

export function onboardingOf(organizationId: string): Statement<OnboardingRow> {
  const id = sql.value(organizationId);
  return sql`
    select ${select} from onboarding b join organization o on o.id = ${id} where b.organization_id = ${id}`;
}

/** Columns of a source aliased `s`. */
export const SOURCE_COLUMNS = {
  sourceId: 's.id',
  kind: 's.kind',
  fileName: 's.file_name',
  mediaType: 's.media_type',
  sizeBytes: 's.size_bytes',
  sha256: 's.sha256',
  department: 's.department',
  createdAt: 's.created_at',
} as const;

const selectSource = columns<SourceDto>(SOURCE_COLUMNS);

/** In the order in which they were stored. */
export function sourcesOf(organizationId: string): Statement<SourceDto> {
  return sql`
    select ${selectSource} from onboarding_source s where s.organization_id = ${organizationId}
    order by s.created_at, s.id`;
}

export function insertOnboarding(organizationId: string): Statement {
  return sql`insert into onboarding (organization_id) values (${organizationId})`;
}

export interface LockedOnboarding {
  readonly state: OnboardingState;
  readonly generation: number;
  readonly reviewSha256: string | null;
  /** Of the review. */
  readonly extractorVersion: string | null;
  /** The source over which the review failed. */
  readonly failedSourceId: string | null;
  /** The database's clock, behind the wait for the lock. */
  readonly now: string;
}

/** Locks the record, behind the organization's own row. */
export function lockOnboarding(organizationId: string): Statement<LockedOnboarding> {
  return sql`
    with locked as materialized (
      select b.state, b.generation, b.review, b.error from onboarding b where b.organization_id = ${organizationId}
      for no key update of b)
    select state, generation, review->>'sha256' as "reviewSha256",
      review->>'extractorVersion' as "extractorVersion", error->>'sourceId' as "failedSourceId", clock_timestamp() as now from locked`;
}

interface Moved {
  readonly state: OnboardingState;
  readonly now: string;
}

/** What was reviewed is no more what there is. */
export function clearReview(organizationId: string, { state, now }: Moved): Statement {
  return sql`
    update onboarding set state = ${state}, review = null, error = null, updated_at = ${now}
    where organization_id = ${organizationId}`;
}

/** Asks for a review; what somebody still does for an earlier one counts no more. */
export function askForReview(organizationId: string, generation: number, { state, now }: Moved): Statement {
  return sql`
    update onboarding set state = ${state}, review = null, error = null, generation = ${generation},
      lease_expires_at = null, lapses = 0, turn_at = ${now}, started_at = ${now}, updated_at = ${now}
    where organization_id = ${organizationId}`;
}

export function failOnboarding(organizationId: string, error: OnboardingError, { state, now }: Moved): Statement {
  return sql`
    update onboarding set state = ${state}, error = ${JSON.stringify(error)}::jsonb, lease_expires_at = null,
      updated_at = ${now}
    where organization_id = ${organizationId}`;
}

export function endOnboarding(organizationId: string, { state, now }: Moved): Statement {
  return sql`
    update onboarding set state = ${state}, lease_expires_at = null, updated_at = ${now}
    where organization_id = ${organizationId}`;
}

export function completeOnboarding(organizationId: string, { state, now }: Moved): Statement {
  return sql`
    update onboarding set state = ${state}, completed_at = ${now}, updated_at = ${now}
    where organization_id = ${organizationId}`;
}
