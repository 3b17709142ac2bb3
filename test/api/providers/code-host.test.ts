import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderNetsService } from '../../../src/modules/integrations/provider-nets.service.ts';
import { RepositoryTokensService } from '../../../src/modules/providers/index.ts';
import type { Answer } from '../../support/client.ts';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { CodeHostPeer } from '../../support/peers/providers/code-host-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { TestApp } from '../../support/test-app.ts';

const app = new TestApp();
const poor = new TestApp();
let outside: Outside;
let peer: CodeHostPeer;
let place: Workplace;
let at: string;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await CodeHostPeer.start(outside);
  await app.open({ env: peer.env });
  await poor.open();
  outside.surround(app);
  place = await Workplace.open(app);
  at = place.path('/integrations/code-host');
  await place.owner.put(`${at}/profiles`, { profileGrants: ['growth'], readOnlyProfileKeys: [] });
});
beforeEach(() => {
  peer.forget();
  peer.own.clear();
  peer.own.set('Acme/Shop', { defaultBranch: 'trunk' }).set('Acme/docs', {});
  peer.foreign.clear();
  peer.user = { id: 77, login: 'ada' };
  peer.minted.length = 0;
});
afterEach(() => expect(peer.faults).toEqual([]));
afterAll(async () => {
  await poor.close();
  await app.close();
  outside.stop();
});

const installed = (installationId = peer.installation) =>
  place.owner.put(`${at}/credential`, { kind: 'app_installation', installationId });
const withToken = (token = peer.token) => place.owner.put(`${at}/credential`, { kind: 'token', token });
const save = (repositories?: readonly string[]) =>
  place.owner.put(`${at}/settings`, { settings: { kind: 'code-host', ...(repositories ? { repositories } : {}) } });
const paths = () =>
  peer.requests.map(({ method, path, query }) => `${method} ${path}${query.size ? `?${String(query)}` : ''}`);
const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];

describe('a credential: 200', () => {
  it('of an installation is proven by a token and a list, and is ready without settings', async () => {
    const { status, body, text } = await installed();
    expect([status, body.data.readiness, body.data.credentialMetadata]).toMatchObject([
      200,
      'ready',
      { kind: 'app_installation', details: { repositorySelection: 'selected' } },
    ]);
    expect(paths()).toEqual([
      'POST /app/installations/51234567/access_tokens',
      'GET /installation/repositories?per_page=1&page=1',
    ]);
    expect(peer.minted).toEqual([{ permissions: { contents: 'read', metadata: 'read' } }]);
    expect(text).not.toContain('CANARY');
  });

  it('of a person says whose it is', async () => {
    const { body, text } = await withToken();
    expect(body.data.credentialMetadata.details).toEqual({ account: 'ada' });
    expect(paths()).toEqual(['GET /user', 'GET /user/repos?per_page=1&page=1']);
    expect(text).not.toContain('CANARY');
  });

  it('of the same account keeps settings that still hold, and of another one clears them', async () => {
    await withToken();
    await save(['acme/shop']);
    expect((await withToken()).body.data).toMatchObject({
      settings: { repositories: ['Acme/Shop'] },
      readiness: 'ready',
    });
    peer.own.delete('Acme/Shop');
    expect((await withToken()).body.data.readiness).toBe('needs_verification');
    peer.user = { id: 78, login: 'bo' };
    expect((await withToken()).body.data).toMatchObject({ settings: null, readiness: 'ready' });
  });
});

describe('a credential: 400, 409, 503', () => {
  it('is refused at its field where the host does not know it', async () => {
    expect(wordOf(await installed('999'))).toEqual([400, 'installationId', 'provider_rejected']);
    const answer = await withToken('CANARY-wrong-token-7Yt5');
    expect(wordOf(answer)).toEqual([400, 'token', 'provider_rejected']);
    expect(answer.text).not.toContain('CANARY');
    peer.forget();
    expect(wordOf(await installed('../1'))).toEqual([400, 'installationId', 'invalid_text']);
    expect(wordOf(await withToken('a b'))).toEqual([400, 'token', 'invalid_text']);
    expect(peer.requests).toEqual([]);
  });

  it('of an installation wants a deployment with an app', async () => {
    const other = await Workplace.open(poor);
    const body = { kind: 'app_installation', installationId: peer.installation };
    const answer = await other.owner.put(other.path('/integrations/code-host/credential'), body);
    expect(wordOf(answer)).toEqual([409, '', 'not_configured']);
  });

  it('is 503 where the host refuses the app itself, or its rate is used up', async () => {
    peer.override = () => ({ status: 401, body: { message: 'CANARY-text' } });
    expect((await installed()).status).toBe(503);
    const reset = Math.ceil(Date.now() / 1_000) + 120;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
    peer.override = () => ({ status: 403, headers });
    const { status, headers: answered } = await withToken();
    expect(status).toBe(503);
    expect(Number(answered['retry-after'])).toBeGreaterThan(100);
    peer.override = () => ({ status: 403, body: { message: 'You have exceeded a secondary rate limit.' } });
    expect((await withToken()).headers['retry-after']).toBe('60');
  });
});

describe('repositories: 200', () => {
  it('come in pages of 100, in the words of contexts, with what the connector is used for', async () => {
    await installed();
    for (let each = 0; each < 150; each += 1) peer.own.set(`Acme/r${each}`, {});
    peer.forget();
    const { status, body, text } = await place.owner.get(`${at}/resources`);
    expect([status, body.data.items.length, body.data.nextPage]).toEqual([200, 100, 2]);
    expect(body.data.items[0]).toEqual({
      kind: 'repository',
      externalId: 'Acme/Shop',
      name: 'Shop',
      url: 'https://github.com/Acme/Shop',
      defaultBranch: 'trunk',
      private: true,
      archived: false,
    });
    expect(body.data.context).toMatchObject({ resources: [] });
    expect(text).not.toContain('CANARY');
    expect((await place.owner.get(`${at}/resources?page=2`)).body.data).toMatchObject({ nextPage: null });
    expect(paths().filter((path) => path.startsWith('GET'))).toEqual([
      'GET /installation/repositories?per_page=100&page=1',
      'GET /installation/repositories?per_page=100&page=2',
    ]);
  });
});

describe('repositories: 400, 409, 503', () => {
  it('are refused of another page, another connector, and without a credential', async () => {
    expect(wordOf(await place.owner.get(`${at}/resources?page=101`))).toEqual([400, 'page', 'out_of_range']);
    const other = await place.owner.get(place.path('/integrations/workspace/resources'));
    expect(wordOf(other)).toEqual([409, '', 'not_supported']);
    await place.owner.delete(`${at}/credential`);
    expect(wordOf(await place.owner.get(`${at}/resources`))).toEqual([409, '', 'needs_credentials']);
    expect(peer.requests).toEqual([]);
  });

  it('are 503 where a name is none', async () => {
    await withToken();
    peer.override = ({ path }) =>
      path === '/user/repos' ? { body: [{ full_name: 'a/b/c', default_branch: 'main' }] } : undefined;
    expect((await place.owner.get(`${at}/resources`)).status).toBe(503);
  });
});

describe('settings: 200', () => {
  it('are stored as the host spells them, after a request a repository and a token for exactly these', async () => {
    await installed();
    peer.forget();
    const { body } = await save(['acme/shop', 'ACME/docs']);
    expect(body.data).toMatchObject({ settings: { repositories: ['Acme/Shop', 'Acme/docs'] }, readiness: 'ready' });
    expect(paths()).toHaveLength(4);
    expect(peer.minted.at(-1)).toMatchObject({ repositories: ['Shop', 'docs'] });
    expect((await save()).body.data.settings).toEqual({ kind: 'code-host' });
  });
});

describe('settings: 400', () => {
  beforeEach(() => installed());

  it.each<[readonly string[], string, string]>([
    [[], 'settings.repositories', 'invalid_length'],
    [['acme/shop', 'Acme/SHOP'], 'settings.repositories.1', 'duplicate_item'],
    [['acme/..'], 'settings.repositories.0', 'invalid_text'],
    [['acme/shop/x'], 'settings.repositories.0', 'invalid_text'],
    [Array.from({ length: 201 }, (_, each) => `acme/r${each}`), 'settings.repositories', 'invalid_length'],
  ])('%j are refused before the host is asked', async (repositories, path, code) => {
    peer.forget();
    expect(wordOf(await save(repositories))).toEqual([400, path, code]);
    expect(peer.requests).toEqual([]);
  });

  it('name a repository that is gone, moved, blocked, or of nobody here', async () => {
    peer.own.set('Acme/moved', { status: 301 }).set('Acme/blocked', { status: 451 });
    for (const name of ['Acme/gone', 'Acme/moved', 'Acme/blocked']) {
      const answer = await save(['Acme/Shop', name]);
      expect(wordOf(answer)).toEqual([400, 'settings.repositories.1', 'provider_rejected']);
      expect(answer.text).not.toContain('CANARY');
    }
    // Every token reads public repositories of others.
    peer.foreign.add('Eve/public').add('Eve/Shop');
    expect(wordOf(await save(['Eve/public']))).toEqual([400, 'settings.repositories', 'provider_rejected']);
    expect(wordOf(await save(['Eve/Shop']))).toEqual([400, 'settings.repositories.0', 'provider_rejected']);
  });
});

describe('a check', () => {
  it('asks the list and each repository, and says what is lost', async () => {
    await installed();
    await save(['Acme/Shop', 'Acme/docs']);
    peer.own.delete('Acme/docs');
    peer.forget();
    const { body } = await place.owner.post(`${at}/check`);
    expect(body.data).toMatchObject({
      readiness: 'degraded',
      health: {
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'resource:Acme/Shop', status: 'verified' },
          { scope: 'resource:Acme/docs', status: 'failed', code: 'resource_missing' },
        ],
      },
    });
    expect(peer.requests).toHaveLength(4);
    peer.override = ({ path }) => (path.startsWith('/app/') ? { status: 404 } : undefined);
    const removed = await place.owner.post(`${at}/check`);
    expect(removed.body.data.health.observations).toContainEqual(
      expect.objectContaining({ scope: 'credential', status: 'failed', code: 'credential_refused' }),
    );
  });
});

describe('the tools', () => {
  it('are there for selection and grants, and are not called through the gateway', async () => {
    await withToken();
    await save(['Acme/Shop']);
    const { agent } = await place.run();
    const { id, key } = (await place.owner.get(at)).body.data;
    const { caller, pathTo } = await capabilityOf(place, agent, { id, key });
    peer.forget();
    const { body } = await caller.get(pathTo('/tools'));
    expect(body.data.tools).toMatchObject([
      { name: 'git_fetch', access: 'read', inputSchema: { properties: { repository: { enum: ['Acme/Shop'] } } } },
      { name: 'git_push', access: 'write', risk: 'external' },
    ]);
    for (const tool of ['git_fetch', 'git_push']) {
      const answer = await caller.post(pathTo(`/tools/${tool}/call`), { arguments: { repository: 'Acme/Shop' } });
      expect(wordOf(answer)).toEqual([409, 'toolName', 'not_callable']);
    }
    expect(peer.requests).toEqual([]);
  });
});

describe('a token for Git', () => {
  const wanted = { integrationId: 'i', credentialGeneration: 1, repository: 'acme/shop', right: 'read' } as const;
  const secret = () => ({ kind: 'app_installation', installationId: peer.installation }) as const;
  const net = () =>
    app.app
      .get(ProviderNetsService)
      .to(
        {
          organizationId: place.organizationId,
          integrationId: 'i',
          kind: 'code-host',
          endpoint: null,
          blockedDomains: [],
        },
        'read',
      )
      .with(secret());

  it('is for one repository and one right, and is asked for once, whoever else waits', async () => {
    const tokens = app.app.get(RepositoryTokensService);
    const ask = (more: object = {}) => tokens.tokenFor({ ...wanted, ...more }, secret(), net());
    const [one, same] = await Promise.all([ask(), ask({ repository: 'Acme/Shop' })]);
    expect([one === same, await ask()]).toEqual([true, one]);
    expect(peer.minted).toEqual([{ permissions: { contents: 'read', metadata: 'read' }, repositories: ['shop'] }]);
    const others = [
      { right: 'write' },
      { credentialGeneration: 2 },
      { integrationId: 'j' },
      { repository: 'acme/docs' },
    ];
    expect(new Set(await Promise.all(others.map(ask))).has(one)).toBe(false);
    expect(peer.minted).toHaveLength(5);
    expect(peer.minted[1]).toMatchObject({ permissions: { contents: 'write' } });
    expect(await tokens.tokenFor(wanted, { kind: 'token', token: peer.token }, net())).toBe(peer.token);
  });

  it('is not had for another owner’s repository of the same name, and asked for anew after a failure', async () => {
    const tokens = app.app.get(RepositoryTokensService);
    const ask = () => tokens.tokenFor({ ...wanted, integrationId: 'k', repository: 'eve/shop' }, secret(), net());
    await expect(ask()).rejects.toMatchObject({ failure: { code: 'not_found' } });
    await expect(ask()).rejects.toMatchObject({ failure: { code: 'not_found' } });
    expect(peer.minted).toHaveLength(2);
  });
});
