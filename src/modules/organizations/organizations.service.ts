import { LockMode } from '@mikro-orm/core';
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
import { Organization } from './organization.entity.ts';
import {
  normalizeCurrency,
  normalizeDomain,
  normalizeName,
  normalizeTimezone,
  normalizeWebsite,
} from './organization.policy.ts';
import { type Department, DEPARTMENTS } from './organization.state.ts';
import { organizationById, organizationsOf } from './organizations.queries.ts';

@Injectable()
export class OrganizationsService {
  private readonly reads: Reads;
  private readonly transactions: Transactions;
  private readonly activity: ActivityLog;
  private readonly departments: DepartmentSwitch;

  constructor(reads: Reads, transactions: Transactions, activity: ActivityLog, departments: DepartmentSwitch) {
    this.reads = reads;
    this.transactions = transactions;
    this.activity = activity;
    this.departments = departments;
  }

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
        const changed = apply(organization, body);
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
    assign(
      organization,
      'enabledDepartments',
      DEPARTMENTS.filter((key) => departments.includes(key)),
    );
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

/** The organization's row, locked; first in the order of locks. One that was marked meanwhile is not found. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<Organization> {
  const organization = await tx.em.findOne(Organization, organizationId, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!organization || organization.status === 'deleting') throw new OrganizationNotFound();
  return organization;
}

/** Applies a PATCH and names what it changed. */
function apply(organization: Organization, body: UpdateOrganizationDto): string[] {
  const { config = {}, constraints = {} } = body;
  const changed: string[] = [];
  const set = <Key extends keyof Organization>(path: string, key: Key, value: Organization[Key] | undefined) => {
    if (value !== undefined && assign(organization, key, value)) changed.push(path);
  };
  set('name', 'name', body.name && normalizeName(body.name));
  set('website', 'website', body.website && normalizeWebsite(body.website));
  set('timezone', 'timezone', body.timezone && normalizeTimezone(body.timezone));
  set('defaultCurrency', 'defaultCurrency', body.defaultCurrency && normalizeCurrency(body.defaultCurrency));
  set('config.limits.maxTaskDepth', 'maxTaskDepth', config.limits?.maxTaskDepth);
  set('config.limits.maxPlanOperations', 'maxPlanOperations', config.limits?.maxPlanOperations);
  set('config.limits.maxInitiativeDescendants', 'maxInitiativeDescendants', config.limits?.maxInitiativeDescendants);
  set(
    'config.departments',
    'enabledDepartments',
    departmentsAfter(organization.enabledDepartments, config.departments),
  );
  set('constraints.approvalRequiredForRisk', 'approvalRequiredForRisk', constraints.approvalRequiredForRisk);
  set('constraints.allowedIntegrations', 'allowedIntegrations', constraints.allowedIntegrations);
  const blocked = constraints.blockedDomains?.map((domain) => normalizeDomain(domain)!);
  set('constraints.blockedDomains', 'blockedDomains', blocked && [...new Set(blocked)]);
  if (changed.some((path) => path === 'constraints.allowedIntegrations' || path === 'constraints.blockedDomains'))
    organization.authorizationEpoch += 1;
  return changed;
}

function departmentsAfter(
  enabled: readonly string[],
  update: { [Key in Department]?: { enabled: boolean } } | undefined,
): string[] | undefined {
  return update && DEPARTMENTS.filter((key) => update[key]?.enabled ?? enabled.includes(key));
}

/** Whether the value is another than before; lists are compared by their items, in any order. */
function assign<Key extends keyof Organization>(
  organization: Organization,
  key: Key,
  value: Organization[Key],
): boolean {
  const comparable = (each: unknown) => JSON.stringify(Array.isArray(each) ? [...(each as string[])].sort() : each);
  if (comparable(organization[key]) === comparable(value)) return false;
  organization[key] = value;
  return true;
}
