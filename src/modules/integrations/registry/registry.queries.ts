import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { KeysetList, opaqueCursor, type PageQuery } from '../../../kernel/pagination/index.ts';
import { connectorColumns, type ConnectorRow } from '../readiness/connectors.queries.ts';

/**
 * The connectors of an organization by their keys. Those whose kind is not one of these, since the release retired it, are
 * left out unless they still have a credential.
 */
export function listedConnectors(
  organizationId: string,
  kinds: readonly string[],
  query: PageQuery,
): KeysetList<ConnectorRow> {
  const organization = sql.value(organizationId);
  return new KeysetList<ConnectorRow>(
    {
      select: columns<ConnectorRow>(connectorColumns(organizationId)),
      from: 'integration i',
      where: [
        sql`i.organization_id = ${organization}`,
        sql`(i.kind = any(${kinds}::text[]) or exists (
          select from integration_credential c
          where c.organization_id = ${organization} and c.integration_id = i.id and c.purpose = 'primary'))`,
      ],
      wide: ['i.selection', 'i.context', 'i.settings'],
      sortBy: [{ sql: 'i.key', type: 'text', of: ({ key }) => key }],
      cursor: opaqueCursor('integrations', [organizationId, query.order]),
    },
    query,
  );
}

/** The keys of owners' own connectors. */
export function ownKeys(organizationId: string): Statement<{ key: string }> {
  return sql`select i.key from integration i where i.organization_id = ${organizationId} and i.origin = 'owner'`;
}

export function removeConnector(organizationId: string, id: string): Statement {
  return sql`delete from integration where organization_id = ${organizationId} and id = ${id}`;
}
