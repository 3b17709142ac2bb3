import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Transactions, type EntityTx } from '../../kernel/database/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { requireUnlimited } from '../../kernel/tenancy/index.ts';
import { AgentProfileProvisioningService } from '../agent-profiles/index.ts';
import { ChatCreationService } from '../chats/index.ts';
import { IntegrationCatalogService } from '../integrations/index.ts';
import {
  type CreateOrganizationDto,
  DEPARTMENTS,
  normalizeDetails,
  OrganizationsService,
} from '../organizations/index.ts';
import { FIRST_CHAT } from './first-chat.ts';
import { DiscoveryIntentionsService } from '../discovery/index.ts';
import type { CreatedOrganizationDto } from './provisioning.dto.ts';

/** Creates organizations with all that an active one needs, in one transaction. */
@Injectable()
export class ProvisioningService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly organizations: OrganizationsService,
    private readonly profiles: AgentProfileProvisioningService,
    private readonly chats: ChatCreationService,
    private readonly connectors: IntegrationCatalogService,
    private readonly discovery: DiscoveryIntentionsService,
  ) {}

  create(
    owner: OwnerPrincipal,
    body: CreateOrganizationDto,
    request: IdempotentRequest,
  ): Promise<CreatedOrganizationDto> {
    requireUnlimited(owner);
    const details = normalizeDetails(body);
    const organizationId = newId();
    return this.transactions.inNewOrganization(owner.subject, organizationId, (tx) =>
      this.idempotency.once<CreatedOrganizationDto>(
        tx,
        {
          subject: owner.subject,
          request,
          details,
          keepFor: '30 days',
          organizationOf: ({ organization }) => organization.id,
        },
        () => this.createIn(tx, owner, details),
      ),
    );
  }

  private async createIn(
    tx: EntityTx,
    owner: OwnerPrincipal,
    details: CreateOrganizationDto,
  ): Promise<CreatedOrganizationDto> {
    await this.organizations.createIn(tx, owner, details);
    const { profiles } = await this.profiles.provisionIn(tx, { departments: DEPARTMENTS });
    await this.connectors.createIn(tx);
    await this.discovery.createIn(tx, { departments: DEPARTMENTS });
    return {
      organization: await this.organizations.readIn(tx),
      agentProfiles: profiles,
      chat: await this.chats.createIn(tx, { title: FIRST_CHAT }),
    };
  }
}
