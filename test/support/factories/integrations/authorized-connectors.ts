import type { Client } from '../../client.ts';
import type { AuthorizationPeer } from '../../peers/authorization-peer.ts';
import type { McpPeer } from '../../peers/mcp-peer.ts';
import type { TestApp } from '../../test-app.ts';
import { connectorRow } from './connector-rows.ts';

/** At which the deployment of the tests is reached. */
export const BASE = 'https://runner.test';
export const MCP_CALLBACK = `${BASE}/oauth/mcp/callback`;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Settings of a deployment that authorizes a server at an issuer, both on this machine. */
export function authorizingEnv(server: McpPeer, issuer: AuthorizationPeer): Record<string, string> {
  const origins = `${server.origin},${issuer.issuer}`;
  return {
    ...server.env,
    EGRESS_LOCAL_PEERS: origins,
    INTEGRATION_APPROVED_ORIGINS: origins,
    PUBLIC_BASE_URL: BASE,
  };
}

/** Lets a person authorize a connector, in a browser of this origin. */
export async function authorize(
  app: TestApp,
  owner: Client,
  organizationId: string,
  integrationId: string,
  issuer: AuthorizationPeer,
): Promise<void> {
  const path = `/organizations/${organizationId}/integrations/${integrationId}/oauth/mcp/start`;
  const started = await owner.post(path, {}, SAME_ORIGIN);
  if (started.status !== 200) throw new Error(started.text);
  const back = await issuer.authorize(started.body.data.authorizationUrl, MCP_CALLBACK);
  const [cookie] = String(started.headers['set-cookie']).split(';');
  const { status, text } = await app.anonymous.get(back.slice(BASE.length), { cookie: cookie! });
  if (status !== 200) throw new Error(text);
}

/** A connector that a person has authorized. */
export async function authorizedConnector(
  app: TestApp,
  owner: Client,
  organizationId: string,
  server: McpPeer,
  issuer: AuthorizationPeer,
): Promise<string> {
  const id = await connectorRow(app, organizationId, server.endpoint);
  await authorize(app, owner, organizationId, id, issuer);
  return id;
}
