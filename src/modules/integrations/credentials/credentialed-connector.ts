import type { RowSets } from '../../../kernel/database/index.ts';
import type { StoredCredential } from '../credential-source.port.ts';
import { type ConnectorRow, connectors, type Which } from '../readiness/connectors.queries.ts';
import { credentialFor } from './credential.queries.ts';

/** A connector's row with its sealed credential. */
export interface CredentialedRow {
  readonly row: ConnectorRow;
  readonly credential: StoredCredential | undefined;
}

/** A connector with its credential, in one round trip; undefined where there is none. */
export function credentialedConnector(
  organizationId: string,
  which: Which,
): RowSets<CredentialedRow | undefined, readonly [ReturnType<typeof connectors>, ReturnType<typeof credentialFor>]> {
  return {
    statements: () => [connectors(organizationId, which), credentialFor(organizationId, which)],
    result: ([[row], [credential]]) => row && { row, credential },
  };
}
