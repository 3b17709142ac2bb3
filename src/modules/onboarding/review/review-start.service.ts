import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import type { OnboardingDto } from '../onboarding.dto.ts';
import { OnboardingErrors } from '../onboarding.errors.ts';
import { lockedOnboarding, moved } from '../onboarding-lock.ts';
import { recordIn } from '../onboarding-record.ts';
import { askForReview } from '../onboarding.queries.ts';
import { tryAgainWhatKilled } from './review.queries.ts';

/** Asks for a review of the sources; the job does it. */
@Injectable()
export class ReviewStartService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly activity: ActivityLogService,
  ) {}

  start(owner: OwnerPrincipal, organizationId: string, request: IdempotentRequest): Promise<OnboardingDto> {
    return this.transactions.statementsInOrganization(
      owner,
      organizationId,
      (tx) =>
        this.idempotency.once(
          tx,
          { subject: owner.subject, request, details: {}, organizationOf: () => organizationId },
          async () => {
            const onboarding = await lockedOnboarding(tx);
            const before = await recordIn(tx);
            if (onboarding.state === 'reviewing') return before;
            const to = moved(onboarding, 'start');
            if (before.sources.length === 0) throw new ApiError(OnboardingErrors.withoutSource);
            const entry = this.activity.entry(tx, {
              actor: owner,
              verb: 'onboarding.started',
              subject: { kind: 'onboarding', id: organizationId, label: String(before.sources.length) },
              details: { sources: before.sources.length },
            });
            await tx.batch([
              askForReview(organizationId, onboarding.generation + 1, to),
              tryAgainWhatKilled(organizationId),
              ...entry,
            ]);
            return recordIn(tx);
          },
        ),
      { whileOnboarding: true },
    );
  }
}
