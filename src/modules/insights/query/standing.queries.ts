import { columns, sql, type Statement } from '../../../kernel/database/index.ts';

/** What an organization says of days and money, and the time. */
export interface OrganizationFacts {
  readonly timezone: string;
  readonly defaultCurrency: string | null;
  readonly now: string;
}

export function organizationFacts(organizationId: string): Statement<OrganizationFacts> {
  return sql`
    select ${columns<OrganizationFacts>({
      timezone: 'o.timezone',
      defaultCurrency: 'o.default_currency',
      now: 'clock_timestamp()',
    })} from organization o where o.id = ${organizationId}`;
}

/** A profile that is not deleted. */
export function profileStatus(organizationId: string, id: string): Statement<{ status: string }> {
  return sql`
    select p.status from agent_profile p
    where p.organization_id = ${organizationId} and p.id = ${id} and p.deleted_at is null`;
}
