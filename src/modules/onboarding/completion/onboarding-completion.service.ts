import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { type MaterialRecord, materialKeyOf } from '../../knowledge/index.ts';
import type { CompleteOnboardingDto } from '../onboarding.dto.ts';
import { OnboardingErrors, OnboardingIssues } from '../onboarding.errors.ts';
import { moved } from '../onboarding-lock.ts';
import { completeOnboarding, lockOnboarding } from '../onboarding.queries.ts';
import { factsOf, reviewedSources } from '../review/review.queries.ts';
import { type ReviewedSource, reviewOf } from '../review/review-document.ts';

const OTHER_REVIEW = 'This is not the digest of the review that there is: read the onboarding, and what was reviewed.';

/** Completes onboardings in the caller's transaction, which makes everything that an active organization has. */
@Injectable()
export class OnboardingCompletionService {
  /**
   * Marks the onboarding of the locked organization completed, if this review is of exactly what there is; answers the
   * records that the sources become. Undefined where it was completed with this review before.
   */
  async completeIn(tx: Tx, body: CompleteOnboardingDto): Promise<readonly MaterialRecord[] | undefined> {
    const { organizationId } = tx;
    const [onboarding] = await tx.rows(lockOnboarding(organizationId));
    if (!onboarding) throw new ApiError(OnboardingErrors.notFound);
    const isRead = onboarding.reviewSha256 === body.reviewSha256;
    if (onboarding.state === 'completed' && isRead) return undefined;
    const to = moved(onboarding, 'complete');
    const [[facts], sources] = await tx.batch([factsOf(organizationId), reviewedSources(organizationId)]);
    const extractorVersion = onboarding.extractorVersion!;
    const present = reviewOf({ organizationId, extractorVersion, facts: facts!, sources });
    const issues = [issueAt('reviewSha256', OnboardingIssues.reviewStale)];
    if (present.sha256 !== onboarding.reviewSha256) throw new ApiError(OnboardingErrors.reviewStale, { issues });
    if (!isRead) throw new ApiError(OnboardingErrors.reviewStale, { message: OTHER_REVIEW, issues });
    if (present.warnings.length > 0 && body.allowWarnings !== true)
      throw new ApiError(OnboardingErrors.warningsNotAllowed, {
        issues: [issueAt('allowWarnings', OnboardingIssues.warningsNotAllowed)],
      });
    await tx.rows(completeOnboarding(organizationId, to));
    return sources.flatMap(toRecords);
  }
}

/** A source that has no text becomes none. */
function toRecords(source: ReviewedSource): MaterialRecord[] {
  const { knowledgeId, sourceId, fileName, sha256, department, result } = source;
  if (result.finding === null) return [];
  return [
    {
      id: knowledgeId,
      key: materialKeyOf(sourceId),
      title: fileName,
      finding: result.finding,
      visibility: department === null ? 'organization' : 'department',
      department,
      evidence: { runId: null, sourceId, path: fileName, sha256 },
    },
  ];
}
