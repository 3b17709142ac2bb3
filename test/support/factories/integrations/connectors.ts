import { Config } from '../../../../src/config/index.ts';
import { newId } from '../../../../src/kernel/ids/index.ts';
import { Secrets } from '../../../../src/kernel/secrets/index.ts';
import type { Client } from '../../client.ts';
import type { TestApp } from '../../test-app.ts';
import { insertRow } from '../rows.ts';
import { createIntegration, integrationRow, listedTool } from './rows.ts';

export interface MadeConnector {
  readonly id: string;
  readonly key: string;
  readonly at: string;
}

/** An owner's own server, made by the API and not connected yet. */
export async function ownConnector(owner: Client, organizationId: string, endpoint: string): Promise<MadeConnector> {
  const body = { endpoint, purposes: ['order_management'] };
  const { id, key } = (await createIntegration(owner, organizationId, body)) as { id: string; key: string };
  return { id, key, at: `/organizations/${organizationId}/integrations/${id}` };
}

/**
 * A server that is connected with a key, with the tools and revisions that the examples of the document name, granted to
 * somebody; at the peer that the application reaches, if there is one.
 */
export async function connectedRow(app: TestApp, organizationId: string): Promise<string> {
  const [origin] = app.app.get(Config).egress.localPeers;
  const id = await integrationRow(app, organizationId, {
    row: { ...(origin ? { endpoint: `${origin}/mcp` } : {}), tools_revision: 2 },
    tools: [listedTool('list_orders'), listedTool('send_confirmation', { access: 'write' })],
  });
  await sealCredential(app, organizationId, id, { apiKey: 'CANARY-connector-5Tq8Zr2Lw9' });
  const place = { organization_id: organizationId, integration_id: id };
  await insertRow(app, 'integration_grant', { ...place, agent_profile_id: newId(), read_only: false });
  return id;
}

/** Gives the first credential of a connector a secret that opens. */
export async function sealCredential(
  app: TestApp,
  organizationId: string,
  integrationId: string,
  secret: object,
): Promise<void> {
  const context = ['integration_credential', organizationId, integrationId, 'primary', 1];
  const { keyId, wrappedKey, sealed } = app.app.get(Secrets).seal(secret, context);
  await app.db.query(
    'update integration_credential set key_id = $2, wrapped_key = $3, sealed = $4 where integration_id = $1',
    [integrationId, keyId, wrappedKey, sealed],
  );
}
