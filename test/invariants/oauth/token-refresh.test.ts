import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Reads } from '../../../src/kernel/database/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { standingAccess } from '../../../src/kernel/tenancy/index.ts';
import { credentialOf, CredentialSource, type StoredCredential } from '../../../src/modules/integrations/index.ts';
import { authorizedConnector, authorizingEnv } from '../../support/factories/integrations/authorized-connectors.ts';
import { AuthorizationPeer } from '../../support/peers/authorization-peer.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';
import { organizationOf } from '../../support/client.ts';

/** How often a token expires; the big run says more. */
const EXPIRIES = Number(process.env.OAUTH_EXPIRIES ?? 5);
const READERS = 16;

const issuer = await AuthorizationPeer.start();
const server = await McpPeer.start([{ name: 'orders_list', annotations: { readOnlyHint: true } }]);
const env = authorizingEnv(server, issuer);
const app = useTestApp({ ownDatabase: true, env });
const owner = usePerson(app);
let replica: TestApp;
let organizationId: string;
let connector: string;

beforeAll(async () => {
  replica = await TestApp.start({ databaseUrl: app.databaseUrl, env });
  organizationId = await organizationOf(owner);
});
beforeEach(async () => {
  issuer.guard(server);
  issuer.answering = undefined;
  connector = await authorizedConnector(app, owner, organizationId, server, issuer);
});
afterAll(async () => {
  await replica.close();
  await issuer.stop();
  await server.stop();
});

const signal = () => AbortSignal.timeout(20_000);

async function credentialAt(at: TestApp): Promise<StoredCredential> {
  const access = standingAccess(organizationId, EdgeErrors.notFound);
  const [row] = await at.app.get(Reads).through(access, credentialOf(organizationId, connector));
  return row!;
}

/** What a read of a connector does before it asks the provider. */
async function token(at: TestApp): Promise<string> {
  const { secret } = await at.app.get(CredentialSource).authorization(await credentialAt(at), 60, signal());
  if (secret.kind !== 'authorized') throw new Error(secret.kind);
  return secret.authorize('POST', server.endpoint).authorization!.replace('Bearer ', '');
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: { row?: { status: number }; issues?: { code: string }[] }) =>
      [error.row?.status, error.issues?.[0]?.code].filter((each) => each !== undefined).join(' '),
  );
}

async function expire(seconds = 0): Promise<void> {
  await app.db.query(
    `update integration_credential set next_refresh_at = null, access_expires_at = now() + make_interval(secs => $2)
     where integration_id = $1`,
    [connector, seconds],
  );
}

async function row() {
  const { rows } = await app.db.query('select * from integration_credential where integration_id = $1', [connector]);
  return rows[0];
}

const asked = () =>
  issuer.requests.filter(({ path, form }) => path === '/token' && form.get('grant_type') === 'refresh_token');

it(`asks once for each of ${EXPIRIES} expiries under ${READERS} readers on two replicas, and refuses none of them`, async () => {
  const before = asked().length;
  for (let expiry = 1; expiry <= EXPIRIES; expiry += 1) {
    await expire();
    const tokens = await Promise.all(Array.from({ length: READERS }, (_, reader) => token(reader % 2 ? app : replica)));
    expect(new Set(tokens).size).toBe(1);
    expect(await issuer.accepts(tokens[0]!, server.endpoint)).toBe(true);
    expect(asked().length - before).toBe(expiry);
  }
  expect(await row()).toMatchObject({ token_version: EXPIRIES + 1, state: 'connected', generation: 1 });
  // Only for the resource that it was authorized for.
  expect(asked().at(-1)!.form.get('resource')).toBe(server.endpoint);
}, 600_000);

describe('an authorization server that does not answer as it should', () => {
  it.each([500, 429, 408, 400])('is asked later, with %d, and costs no connection', async (status) => {
    issuer.answering = ({ path }, response) => {
      if (path !== '/token') return false;
      response.writeHead(status, { 'retry-after': '120' }).end('{"error":"temporarily_unavailable"}');
      return true;
    };
    await expire(30);
    const old = await token(app);
    expect(await issuer.accepts(old, server.endpoint)).toBe(true);
    await app.db.query(`update integration_credential set access_expires_at = now() where integration_id = $1`, [
      connector,
    ]);
    const before = asked().length;
    expect(await refusal(token(app))).toBe('503');
    expect(asked().length).toBe(before);
    expect(await row()).toMatchObject({ state: 'connected', refresh_failures: 1, refresh_claim: null });
    const { rows } = await app.db.query(
      'select extract(epoch from next_refresh_at - now()) as seconds from integration_credential where integration_id = $1',
      [connector],
    );
    expect(Number(rows[0].seconds)).toBeGreaterThan(100);
    issuer.answering = undefined;
    await expire();
    expect(await issuer.accepts(await token(replica), server.endpoint)).toBe(true);
  });
});

describe('a grant that is gone', () => {
  it('needs a person, says so once, and moves no counter', async () => {
    issuer.answering = ({ path }, response) => {
      if (path !== '/token') return false;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      return true;
    };
    await expire();
    const refusals = await Promise.all(
      Array.from({ length: 8 }, (_, reader) => refusal(token(reader % 2 ? app : replica))),
    );
    expect(new Set(refusals)).toEqual(new Set(['409 needs_credentials']));
    expect(await row()).toMatchObject({ state: 'reauthorization_required', generation: 1 });
    const { rows } = await app.db.query(
      `select count(*)::int as count from activity where verb = 'integration.reauthorization_required' and subject_id = $1`,
      [connector],
    );
    expect(rows[0].count).toBe(1);
  });

  it('of a client that the server has forgotten registers another one at the next start', async () => {
    issuer.answering = ({ path }, response) => {
      if (path !== '/token') return false;
      response
        .writeHead(401, { 'www-authenticate': 'Basic', 'content-type': 'application/json' })
        .end('{"error":"invalid_client"}');
      return true;
    };
    await expire();
    expect(await refusal(token(app))).toBe('409 needs_credentials');
    issuer.answering = undefined;
    const before = issuer.count('/reg');
    connector = await authorizedConnector(app, owner, organizationId, server, issuer);
    expect(issuer.count('/reg')).toBe(before + 1);
  });
});

describe('a refresher that died', () => {
  it('is waited for until its claim has lapsed', async () => {
    await app.db.query(
      `update integration_credential set access_expires_at = now(), refresh_claim = gen_random_uuid(),
         refresh_claim_until = now() + interval '1 second' where integration_id = $1`,
      [connector],
    );
    const [one, other] = await Promise.all([token(app), token(replica)]);
    expect(one).toBe(other);
  });

  it('after the answer and before the store loses the connection, which says so', async () => {
    issuer.answering = async ({ path }) => {
      if (path !== '/token') return false;
      // As if the process that claimed were gone: its claim belongs to nobody who will store.
      await app.db.query(
        `update integration_credential set refresh_claim = gen_random_uuid(), refresh_claim_until = now()
         where integration_id = $1`,
        [connector],
      );
      issuer.answering = undefined;
      return false;
    };
    await expire();
    expect(await refusal(token(app))).toBe('409 changed_meanwhile');
    expect(await refusal(token(app))).toBe('409 needs_credentials');
    expect(await row()).toMatchObject({ state: 'reauthorization_required', token_version: 1 });
  });
});

it('drops what came for a credential that another one has replaced', async () => {
  issuer.answering = async ({ path }) => {
    if (path === '/token')
      await app.db.query('update integration_credential set generation = 9 where integration_id = $1', [connector]);
    return false;
  };
  await expire();
  expect(await refusal(token(app))).toBe('409 changed_meanwhile');
  expect(await row()).toMatchObject({ generation: 9, token_version: 1 });
});

it('refreshes what nobody used for a day', async () => {
  await app.db.query(
    `update integration_credential set refreshed_at = now() - interval '25 hours' where integration_id = $1`,
    [connector],
  );
  await app.runJob('oauth-refresh');
  expect(await row()).toMatchObject({ token_version: 2, state: 'connected' });
});

it('refreshes a version once after a provider refused it', async () => {
  const before = asked().length;
  const credential = await credentialAt(app);
  const source = app.app.get(CredentialSource);
  const [one, two] = await Promise.all([
    source.renewed(credential, 1, signal()),
    source.renewed(credential, 1, signal()),
  ]);
  expect([one.tokenVersion, two.tokenVersion, asked().length - before]).toEqual([2, 2, 1]);
});
