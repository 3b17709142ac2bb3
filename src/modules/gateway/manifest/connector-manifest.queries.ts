import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Mode } from '../../../kernel/principals/index.ts';
import type { ConnectorUseRow } from '../../integrations/index.ts';

/** All connectors as they stand to an execution, and what the organization prefers and wants approved. */
export interface ConnectorsOfExecution {
  readonly uses: readonly ConnectorUseRow[];
  readonly mode: Mode | null;
  readonly department: string | null;
  readonly approvalRequiredForRisk: readonly string[];
  /** By purpose, the preferred key first. */
  readonly preferred: Readonly<Record<string, readonly string[]>>;
}

/** `uses` is the statement that reads them; all of it is one row. */
export function connectorsOfExecution(
  { organizationId, mode, department }: ExecutionPrincipal,
  uses: Sql,
): Statement<ConnectorsOfExecution> {
  const organization = sql.value(organizationId);
  return sql`
    with uses as materialized (${uses})
    select (select coalesce(jsonb_agg(to_jsonb(u) order by u.key), '[]') from uses u) as uses,
      ${mode}::text as mode, ${department}::text as department,
      o.approval_required_for_risk as "approvalRequiredForRisk",
      coalesce((select p."order" from integration_preferences p where p.organization_id = ${organization}), '{}')
        as preferred
    from organization o where o.id = ${organization}`;
}
