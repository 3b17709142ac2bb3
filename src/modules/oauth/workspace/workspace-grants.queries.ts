import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { CREDENTIAL_COLUMNS, type StoredCredential } from '../../integrations/index.ts';

/** A connection with what one account has granted. */
export interface GrantedConnection extends StoredCredential {
  readonly key: string;
}

const select = columns<GrantedConnection>({ key: 'i.key', ...CREDENTIAL_COLUMNS });

/** All connections of an organization that one account at an issuer has authorized, in the order of their locks. */
export function connectionsOfAccount(
  organizationId: string,
  issuer: string,
  identity: string,
): Statement<GrantedConnection> {
  const organization = sql.value(organizationId);
  return sql`
    select ${select} from integration_credential c
      join integration i on i.organization_id = ${organization} and i.id = c.integration_id
    where c.organization_id = ${organization} and c.purpose = 'primary' and c.kind = 'oauth2' and c.issuer = ${issuer}
      and c.identity = ${identity}
    order by c.integration_id`;
}

/** Locks connectors in the order of their ids, before they are changed one by one. */
export function lockConnectors(organizationId: string, ids: readonly string[]): Statement<{ id: string }> {
  return sql`
    select i.id from integration i
    where i.organization_id = ${organizationId} and i.id = any(${ids}::uuid[]) order by i.id for no key update of i`;
}
