import { columns, sql, type Statement, statement } from '../../kernel/database/index.ts';
import { BOOTSTRAP } from '../../kernel/tenancy/index.ts';
import { Filters, KeysetList, uuidCursor } from '../../kernel/pagination/index.ts';
import type { OrganizationListQuery, OrganizationRow } from './organization.dto.ts';

const select = columns<OrganizationRow>({
  id: 'o.id',
  slug: 'o.slug',
  name: 'o.name',
  status: 'o.status',
  website: 'o.website',
  defaultCurrency: 'o.default_currency',
  timezone: 'o.timezone',
  onboardedAt: 'o.onboarded_at',
  workDispatchStoppedAt: 'o.work_dispatch_stopped_at',
  authorizationEpoch: 'o.authorization_epoch',
  enabledDepartments: 'o.enabled_departments',
  maxTaskDepth: 'o.max_task_depth',
  maxPlanOperations: 'o.max_plan_operations',
  maxInitiativeDescendants: 'o.max_initiative_descendants',
  allowedIntegrations: 'o.allowed_integrations',
  blockedDomains: 'o.blocked_domains',
  approvalRequiredForRisk: 'o.approval_required_for_risk',
  createdAt: 'o.created_at',
  updatedAt: 'o.updated_at',
});

export function organizationById(organizationId: string): Statement<OrganizationRow> {
  return statement(`select ${select} from organization o where o.id = $1`, organizationId);
}

/** The organizations that a subject belongs to, newest first: ids grow with time. */
export function organizationsOf(subject: string, query: OrganizationListQuery): KeysetList<OrganizationRow> {
  const filters = new Filters().oneOf('o.status', query.status).window('o', query);
  // The administrator belongs to every organization without a row that says so.
  const isBootstrap = subject === BOOTSTRAP;
  const membership = isBootstrap ? [] : [sql`m.subject = ${subject}`];
  return new KeysetList<OrganizationRow>(
    {
      select,
      from: isBootstrap ? 'organization o' : 'membership m join organization o on o.id = m.organization_id',
      where: [...membership, `o.status <> 'deleting'`, ...filters.where],
      sortBy: [{ sql: isBootstrap ? 'o.id' : 'm.organization_id', type: 'uuid', of: ({ id }) => id }],
      cursor: uuidCursor,
    },
    query,
  );
}
