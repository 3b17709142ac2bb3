import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import { BOOTSTRAP, type Entrant } from '../../kernel/tenancy/index.ts';
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
  maxLiveRuns: 'o.max_live_runs',
  allowedIntegrations: 'o.allowed_integrations',
  blockedDomains: 'o.blocked_domains',
  approvalRequiredForRisk: 'o.approval_required_for_risk',
  createdAt: 'o.created_at',
  updatedAt: 'o.updated_at',
});

export function organizationById(organizationId: string): Statement<OrganizationRow> {
  return sql`select ${select} from organization o where o.id = ${organizationId}`;
}

/** The organizations that an owner's token is a member of, newest first: ids grow with time. */
export function organizationsOf(
  { subject, organizationIds }: Entrant,
  query: OrganizationListQuery,
): KeysetList<OrganizationRow> {
  const filters = new Filters().oneOf('o.status', query.status).window('o', query);
  // The administrator belongs to every organization without a row that says so.
  const isBootstrap = subject === BOOTSTRAP;
  const id = isBootstrap ? 'o.id' : 'm.organization_id';
  const limit = organizationIds ? [sql`${sql.raw(id)} = any(${organizationIds}::uuid[])`] : [];
  const membership = isBootstrap ? [] : [sql`m.subject = ${subject}`];
  return new KeysetList<OrganizationRow>(
    {
      select,
      from: isBootstrap ? 'organization o' : 'membership m join organization o on o.id = m.organization_id',
      where: [...membership, ...limit, `o.status <> 'deleting'`, ...filters.where],
      sortBy: [{ sql: id, type: 'uuid', of: ({ id }) => id }],
      cursor: uuidCursor,
    },
    query,
  );
}

/** Locks the organization's own row, unless it was marked meanwhile. Not FOR UPDATE, which would hold up every insert of a row that references it. */
export function lockOrganizationRow(organizationId: string): Statement {
  return sql`select from organization where id = ${organizationId} and status <> 'deleting' for no key update`;
}

/** Advances the epoch of the locked organization: capabilities and sessions of before are refused from then on. */
export function advanceAuthorizationEpoch(organizationId: string): Statement<{ authorizationEpoch: number }> {
  const id = sql.value(organizationId);
  return sql`
    with next as materialized (
      select authorization_epoch + 1 as epoch, clock_timestamp() as at from organization where id = ${id}
      for no key update),
    advanced as (
      update organization set authorization_epoch = next.epoch, updated_at = next.at from next where id = ${id})
    select epoch as "authorizationEpoch" from next`;
}

/** Locks the row of the organization's capacity. */
export function lockCapacityRow(organizationId: string): Statement {
  return sql`select from organization_capacity where organization_id = ${organizationId} for no key update`;
}

/** Sets how many runs may be live. Holds the capacity row, so that no start is half way. */
export function setCapacity(organizationId: string, maxLiveRuns: number): Statement {
  return sql`
    insert into organization_capacity (organization_id, max_live_runs) values (${organizationId}, ${maxLiveRuns})
    on conflict (organization_id) do update set max_live_runs = excluded.max_live_runs`;
}

/**
 * Takes the first free slug of `base`, `base-2`, `base-3` …; answers no row where another transaction took it first. The
 * series is in a select list, which makes only the numbers that are needed (measured: 0.04 ms; in FROM, which makes all of
 * them, 43 ms).
 */
export function takeFreeSlug(organizationId: string, base: string): Statement<{ slug: string }> {
  const name = sql.value(base);
  return sql`
    insert into organization_slug (slug, organization_id)
    select candidate, ${organizationId} from (
      select case when n = 1 then ${name} else ${name} || '-' || n end as candidate
      from (select generate_series(1, 1000000) as n) numbers) c
    where not exists (select from organization_slug s where s.slug = candidate)
    limit 1
    on conflict (slug) do nothing
    returning slug`;
}

/** Takes one slug; no row where another organization has it. */
export function takeSlug(organizationId: string, slug: string): Statement {
  return sql`
    insert into organization_slug (slug, organization_id) values (${slug}, ${organizationId})
    on conflict (slug) do nothing
    returning slug`;
}

export function releaseSlug(organizationId: string): Statement {
  return sql`delete from organization_slug where organization_id = ${organizationId}`;
}
