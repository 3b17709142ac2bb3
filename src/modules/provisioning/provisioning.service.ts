import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { DATABASE_NOW, statement, Transactions, type Tx } from '../../kernel/database/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { AgentProfileProvisioning } from '../agent-profiles/index.ts';
import {
  ActivityLog,
  type CreateOrganizationDto,
  DEPARTMENTS,
  normalizeCurrency,
  normalizeName,
  normalizeTimezone,
  normalizeWebsite,
  Organization,
  OrganizationSlugs,
  OrganizationsService,
} from '../organizations/index.ts';
import type { CreatedOrganizationDto } from './provisioning.dto.ts';

/** Creates organizations with all that an active one needs, in one transaction. */
@Injectable()
export class ProvisioningService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly organizations: OrganizationsService,
    private readonly slugs: OrganizationSlugs,
    private readonly profiles: AgentProfileProvisioning,
    private readonly activity: ActivityLog,
  ) {}

  create(
    owner: OwnerPrincipal,
    body: CreateOrganizationDto,
    request: IdempotentRequest,
  ): Promise<CreatedOrganizationDto> {
    const details = normalize(body);
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
        () => this.createIn(tx, owner, organizationId, details),
      ),
    );
  }

  private async createIn(
    tx: Tx,
    owner: OwnerPrincipal,
    organizationId: string,
    details: CreateOrganizationDto,
  ): Promise<CreatedOrganizationDto> {
    const slug = await this.slugs.take(tx, organizationId, details.name);
    tx.em.create(Organization, {
      id: organizationId,
      slug,
      ...details,
      status: 'active',
      onboardedAt: DATABASE_NOW,
      enabledDepartments: [...DEPARTMENTS],
      allowedIntegrations: [],
      blockedDomains: [],
      approvalRequiredForRisk: ['external', 'high'],
    });
    await tx.em.flush();
    await tx.rows(
      statement(
        `insert into membership (organization_id, subject, role, added_by) values ($1, $2, 'owner', $2)`,
        organizationId,
        owner.subject,
      ),
    );
    const { profiles } = await this.profiles.provisionIn(tx, organizationId, { departments: DEPARTMENTS });
    await this.activity.record(tx, {
      organizationId,
      actor: owner,
      verb: 'organization.created',
      subject: { kind: 'organization', id: organizationId, label: details.name },
    });
    return {
      organization: await this.organizations.readIn(tx, organizationId),
      agentProfiles: profiles,
      chat: null,
    };
  }
}

/** Company details as they are compared and stored; the body was validated, so each has a normal form. */
function normalize(body: CreateOrganizationDto): CreateOrganizationDto {
  return {
    name: normalizeName(body.name),
    website: normalizeWebsite(body.website)!,
    timezone: normalizeTimezone(body.timezone)!,
    defaultCurrency: normalizeCurrency(body.defaultCurrency)!,
  };
}
