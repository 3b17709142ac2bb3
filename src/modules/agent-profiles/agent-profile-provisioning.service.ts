import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Transactions, type EntityTx, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { ActivityLogService, type Department, OrganizationsService, WorkPermitted } from '../organizations/index.ts';
import { type AgentProfileDto, type ProvisionDto, type ProvisionedDto, toAgentProfile } from './agent-profile.dto.ts';
import { AgentProfile } from './agent-profile.entity.ts';
import { pin } from './agent-profile-pin.ts';
import { lockLiveProfiles, lockProfileCapacities, profilesById } from './agent-profiles.queries.ts';
import { CatalogErrors } from './catalogs/catalog.errors.ts';
import { CatalogsService } from './catalogs/catalogs.service.ts';
import { newAgentProfile } from './new-agent-profile.ts';

interface Provision {
  readonly departments: readonly Department[];
  /** Pins to this revision; the current one, followed, when left out. */
  readonly revision?: string;
}

/** Gives an organization its built-in profiles: operator, chat and one for each department that is wanted. */
@Injectable()
export class AgentProfileProvisioningService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly catalogs: CatalogsService,
    private readonly organizations: OrganizationsService,
    private readonly permitted: WorkPermitted,
    private readonly activity: ActivityLogService,
  ) {}

  provision(
    owner: OwnerPrincipal,
    organizationId: string,
    body: ProvisionDto,
    request: IdempotentRequest,
  ): Promise<ProvisionedDto> {
    return this.transactions.inOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: body, organizationOf: () => organizationId },
        async () => {
          const { name } = await this.organizations.setDepartments(tx, body.departments);
          const provisioned = await this.provisionIn(tx, body);
          await this.permitted.tell(tx);
          await this.activity.record(tx, {
            actor: owner,
            verb: 'agent_profiles.provisioned',
            subject: { kind: 'organization', id: organizationId, label: name },
            details: { departments: body.departments, revision: provisioned.revision },
          });
          return provisioned;
        },
      ),
    );
  }

  /** The same in a transaction of the caller's, who sets the organization's departments itself. */
  async provisionIn(tx: EntityTx, { departments, revision }: Provision): Promise<ProvisionedDto> {
    const { organizationId } = tx;
    const published = await this.catalogs.readIn(tx, revision);
    await tx.rows(lockLiveProfiles(organizationId));
    const profiles = await tx.em.find(AgentProfile, { organization: organizationId, deletedAt: null });
    const disabled = profiles.filter(
      (profile) => profile.department && !departments.includes(profile.department) && profile.status === 'enabled',
    );
    await tx.rows(lockProfileCapacities(organizationId, { ids: disabled.map(({ id }) => id) }));
    for (const profile of disabled) Object.assign(profile, { status: 'disabled', disabledByDepartment: true });
    // The departments are switched with the provision, so what a switch disabled before comes back.
    for (const profile of profiles)
      if (profile.disabledByDepartment && profile.department && departments.includes(profile.department))
        Object.assign(profile, { status: 'enabled', disabledByDepartment: false });
    const catalogs = await this.catalogs.readManyIn(
      tx,
      profiles.map((profile) => profile.catalogRevision),
    );
    const provisioned = ['operator', 'chat', ...departments].map((key) => {
      const template = published.catalog.profiles.find((each) => each.key === key);
      if (!template)
        throw new ApiError(CatalogErrors.unpublished, { message: `The catalog has no template "${key}".` });
      const existing = profiles.find((profile) => profile.key === key);
      if (!existing)
        return newAgentProfile(tx, template, template, published, {
          updatePolicy: revision === undefined ? 'auto' : 'pinned',
        });
      pin(existing, template, published, catalogs.get(existing.catalogRevision));
      existing.status = 'enabled';
      existing.disabledByDepartment = false;
      if (revision !== undefined) existing.catalogUpdatePolicy = 'pinned';
      return existing;
    });
    await tx.em.flush();
    return {
      revision: published.revision,
      profiles: await this.readIn(tx, provisioned),
      disabledProfileIds: disabled.map(({ id }) => id),
    };
  }

  private async readIn(tx: Tx, profiles: readonly AgentProfile[]): Promise<AgentProfileDto[]> {
    const rows = await tx.rows(
      profilesById(
        tx.organizationId,
        profiles.map(({ id }) => id),
      ),
    );
    return rows.map(toAgentProfile);
  }
}
