import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { CredentialSource, credentialOf } from '../../../src/modules/integrations/index.ts';
import { Reads } from '../../../src/kernel/database/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { standingAccess } from '../../../src/kernel/tenancy/index.ts';
import { BASE } from '../../support/factories/integrations/authorized-connectors.ts';
import { connectorRow } from '../../support/factories/integrations/connector-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { OAuth1Peer } from '../../support/peers/oauth1-peer.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const provider = await OAuth1Peer.start();
const server = await McpPeer.start([{ name: 'orders_list', annotations: { readOnlyHint: true } }]);
const { app, owner, organization } = useOrganization({
  env: {
    ...server.env,
    EGRESS_LOCAL_PEERS: `${server.origin},${provider.origin}`,
    PUBLIC_BASE_URL: BASE,
    MCP_OAUTH_CLIENTS: JSON.stringify([provider.client(server)]),
  },
});

let connector: string;

beforeEach(async () => {
  provider.guard(server);
  provider.confirmsCallback = true;
  connector = await connectorRow(app, organization.id, server.endpoint);
});
afterAll(async () => {
  await provider.stop();
  await server.stop();
});

async function started() {
  const path = `/organizations/${organization.id}/integrations/${connector}/oauth/mcp/start`;
  const answer = await owner.post(path, {}, { 'sec-fetch-site': 'same-origin' });
  const [cookie = ''] = String(answer.headers['set-cookie'] ?? '').split(';');
  return { ...answer, cookie };
}

/** The browser comes back, with its cookie, perhaps with something changed on the way. */
async function comeBack(change: (url: URL) => void = () => undefined) {
  const { body, cookie } = await started();
  const url = new URL(provider.approve(body.data.authorizationUrl));
  change(url);
  return app.anonymous.get(`${url.pathname}${url.search}`, { cookie });
}

async function kinds(): Promise<string[]> {
  const { rows } = await app.db.query('select kind from integration_credential where integration_id = $1', [connector]);
  return rows.map(({ kind }) => kind as string);
}

it('connects, and signs each request to the server', async () => {
  const { status, text } = await comeBack();
  expect([status, text]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
  expect(await kinds()).toEqual(['oauth1']);
  expect(provider.taken.slice(-2)).toEqual(['/request', '/access']);
  const access = standingAccess(organization.id, EdgeErrors.notFound);
  const [credential] = await app.app.get(Reads).through(access, credentialOf(organization.id, connector));
  const source = app.app.get(CredentialSource);
  const { secret } = await source.authorization(credential!, 60, AbortSignal.timeout(5_000));
  if (secret.kind !== 'authorized') throw new Error(secret.kind);
  const [one, two] = [secret.authorize('POST', server.endpoint), secret.authorize('POST', server.endpoint)];
  expect(one.authorization).toMatch(/^OAuth /);
  expect(one.authorization).not.toBe(two.authorization);
});

it.each<[string, (url: URL) => void]>([
  ['another state beside the token', (url) => url.searchParams.set('state', 'x')],
  ['no verifier', (url) => url.searchParams.delete('oauth_verifier')],
  ['another token', (url) => url.searchParams.set('oauth_token', 'x')],
  ['the token twice', (url) => url.searchParams.append('oauth_token', 'x')],
  ['another verifier', (url) => url.searchParams.set('oauth_verifier', 'x')],
])('stores nothing with %s', async (_, change) => {
  expect((await comeBack(change)).status).toBe(400);
  expect(await kinds()).toEqual([]);
});

it('says that the person declined', async () => {
  const { status, text } = await comeBack((url) => {
    url.searchParams.set('denied', url.searchParams.get('oauth_token')!);
    url.searchParams.delete('oauth_token');
    url.searchParams.delete('oauth_verifier');
  });
  expect([status, text]).toEqual([200, expect.stringContaining('declined')]);
});

it('is 503 where the provider does not confirm that it took the callback', async () => {
  provider.confirmsCallback = false;
  expect((await started()).status).toBe(503);
});
