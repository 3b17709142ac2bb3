import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { authorizedConnector, authorizingEnv } from '../../support/factories/integrations/authorized-connectors.ts';
import { AuthorizationPeer } from '../../support/peers/authorization-peer.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

/** How often a token expires; the big run says more. */
const EXPIRIES = Number(process.env.OAUTH_EXPIRIES ?? 3);
const READERS = 16;

const issuer = await AuthorizationPeer.start();
const server = await McpPeer.start([{ name: 'orders_list', annotations: { readOnlyHint: true } }]);
const app = useTestApp({ ownDatabase: true, env: authorizingEnv(server, issuer) });
const owner = usePerson(app);
let organizationId: string;
let connector: string;
let processes: readonly ServiceProcess[] = [];

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  issuer.guard(server);
  connector = await authorizedConnector(app, owner, organizationId, server, issuer);
  const env = onDatabase(app.databaseUrl, {
    PEERS: `${server.origin},${issuer.issuer}`,
    PEERS_CA: server.env.EGRESS_LOCAL_CA_FILE!,
    ROLE: 'api',
  });
  const preload = './test/support/processes/reach-peers.mjs';
  processes = await Promise.all([0, 1].map(() => ServiceProcess.start({ env, preload })));
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await issuer.stop();
  await server.stop();
});

/** An owner's look at the tools, which asks the server with the token. */
async function discover(at: ServiceProcess): Promise<number> {
  const path = `/organizations/${organizationId}/integrations/${connector}/discover`;
  const headers = { authorization: `Bearer ${owner.token}` };
  return (await fetch(`${at.baseUrl}${path}`, { method: 'POST', headers })).status;
}

it(`asks once for each of ${EXPIRIES} expiries under ${READERS} readers on two processes, and refuses none`, async () => {
  const asked = () => issuer.requests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length;
  for (let expiry = 1; expiry <= EXPIRIES; expiry += 1) {
    await app.db.query('update integration_credential set access_expires_at = now() where integration_id = $1', [
      connector,
    ]);
    const readers = Array.from({ length: READERS }, (_, reader) => discover(processes[reader % 2]!));
    expect(new Set(await Promise.all(readers))).toEqual(new Set([200]));
    expect(asked()).toBe(expiry);
  }
}, 900_000);
