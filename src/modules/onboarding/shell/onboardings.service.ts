import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { requireUnlimited } from '../../../kernel/tenancy/index.ts';
import { ChatCreationService } from '../../chats/index.ts';
import {
  ActivityLogService,
  type CreateOrganizationShellDto,
  lockOrganization,
  normalizeDetails,
  OrganizationsService,
} from '../../organizations/index.ts';
import type { OnboardingDto } from '../onboarding.dto.ts';
import { OnboardingErrors } from '../onboarding.errors.ts';
import { moved } from '../onboarding-lock.ts';
import { recordIn, recordStatements, toRecord } from '../onboarding-record.ts';
import { endOnboarding, insertOnboarding, lockOnboarding } from '../onboarding.queries.ts';

const CHAT = 'Onboarding';

/** How organizations begin that are onboarded with material, and how that is given up. */
@Injectable()
export class OnboardingsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly organizations: OrganizationsService,
    private readonly chats: ChatCreationService,
    private readonly activity: ActivityLogService,
  ) {}

  create(owner: OwnerPrincipal, body: CreateOrganizationShellDto, request: IdempotentRequest): Promise<OnboardingDto> {
    requireUnlimited(owner);
    const shell = normalizeDetails(body);
    const organizationId = newId();
    return this.transactions.inNewOrganization(owner.subject, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: shell, organizationOf: (record) => record.organizationId },
        async () => {
          await this.organizations.createShellIn(tx, owner, shell);
          await this.chats.createIn(tx, { title: CHAT, isOnboardingChat: true });
          await tx.rows(insertOnboarding(organizationId));
          await this.activity.record(tx, {
            actor: owner,
            verb: 'onboarding.begun',
            subject: { kind: 'onboarding', id: organizationId, label: shell.name },
          });
          return recordIn(tx);
        },
      ),
    );
  }

  async read(owner: OwnerPrincipal, organizationId: string): Promise<OnboardingDto> {
    const record = await this.reads.listInOrganization(owner, organizationId, {
      statements: () => recordStatements(organizationId),
      result: ([[row], sources]) => toRecord(row, sources),
    });
    if (!record) throw new ApiError(OnboardingErrors.notFound);
    return record;
  }

  /** Gives an onboarding up, and the organization with it: its slug is free at once, rows and bytes are purged. */
  discard(owner: OwnerPrincipal, organizationId: string): Promise<OnboardingDto> {
    return this.transactions.inOrganization(
      owner,
      organizationId,
      async (tx) => {
        const organization = await lockOrganization(tx);
        const [onboarding] = await tx.rows(lockOnboarding(organizationId));
        if (!onboarding) throw new ApiError(OnboardingErrors.notFound);
        await tx.rows(endOnboarding(organizationId, moved(onboarding, 'discard')));
        const record = await recordIn(tx);
        await this.organizations.deleteIn(tx, owner, organization);
        return record;
      },
      { whileOnboarding: true },
    );
  }
}
