import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { type EntityTx, Transactions } from '../../kernel/database/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { AgentProfileProvisioningService } from '../agent-profiles/index.ts';
import { ChatCreationService } from '../chats/index.ts';
import { DiscoveryIntentionsService } from '../discovery/index.ts';
import { IntegrationCatalogService } from '../integrations/index.ts';
import { KnowledgeMaterialService } from '../knowledge/index.ts';
import {
  type CompletedOnboardingDto,
  type CompleteOnboardingDto,
  OnboardingCompletionService,
  onboardingIn,
} from '../onboarding/index.ts';
import { ActivityLogService, lockOrganization, OrganizationsService } from '../organizations/index.ts';
import { FIRST_CHAT } from './first-chat.ts';

/** Makes an organization that was onboarded active, with all that it needs and the material that it brought, in one transaction. */
@Injectable()
export class ActivationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly organizations: OrganizationsService,
    private readonly onboardings: OnboardingCompletionService,
    private readonly profiles: AgentProfileProvisioningService,
    private readonly chats: ChatCreationService,
    private readonly connectors: IntegrationCatalogService,
    private readonly discovery: DiscoveryIntentionsService,
    private readonly material: KnowledgeMaterialService,
    private readonly activity: ActivityLogService,
  ) {}

  complete(
    owner: OwnerPrincipal,
    organizationId: string,
    body: CompleteOnboardingDto,
    request: IdempotentRequest,
  ): Promise<CompletedOnboardingDto> {
    const use = { subject: owner.subject, request, details: body, organizationOf: () => organizationId };
    return this.transactions.inOrganization(
      owner,
      organizationId,
      (tx) =>
        this.idempotency.once(tx, use, async () => {
          await this.completeIn(tx, owner, body);
          return { ...(await onboardingIn(tx)), organization: await this.organizations.readIn(tx) };
        }),
      { whileOnboarding: true },
    );
  }

  private async completeIn(tx: EntityTx, owner: OwnerPrincipal, body: CompleteOnboardingDto): Promise<void> {
    const organization = await lockOrganization(tx);
    const records = await this.onboardings.completeIn(tx, body);
    if (!records) return;
    await this.organizations.activateIn(tx, organization);
    await this.profiles.provisionIn(tx, { departments: organization.enabledDepartments });
    await this.chats.createIn(tx, { title: FIRST_CHAT });
    await this.connectors.createIn(tx);
    await this.discovery.createIn(tx, { departments: organization.enabledDepartments });
    await this.material.createIn(tx, records);
    await this.activity.record(tx, {
      actor: owner,
      verb: 'onboarding.completed',
      subject: { kind: 'onboarding', id: tx.organizationId, label: organization.name },
      details: { departments: organization.enabledDepartments, records: records.length },
    });
  }
}
