import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Client } from '../client.ts';
import { McpPeer } from '../peers/mcp-peer.ts';
import { useTestApp, useWorkplace } from '../use-test-app.ts';
import { capabilityOf, connectServer, type ConnectedServer } from './connected-servers.ts';

export const KEY = 'CANARY-mcp-key-fQ2wE5rT8yU1iO4p';
const READ = { readOnlyHint: true };

export const TOOLS = [
  {
    name: 'list_orders',
    title: 'List orders',
    description: 'Orders, the newest first.',
    annotations: READ,
    inputSchema: {
      type: 'object' as const,
      properties: { status: { type: 'string', enum: ['open', 'closed'] } },
      additionalProperties: false,
    },
    run: ({ status = 'any' }) => ({
      content: [{ type: 'text', text: `${status} orders` }],
      structuredContent: { status },
    }),
  },
  { name: 'leak', annotations: READ, run: () => ({ content: [{ type: 'text', text: `the key is ${KEY}` }] }) },
  { name: 'fails', annotations: READ, run: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) },
  { name: 'note', annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: 'wipe', annotations: { destructiveHint: true } },
  { name: 'orders/read', annotations: READ },
];

type Capability = Awaited<ReturnType<typeof capabilityOf>>;

/** An organization with a server of tools that read and write, and a new run for each test; see `use-test-app.ts`. */
export function useToolCalls() {
  let peer: McpPeer;
  let server: ConnectedServer;
  let agent: Client;
  let runId: string;
  let capability: Capability;

  beforeAll(async () => {
    peer = await McpPeer.start(TOOLS);
    peer.tokens = new Set([KEY]);
  });
  const app = useTestApp({
    // Known once the peer is there, which the hook above sees to.
    get env() {
      return peer.env;
    },
  });
  const place = useWorkplace(app);
  beforeAll(async () => {
    const { organizationId } = place;
    // What the connector demands of itself is enough here.
    await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [organizationId]);
    server = await connectServer(place, peer, { apiKey: KEY });
  });
  afterAll(() => peer.stop());
  beforeEach(async () => {
    peer.forget();
    peer.answering = undefined;
    ({ agent, runId } = await place.run());
    capability = await capabilityOf(place, agent, server);
  });

  return {
    app,
    place,
    /** Calls by another capability from here on. */
    use: (other: Capability) => {
      capability = other;
    },
    call: (tool: string, args: object = {}, others: object = {}) =>
      capability.caller.post(capability.pathTo(`/tools/${encodeURIComponent(tool)}/call`), {
        arguments: args,
        ...others,
      }),
    lastCalls: async () =>
      (await place.owner.get(place.path(`/integrations/${server.key}/calls?limit=5`))).body.data as Record<
        string,
        unknown
      >[],
    get peer() {
      return peer;
    },
    get server() {
      return server;
    },
    get agent() {
      return agent;
    },
    get runId() {
      return runId;
    },
    get caller() {
      return capability.caller;
    },
    get pathTo() {
      return capability.pathTo;
    },
  };
}
