import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { OrganizationNotFound, Reads, statement, Transactions, type Tx } from '../../kernel/database/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActivityLog } from './activity-log.ts';
import { DepartmentSwitch } from './department-switch.ts';
import {
  type OrganizationDto,
  type OrganizationListQuery,
  toOrganization,
  type UpdateOrganizationDto,
} from './organization.dto.ts';
import { type Department, DEPARTMENTS } from './organization.state.ts';
import { applyPatch } from './organization-patch.ts';
import { lockOrganization } from './organization-lock.ts';
import { organizationById, organizationsOf } from './organizations.queries.ts';

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLog,
    private readonly departments: DepartmentSwitch,
  ) {}

  async list(owner: OwnerPrincipal, query: OrganizationListQuery): Promise<Page<OrganizationDto>> {
    return (await this.reads.listAsSubject(owner.subject, organizationsOf(owner.subject, query))).map(toOrganization);
  }

  async read(owner: OwnerPrincipal, organizationId: string): Promise<OrganizationDto> {
    const [row] = await this.reads.inOrganization(owner.subject, organizationId, organizationById(organizationId));
    if (!row) throw new OrganizationNotFound();
    return toOrganization(row);
  }

  /** The organization as it stands in this transaction. */
  async readIn(tx: Tx, organizationId: string): Promise<OrganizationDto> {
    const [row] = await tx.rows(organizationById(organizationId));
    if (!row) throw new OrganizationNotFound();
    return toOrganization(row);
  }

  update(owner: OwnerPrincipal, organizationId: string, body: UpdateOrganizationDto): Promise<OrganizationDto> {
    return this.transactions.inOrganization(
      owner.subject,
      organizationId,
      async (tx) => {
        const organization = await lockOrganization(tx, organizationId);
        const before = new Set(organization.enabledDepartments as Department[]);
        const changed = applyPatch(organization, body);
        if (changed.length === 0) return this.readIn(tx, organizationId);
        await tx.em.flush();
        const after = new Set(organization.enabledDepartments as Department[]);
        await this.departments.switched(
          tx,
          organizationId,
          [...after.difference(before)],
          [...before.difference(after)],
        );
        await this.activity.record(tx, {
          organizationId,
          actor: owner,
          verb: 'organization.updated',
          subject: { kind: 'organization', id: organizationId, label: organization.name },
          details: { changed },
        });
        return this.readIn(tx, organizationId);
      },
      { whileOnboarding: true },
    );
  }

  /** Sets which departments are enabled, without the consequences that `update` has. */
  async setDepartments(tx: Tx, organizationId: string, departments: readonly Department[]): Promise<void> {
    const organization = await lockOrganization(tx, organizationId);
    const enabled = DEPARTMENTS.filter((key) => departments.includes(key));
    if (enabled.join() !== organization.enabledDepartments.join()) organization.enabledDepartments = enabled;
    await tx.em.flush();
  }

  /**
   * Marks the organization: from the commit on nobody finds it, its slug is free and nothing new starts; the purge
   * removes its rows afterwards.
   */
  delete(owner: OwnerPrincipal, organizationId: string): Promise<OrganizationDto> {
    return this.transactions.inOrganization(
      owner.subject,
      organizationId,
      async (tx) => {
        const organization = await lockOrganization(tx, organizationId);
        organization.status = 'deleting';
        await tx.em.flush();
        await tx.rows(statement('delete from organization_slug where organization_id = $1', organizationId));
        await this.activity.record(tx, {
          organizationId,
          actor: owner,
          verb: 'organization.deleted',
          subject: { kind: 'organization', id: organizationId, label: organization.name },
        });
        return this.readIn(tx, organizationId);
      },
      { whileOnboarding: true },
    );
  }
}
