import { randomUUID } from 'node:crypto';
import { newId } from '../../../src/kernel/ids/index.ts';
import { type AccessMode, ConnectionService } from '../../../src/modules/integrations/index.ts';
import type { Client } from '../client.ts';
import type { McpPeer } from '../peers/mcp-peer.ts';
import type { Workplace } from '../factories/engine-rows.ts';
import { insertRow } from '../factories/rows.ts';

export interface ConnectedServer {
  readonly id: string;
  readonly key: string;
}

interface ServerOptions {
  readonly accessMode?: AccessMode;
  /** By key of the profile; `growth` may do everything unless said. */
  readonly grants?: Readonly<Record<string, 'full' | 'read'>>;
  readonly tools?: readonly string[];
  readonly apiKey?: string;
}

/** An owner's connector that is connected to a server of the tests, with all tools that its mode permits unless said. */
export async function connectServer(
  place: Workplace,
  peer: McpPeer,
  { accessMode = 'autonomous', grants = { growth: 'full' }, tools, apiKey }: ServerOptions = {},
): Promise<ConnectedServer> {
  const { app, organizationId } = place;
  const id = newId();
  const key = `mcp-${randomUUID().slice(0, 8)}`;
  await insertRow(app, 'integration', {
    organization_id: organizationId,
    id,
    key,
    kind: 'mcp',
    origin: 'owner',
    name: 'Orders',
    endpoint: peer.endpoint,
    purposes: ['order_management'],
    access_mode: 'ask_before_write',
    review_required: [],
    required_scopes: [],
  });
  for (const [profile, access] of Object.entries(grants))
    await insertRow(app, 'integration_grant', {
      organization_id: organizationId,
      integration_id: id,
      agent_profile_id: place.profile(profile),
      read_only: access === 'read',
    });
  const headers = { authorization: `Bearer ${apiKey ?? ''}` };
  await app.app.get(ConnectionService).connect(await ownerOf(place), organizationId, id, {
    credentialGeneration: 0,
    accessMode,
    ...(tools ? { tools } : {}),
    ...(apiKey === undefined
      ? { kind: 'none', secret: {}, provider: { kind: 'none' } }
      : { kind: 'api_key', secret: { apiKey }, provider: { kind: 'authorized', authorize: () => headers } }),
  });
  return { id, key };
}

async function ownerOf({ app, organizationId }: Workplace) {
  const { rows } = await app.db.query<{ subject: string }>(
    'select subject from membership where organization_id = $1',
    [organizationId],
  );
  return {
    kind: 'owner',
    subject: rows[0]!.subject,
    name: 'somebody',
    tokenId: null,
    expiresAt: null,
    scopes: ['settings'],
    organizationIds: null,
    scope: 'settings',
  } as const;
}

/** The present epoch of an organization. */
export async function presentEpoch({ app, organizationId }: Workplace): Promise<number> {
  const { rows } = await app.db.query<{ epoch: number }>(
    'select authorization_epoch as epoch from organization where id = $1',
    [organizationId],
  );
  return rows[0]!.epoch;
}

/** A run's way to a connector: the client that calls with its capability, and paths below the gateway. */
export async function capabilityOf(place: Workplace, agent: Client, { key }: ConnectedServer) {
  const authorizationEpoch = await presentEpoch(place);
  const { status, text, body } = await agent.post(place.agentPath(`/integrations/${key}/capability`), {
    authorizationEpoch,
  });
  if (status !== 201) throw new Error(`No capability: ${text}`);
  const { integrationGatewayCapability, integrationId } = body.data as {
    integrationGatewayCapability: string;
    integrationId: string;
  };
  return {
    caller: place.app.client(integrationGatewayCapability),
    pathTo: (rest: string) => `/internal/gateway/integrations/${integrationId}${rest}`,
  };
}
