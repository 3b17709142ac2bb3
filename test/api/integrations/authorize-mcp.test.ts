import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { connectorRow } from '../../support/factories/integrations/connector-rows.ts';
import { AuthorizationPeer } from '../../support/peers/authorization-peer.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const BASE = 'https://runner.test';
const CALLBACK = `${BASE}/oauth/mcp/callback`;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const READ = { name: 'orders_list', annotations: { readOnlyHint: true } };

const issuer = await AuthorizationPeer.start();
const server = await McpPeer.start([READ]);
const { app, owner, organization } = useOrganization({
  env: {
    ...server.env,
    EGRESS_LOCAL_PEERS: `${server.origin},${issuer.issuer}`,
    INTEGRATION_APPROVED_ORIGINS: `${server.origin},${issuer.issuer}`,
    PUBLIC_BASE_URL: BASE,
  },
});

let connector: string;

beforeEach(async () => {
  issuer.guard(server);
  issuer.answering = undefined;
  issuer.granted = undefined;
  connector = await connectorRow(app, organization.id, server.endpoint);
});
afterAll(async () => {
  await issuer.stop();
  await server.stop();
});

function start(body: object = {}, headers = SAME_ORIGIN as Record<string, string>, by: Client = owner) {
  return by.post(`/organizations/${organization.id}/integrations/${connector}/oauth/mcp/start`, body, headers);
}

/** Starts, lets the person authorize, and answers the path at which the browser comes back, with its cookie. */
async function authorized(headers?: Record<string, string>, body?: object) {
  const started = await start(body, headers);
  if (started.status !== 200) throw new Error(started.text);
  const back = await issuer.authorize(started.body.data.authorizationUrl, CALLBACK);
  const [cookie = ''] = String(started.headers['set-cookie'] ?? '').split(';');
  return { path: back.slice(BASE.length), cookie };
}

async function credential() {
  const { rows } = await app.db.query('select * from integration_credential where integration_id = $1', [connector]);
  return rows[0];
}

async function statusOfState() {
  const { rows } = await app.db.query(
    'select status, sealed from oauth_state where integration_id = $1 order by created_at desc limit 1',
    [connector],
  );
  return rows[0];
}

describe('a start', () => {
  it('sends the browser to the authorization server with PKCE, the resource and a state', async () => {
    const { status, body, headers } = await start();
    expect(status).toBe(200);
    const url = new URL(body.data.authorizationUrl);
    expect(url.origin).toBe(issuer.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: CALLBACK,
      resource: server.endpoint,
      scope: 'offline_access orders:read',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(String(headers['set-cookie'])).toMatch(
      /^__Secure-oauth-[0-9a-f]{16}=[\w-]{43}; Path=\/oauth; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it('registers once for the organization, with the type that servers want to know', async () => {
    const before = issuer.count('/reg');
    await start();
    await start();
    expect(issuer.count('/reg') - before).toBeLessThanOrEqual(1);
  });

  it('takes the place of the one before of the same person, and at most five wait', async () => {
    const first = await authorized(SAME_ORIGIN);
    await start();
    expect((await app.anonymous.get(first.path, { cookie: first.cookie })).status).toBe(400);
    await app.db.query(
      `insert into oauth_state select (jsonb_populate_record(s, jsonb_build_object('state_hash', n::text || s.state_hash,
        'subject', 'x' || n))).* from oauth_state s, generate_series(1, 5) n
       where s.integration_id = $1 and s.status = 'issued'`,
      [connector],
    );
    expect((await start()).status).toBe(409);
  });

  /** Answers the endpoint so, and says that there is nothing else. */
  const without = (status: number | undefined) => {
    server.answering = ({ path }, response) => {
      if (path === '/mcp' && status === undefined) return false;
      response.writeHead(path === '/mcp' ? status! : 404).end();
      return true;
    };
  };

  it.each<[string, () => void]>([
    ['resource_mismatch', () => issuer.guard(server, { resource: `${server.origin}/other` })],
    ['origin_not_approved', () => issuer.guard(server, { authorization_servers: ['https://login.evil.test'] })],
    ['issuer_mismatch', () => issuer.guard(server, { authorization_servers: [`${issuer.issuer}/`] })],
    ['no_authorization_metadata', () => without(401)],
    ['no_authorization_needed', () => without(undefined)],
  ])('is 409 %s', async (word, arrange) => {
    arrange();
    const { status, body } = await start();
    expect({ status, code: body.error?.issues?.[0]?.code }).toEqual({ status: 409, code: word });
    expect(body.error.code).toBe('state_conflict');
  });

  it.each([500, 403, 302])(
    'is 503 where metadata are answered with %d: an outage chooses no other server',
    async (code) => {
      server.answering = ({ path }, response) => {
        response.writeHead(path === '/mcp' ? 401 : code, { location: 'https://evil.test/' }).end();
        return true;
      };
      const { status, body, headers } = await start();
      expect({ status, code: body.error.code, retry: headers['retry-after'] }).toEqual({
        status: 503,
        code: 'provider_unavailable',
        retry: '5',
      });
    },
  );

  it('is 404 for a connector that is not there, and 401 for a viewer', async () => {
    connector = randomUUID();
    expect((await start()).status).toBe(404);
    connector = await connectorRow(app, organization.id, server.endpoint);
    const viewer = await app.person();
    await owner.put(`/organizations/${organization.id}/members/${viewer.subject}`, { role: 'viewer' });
    expect((await start({}, SAME_ORIGIN, viewer)).status).toBe(401);
  });
});

describe('a callback of the browser that started', () => {
  it('connects the connector, and keeps no secret of the authorization', async () => {
    const { path, cookie } = await authorized(SAME_ORIGIN, { accessMode: 'read_only' });
    const answer = await app.anonymous.get(path, { cookie });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
    expect(answer.headers).toMatchObject({
      'content-security-policy': `default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(await credential()).toMatchObject({
      kind: 'oauth2',
      state: 'connected',
      generation: 1,
      issuer: issuer.issuer,
      resource: server.endpoint,
      token_version: 1,
    });
    expect(await statusOfState()).toEqual({ status: 'completed', sealed: null });
  });

  it('is good once', async () => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    expect((await app.anonymous.get(path, { cookie })).status).toBe(200);
    const again = await app.anonymous.get(path, { cookie });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('no longer good')]);
  });

  it('leaves the state to the right browser when another one brings it', async () => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    expect((await app.anonymous.get(path)).status).toBe(400);
    expect((await app.anonymous.get(path, { cookie: cookie.replace(/=.*/, '=another') })).status).toBe(400);
    expect((await app.anonymous.get(path, { cookie })).status).toBe(200);
  });

  it.each<[string, (url: URL) => void]>([
    ['another issuer', (url) => url.searchParams.set('iss', 'https://evil.test')],
    ['no issuer, though it was promised', (url) => url.searchParams.delete('iss')],
    ['a forged code', (url) => url.searchParams.set('code', 'forged')],
  ])('burns the state and stores nothing with %s', async (_, change) => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    const url = new URL(path, BASE);
    change(url);
    const answer = await app.anonymous.get(`${url.pathname}${url.search}`, { cookie });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('could not be made')]);
    expect(await credential()).toBeUndefined();
    expect(await statusOfState()).toEqual({ status: 'failed', sealed: null });
    expect((await app.anonymous.get(path, { cookie })).status).toBe(400);
  });

  it.each<[string, (url: URL) => void]>([
    ['the answer has no code', (url) => url.searchParams.delete('code')],
    [
      'the token endpoint gives tokens that cannot be used',
      () => {
        issuer.answering = ({ path }, response) => {
          if (path !== '/token') return false;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ access_token: 'veiled', token_type: 'mac', mac_key: 'veiled' }));
          return true;
        };
      },
    ],
  ])('tells operators that %s', async (reason, change) => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    const url = new URL(path, BASE);
    change(url);
    expect((await app.anonymous.get(`${url.pathname}${url.search}`, { cookie })).status).toBe(400);
    const log = readFileSync(join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`), 'utf8');
    const told = log.split('\n').filter((line) => line.includes(`${connector} was not connected`));
    expect(told.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      `${connector} was not connected: ${reason}`,
    ]);
  });

  it('says that the person declined, in our words', async () => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    const url = new URL(path, BASE);
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', 'evil words');
    const answer = await app.anonymous.get(`${url.pathname}${url.search}`, { cookie });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('declined')]);
    expect(answer.text).not.toContain('evil words');
  });

  it('stores nothing where another credential came, or the person left, meanwhile', async () => {
    const { path, cookie } = await authorized(SAME_ORIGIN);
    await app.db.query('update integration set credential_generation = 7 where id = $1', [connector]);
    expect((await app.anonymous.get(path, { cookie })).status).toBe(400);
    const member = await app.person();
    await owner.put(`/organizations/${organization.id}/members/${member.subject}`, { role: 'owner' });
    const started = await start({}, SAME_ORIGIN, member);
    const back = await issuer.authorize(started.body.data.authorizationUrl, CALLBACK);
    await owner.delete(`/organizations/${organization.id}/members/${member.subject}`);
    const [bound] = String(started.headers['set-cookie']).split(';');
    expect((await app.anonymous.get(back.slice(BASE.length), { cookie: bound! })).status).toBe(400);
    expect(await credential()).toBeUndefined();
  });

  it.each(['', '?state=x', '?state=x&state=x', `?state=x&code=${'y'.repeat(9_000)}`])(
    'is refused where no server sends it: %.20s',
    async (query) => {
      const answer = await app.anonymous.get(`/oauth/mcp/callback${query}`);
      expect([400, 414]).toContain(answer.status);
      expect(answer.headers.location).toBeUndefined();
    },
  );
});

describe('a callback of an unbound start', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  async function asked() {
    const { path } = await authorized({});
    const answer = await app.anonymous.get(path);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Connect this?')]);
    expect(await credential()).toBeUndefined();
    return /name="token" value="([\w-]+)"/.exec(answer.text)![1]!;
  }

  function confirm(token: string, headers: Record<string, string> = { origin: BASE }) {
    return app.anonymous.send('POST', '/oauth/mcp/callback', `token=${token}`, { ...FORM, ...headers });
  }

  it('asks a person, who connects with one button, once', async () => {
    const token = await asked();
    const answer = await confirm(token);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
    expect(await credential()).toMatchObject({ kind: 'oauth2', state: 'connected' });
    expect((await confirm(token)).status).toBe(400);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.test' },
    {},
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ])('does not take the button of another page: %j', async (headers) => {
    const token = await asked();
    expect((await confirm(token, headers)).status).toBe(400);
    expect(await credential()).toBeUndefined();
    // Browsers hide the origin of a page that names itself to nobody.
    expect((await confirm(token, { origin: 'null', ...SAME_ORIGIN })).status).toBe(200);
  });

  it('takes forms only', async () => {
    const { status } = await app.anonymous.post('/oauth/mcp/callback', { token: 'x' }, { origin: BASE });
    expect(status).toBe(415);
  });
});

it('shows a person a page, whatever is wrong with a request', async () => {
  const html = { accept: 'text/html', origin: BASE };
  const form = { ...html, 'content-type': 'application/x-www-form-urlencoded' };
  const path = '/oauth/mcp/callback';
  const answers = [
    await app.anonymous.get(`${path}?state=%zz`, html),
    await app.anonymous.get(`${path}?state=${'x'.repeat(9_000)}`, html),
    await app.anonymous.send('POST', path, 'token=x&token=y', form),
    await app.anonymous.send('POST', path, '', form),
    await app.anonymous.send('POST', path, `token=${'x'.repeat(5_000)}`, form),
    await app.anonymous.post(path, { token: 'x' }, html),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 414, 400, 400, 413, 415]);
  for (const { headers } of answers) expect(headers['content-type']).toBe('text/html; charset=utf-8');
});

describe('the client metadata document', () => {
  it('is what its address says the client is', async () => {
    const { status, body, headers } = await app.anonymous.get('/oauth/client-metadata.json');
    expect([status, body]).toEqual([
      200,
      {
        client_id: `${BASE}/oauth/client-metadata.json`,
        client_name: 'service-integration',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'web',
        token_endpoint_auth_method: 'none',
      },
    ]);
    expect(headers['cache-control']).toContain('max-age=3600');
  });
});
