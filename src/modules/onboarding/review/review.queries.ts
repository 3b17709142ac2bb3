import { sql, type Statement } from '../../../kernel/database/index.ts';
import { REVIEW } from '../onboarding.policy.ts';

/** Lets a source be read again over which processes died. */
export function tryAgainWhatKilled(organizationId: string): Statement {
  return sql`
    update onboarding_source set deaths = 0, result = null, extractor_version = null
    where organization_id = ${organizationId} and deaths >= ${REVIEW.deathsOfSource}`;
}
