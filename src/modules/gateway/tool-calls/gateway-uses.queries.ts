import { sql, type Statement } from '../../../kernel/database/index.ts';

/** What a call must know beside the connector. */
export interface CallGround {
  readonly approvalRequiredForRisk: readonly string[];
  /** Age of the list of discovered tools; null where there is none. */
  readonly listedSecondsAgo: number | null;
}

export function callGround(organizationId: string, integrationId: string): Statement<CallGround> {
  const organization = sql.value(organizationId);
  return sql`
    select o.approval_required_for_risk as "approvalRequiredForRisk",
      (select extract(epoch from clock_timestamp() - v.listed_at)::float8 from integration_inventory v
        where v.organization_id = ${organization} and v.integration_id = ${integrationId}) as "listedSecondsAgo"
    from organization o where o.id = ${organization}`;
}
