import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderAdapters } from '../../../src/modules/integrations/index.ts';
import { WorkspaceServerService } from '../../../src/modules/oauth/workspace/workspace-server.service.ts';
import { BASE } from '../../support/factories/integrations/authorized-connectors.ts';
import { connectorRow } from '../../support/factories/integrations/connector-rows.ts';
import { AuthorizationPeer } from '../../support/peers/authorization-peer.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const CALLBACK = `${BASE}/oauth/workspace/callback`;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const SCOPE = 'https://www.googleapis.com/auth/';
const SCOPES = ['gmail.readonly', 'gmail.send', 'drive.readonly'].map((name) => `${SCOPE}${name}`);
const CLIENT = { id: 'workspace-client', secret: 'CANARY-workspace-7Tq2Xz5Lw8' };

const issuer = await AuthorizationPeer.start({
  scopes: ['openid', 'email', 'offline_access', ...SCOPES],
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
});
const people = await McpPeer.start();
const { app, owner, organization } = useOrganization({
  env: {
    ...people.env,
    EGRESS_LOCAL_PEERS: `${people.origin},${issuer.issuer}`,
    PUBLIC_BASE_URL: BASE,
    WORKSPACE_OAUTH_CLIENT_ID: CLIENT.id,
    WORKSPACE_OAUTH_CLIENT_SECRET: CLIENT.secret,
    OAUTH_RETURN_URL: 'https://app.acme.test/connectors?tab=all',
  },
});
const WISH = { services: ['mail', 'drive'], accessMode: 'ask_before_write' };

let connector: string;

beforeAll(() => {
  const { issuer: at } = issuer;
  Object.assign(app.app.get(WorkspaceServerService).addresses, {
    issuer: at,
    authorizationEndpoint: `${at}/auth`,
    tokenEndpoint: `${at}/token`,
    revocationEndpoint: `${at}/token/revocation`,
  });
  Object.assign(app.app.get(ProviderAdapters).of('workspace')!, { userInfo: `${people.origin}/userinfo` });
  people.answering = ({ path, headers }, response) => {
    const isKnown = path === '/userinfo' && headers.authorization !== undefined;
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ sub: 'ada', email: 'ada@acme.test' }));
    return true;
  };
});
beforeEach(async () => {
  issuer.answering = undefined;
  issuer.granted = undefined;
  await app.db.query('delete from integration_credential where organization_id = $1', [organization.id]);
  connector = await workspaceRow();
});
afterAll(async () => {
  await issuer.stop();
  await people.stop();
});

function workspaceRow(): Promise<string> {
  const suite = { kind: 'workspace', origin: 'catalog', entry_version: 1, endpoint: null };
  return connectorRow(app, organization.id, '', { ...suite, name: 'Workspace' });
}

function at(path: string, id = connector): string {
  return `/organizations/${organization.id}/integrations/${id}${path}`;
}

function start(body: object, id = connector) {
  return owner.post(at('/oauth/workspace/start', id), body, SAME_ORIGIN);
}

/** Lets the person authorize, and answers where the browser is sent then. */
async function authorized(body: object = WISH, id = connector): Promise<URL> {
  const { status, text, body: answer, headers } = await start(body, id);
  if (status !== 200) throw new Error(text);
  const back = await issuer.authorize(answer.data.authorizationUrl, CALLBACK);
  const [cookie] = String(headers['set-cookie']).split(';');
  const came = await app.anonymous.get(back.slice(BASE.length), { cookie: cookie! });
  expect(came.status).toBe(302);
  return new URL(String(came.headers.location));
}

async function row(table: 'integration' | 'integration_credential', id = connector) {
  const key = table === 'integration' ? 'id' : 'integration_id';
  return (await app.db.query(`select * from ${table} where ${key} = $1`, [id])).rows[0];
}

async function epoch(): Promise<number> {
  const { rows } = await app.db.query('select authorization_epoch from organization where id = $1', [organization.id]);
  return Number(rows[0].authorization_epoch);
}

describe('a start', () => {
  it('asks for identity and the scopes of the services in the mode, offline and with consent', async () => {
    const { body } = await start(WISH);
    const query = Object.fromEntries(new URL(body.data.authorizationUrl).searchParams);
    expect(query).toMatchObject({
      client_id: CLIENT.id,
      redirect_uri: CALLBACK,
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'true',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(query.scope!.split(' ')).toEqual(['openid', 'email', ...SCOPES]);
    expect(query.resource).toBeUndefined();
  });

  it.each([
    [{}, 'services', 'required'],
    [{ services: [] }, 'services', 'required'],
    [{ services: ['mail'] }, 'accessMode', 'required'],
    [{ services: ['telegraph'], accessMode: 'read_only' }, 'services', 'unknown_value'],
    [{ services: ['mail'], accessMode: 'read_only', clientId: 'mine' }, 'clientId', 'unknown_property'],
  ])('is 400 for %j', async (body, path, code) => {
    const { status, body: answer } = await start(body);
    expect([status, answer.error.issues[0].path, answer.error.issues[0].code]).toEqual([400, path, code]);
  });

  it('is 409 for a connector that is authorized in another way', async () => {
    connector = await connectorRow(app, organization.id, `${people.origin}/mcp`);
    // The endpoint is at an origin that the deployment does not approve, but that is not what is asked first.
    expect((await start(WISH)).status).toBe(409);
  });
});

describe('a callback', () => {
  it('connects the account with the services, goes back to the page of the deployment, and is ready', async () => {
    const url = await authorized();
    expect(url.origin + url.pathname).toBe('https://app.acme.test/connectors');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tab: 'all',
      organization: organization.id,
      integration: connector,
      outcome: 'connected',
    });
    expect(await row('integration_credential')).toMatchObject({
      kind: 'oauth2',
      identity: 'ada',
      label: 'ada@acme.test',
    });
    expect(await row('integration')).toMatchObject({
      enabled: true,
      access_mode: 'ask_before_write',
      settings: { kind: 'workspace', services: ['mail', 'drive'] },
    });
    expect((await owner.get(at(''))).body.data).toMatchObject({ readiness: 'ready' });
  });

  it('keeps the services whose scopes all came back', async () => {
    issuer.granted = ['openid', 'email', `${SCOPE}gmail.readonly`, `${SCOPE}drive.readonly`];
    expect((await authorized()).searchParams.get('outcome')).toBe('connected');
    expect((await row('integration')).settings).toEqual({ kind: 'workspace', services: ['drive'] });
  });

  it('is declined where no service came back', async () => {
    issuer.granted = ['openid', 'email'];
    expect((await authorized()).searchParams.get('outcome')).toBe('declined');
    expect(await row('integration_credential')).toBeUndefined();
  });

  it('says that it failed, and stores nothing, without an ID token of this very start', async () => {
    issuer.answering = ({ path }, response) => {
      if (path !== '/token') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', scope: SCOPES.join(' ') }));
      return true;
    };
    expect((await authorized()).searchParams.get('outcome')).toBe('failed');
    expect(await row('integration_credential')).toBeUndefined();
  });

  it('never sends an unknown browser anywhere', async () => {
    const answer = await app.anonymous.get('/oauth/workspace/callback?state=x&code=y');
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });
});

describe('the combined grant', () => {
  function revoke(id = connector) {
    return owner.delete(at('/oauth/workspace/grant', id));
  }

  it('is revoked once, and disconnects all connections of the account that stand as they did', async () => {
    await authorized();
    const [second, third] = [await workspaceRow(), await workspaceRow()];
    await authorized(WISH, second);
    await authorized(WISH, third);
    issuer.answering = async ({ path }) => {
      if (path === '/token/revocation')
        await app.db.query('update integration set credential_generation = 5 where id = $1', [third]);
      return false;
    };
    const before = await epoch();
    const asked = issuer.count('/token/revocation');
    const { status, body } = await revoke();
    const keys = await Promise.all([connector, second, third].map(async (id) => (await row('integration', id)).key));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ revoked: true, changed: [keys[2]] });
    expect(new Set(body.data.disconnected)).toEqual(new Set(keys.slice(0, 2)));
    expect(issuer.count('/token/revocation')).toBe(asked + 1);
    expect(await row('integration_credential', second)).toBeUndefined();
    expect(await row('integration_credential', third)).toBeDefined();
    expect(await epoch()).toBe(before + 1);
  });

  it('stays as it is where the provider does not revoke', async () => {
    await authorized();
    issuer.answering = ({ path }, response) => path === '/token/revocation' && !!response.writeHead(500).end();
    const before = await epoch();
    expect((await revoke()).status).toBe(503);
    expect([await epoch(), (await row('integration_credential')).state]).toEqual([before, 'connected']);
  });

  it('counts as revoked where it was gone already', async () => {
    await authorized();
    issuer.answering = ({ path }, response) =>
      path === '/token/revocation' && !!response.writeHead(400).end('{"error":"invalid_token"}');
    expect((await revoke()).body.data.disconnected).toHaveLength(1);
  });

  it('is 409 without a credential, and 404 without a connector', async () => {
    expect((await revoke()).body.error.issues[0].code).toBe('needs_credentials');
    expect((await revoke('mcp-unknown')).status).toBe(404);
  });
});
