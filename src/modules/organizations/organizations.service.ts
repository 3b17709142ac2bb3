import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import {
  DATABASE_NOW,
  type EntityTx,
  INSERTED_AT,
  Reads,
  type Statement,
  Transactions,
  type Tx,
} from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActivityLogService } from './activity/activity-log.service.ts';
import { ConstraintsChanged } from './constraints-changed.port.ts';
import { DepartmentSwitch } from './department-switch.port.ts';
import { addMember } from './members/members.queries.ts';
import {
  type CreateOrganizationDto,
  type CreateOrganizationShellDto,
  type OrganizationDto,
  type OrganizationListQuery,
  toOrganization,
  type UpdateOrganizationDto,
} from './organization.dto.ts';
import { Organization } from './organization.entity.ts';
import { OrganizationErrors } from './organization.errors.ts';
import { OrganizationCapacity } from './organization-capacity.entity.ts';
import { type Department, DEPARTMENTS } from './organization.state.ts';
import { lockOrganization, lockOrganizationCapacity } from './organization-lock.ts';
import { applyPatch } from './organization-patch.ts';
import { OrganizationSignalsService } from './organization-signals.service.ts';
import { OrganizationSlugsService } from './organization-slugs.service.ts';
import {
  advanceAuthorizationEpoch,
  organizationById,
  organizationsOf,
  releaseSlug,
  setCapacity,
} from './organizations.queries.ts';
import { WorkPermitted } from './work-dispatch/work-permitted.port.ts';

interface NewOrganization {
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'onboarding';
  readonly website: string | null;
  readonly defaultCurrency: string | null;
  readonly timezone: string;
  readonly onboardedAt: string | null;
  readonly enabledDepartments: Department[];
  readonly maxTaskDepth?: number;
  readonly maxPlanOperations?: number;
  readonly maxInitiativeDescendants?: number;
  readonly maxLiveRuns?: number;
}

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLogService,
    private readonly departments: DepartmentSwitch,
    private readonly constraints: ConstraintsChanged,
    private readonly slugs: OrganizationSlugsService,
    private readonly permitted: WorkPermitted,
    private readonly signals: OrganizationSignalsService,
  ) {}

  async list(owner: OwnerPrincipal, query: OrganizationListQuery): Promise<Page<OrganizationDto>> {
    return (await this.reads.listAsSubject(owner.subject, organizationsOf(owner, query))).map(toOrganization);
  }

  async read(owner: OwnerPrincipal, organizationId: string): Promise<OrganizationDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, organizationById(organizationId));
    if (!row) throw new ApiError(EdgeErrors.organizationNotFound);
    return toOrganization(row);
  }

  /** Creates an active organization in a transaction that has entered it, with its creator as first member. */
  async createIn(tx: EntityTx, owner: OwnerPrincipal, details: CreateOrganizationDto): Promise<void> {
    const { config: { limits = {} } = {}, ...company } = details;
    await this.insertIn(tx, owner, {
      slug: await this.slugs.take(tx, details.name),
      ...company,
      ...limits,
      status: 'active',
      onboardedAt: INSERTED_AT,
      enabledDepartments: [...DEPARTMENTS],
    });
    await this.activity.record(tx, {
      actor: owner,
      verb: 'organization.created',
      subject: { kind: 'organization', id: tx.organizationId, label: details.name },
    });
  }

  /**
   * Creates an organization that is being onboarded, with its creator as first member, under exactly this slug; the caller
   * writes the activity.
   */
  async createShellIn(tx: EntityTx, owner: OwnerPrincipal, shell: CreateOrganizationShellDto): Promise<void> {
    const { name, slug, timezone, departments } = shell;
    if (!(await this.slugs.takeExactly(tx, slug))) throw new ApiError(OrganizationErrors.slugTaken);
    await this.insertIn(tx, owner, {
      slug,
      name,
      timezone,
      website: null,
      defaultCurrency: null,
      status: 'onboarding',
      onboardedAt: null,
      enabledDepartments: DEPARTMENTS.filter((key) => departments.includes(key)),
    });
  }

  /** Ends the onboarding of the locked organization: from the commit on everything works in it. */
  async activateIn(tx: EntityTx, organization: Organization): Promise<void> {
    Object.assign(organization, { status: 'active', onboardedAt: DATABASE_NOW });
    await tx.em.flush();
    await this.permitted.tell(tx);
    this.signals.changed(tx);
  }

  /** The statement that advances the authorization epoch, for a change of what runs may reach; workers hear of it. */
  advanceEpoch(tx: Tx): Statement<{ authorizationEpoch: number }> {
    this.signals.changed(tx);
    return advanceAuthorizationEpoch(tx.organizationId);
  }

  private async insertIn(tx: EntityTx, owner: OwnerPrincipal, columns: NewOrganization): Promise<void> {
    const { organizationId } = tx;
    const organization = tx.em.create(Organization, {
      id: organizationId,
      ...columns,
      allowedIntegrations: [],
      blockedDomains: [],
      approvalRequiredForRisk: ['external', 'high'],
    });
    const { maxLiveRuns } = columns;
    tx.em.create(OrganizationCapacity, { organization, ...(maxLiveRuns === undefined ? {} : { maxLiveRuns }) });
    await tx.em.flush();
    await tx.rows(addMember(organizationId, { subject: owner.subject, role: 'owner', addedBy: owner.subject }));
  }

  /** The organization as this transaction sees it. */
  async readIn(tx: Tx): Promise<OrganizationDto> {
    const [row] = await tx.rows(organizationById(tx.organizationId));
    if (!row) throw new ApiError(EdgeErrors.organizationNotFound);
    return toOrganization(row);
  }

  update(owner: OwnerPrincipal, organizationId: string, body: UpdateOrganizationDto): Promise<OrganizationDto> {
    return this.transactions.inOrganization(
      owner,
      organizationId,
      async (tx) => {
        const organization = await lockOrganization(tx);
        const before = new Set(organization.enabledDepartments);
        const { maxLiveRuns: limitBefore, authorizationEpoch: epochBefore } = organization;
        const changed = applyPatch(organization, body);
        if (changed.length === 0) return this.readIn(tx);
        await tx.em.flush();
        const { maxLiveRuns } = organization;
        if (maxLiveRuns !== limitBefore) await tx.rows(setCapacity(organizationId, maxLiveRuns));
        if (maxLiveRuns > limitBefore) await this.permitted.tell(tx);
        if (organization.authorizationEpoch !== epochBefore) {
          this.signals.changed(tx);
          await this.constraints.tell(tx);
        }
        const after = new Set(organization.enabledDepartments);
        await this.departments.switched(tx, [...after.difference(before)], [...before.difference(after)]);
        await this.activity.record(tx, {
          actor: owner,
          verb: 'organization.updated',
          subject: { kind: 'organization', id: organizationId, label: organization.name },
          details: { changed },
        });
        return this.readIn(tx);
      },
      { whileOnboarding: true },
    );
  }

  /** Sets which departments are enabled; the caller switches their profiles itself. */
  async setDepartments(tx: EntityTx, departments: readonly Department[]): Promise<Organization> {
    const organization = await lockOrganization(tx);
    const enabled = DEPARTMENTS.filter((key) => departments.includes(key));
    const [before, after] = [new Set(organization.enabledDepartments), new Set(enabled)];
    if (before.symmetricDifference(after).size === 0) return organization;
    organization.enabledDepartments = enabled;
    await tx.em.flush();
    const [on, off] = [[...after.difference(before)], [...before.difference(after)]];
    await this.departments.switched(tx, on, off, { profiles: false });
    return organization;
  }

  /**
   * Marks the organization: from the commit on no caller finds it, its slug is free and nothing new starts; the purge
   * removes its rows afterwards.
   */
  delete(owner: OwnerPrincipal, organizationId: string): Promise<OrganizationDto> {
    return this.transactions.inOrganization(
      owner,
      organizationId,
      async (tx) => {
        await this.deleteIn(tx, owner, await lockOrganization(tx));
        return this.readIn(tx);
      },
      { whileOnboarding: true },
    );
  }

  /** The same to the locked organization, in a transaction of the caller's. */
  async deleteIn(tx: EntityTx, owner: OwnerPrincipal, organization: Organization): Promise<void> {
    const { organizationId } = tx;
    await lockOrganizationCapacity(tx);
    organization.status = 'deleting';
    await tx.em.flush();
    await tx.rows(releaseSlug(organizationId));
    this.signals.changed(tx);
    await this.activity.record(tx, {
      actor: owner,
      verb: 'organization.deleted',
      subject: { kind: 'organization', id: organizationId, label: organization.name },
    });
  }
}
