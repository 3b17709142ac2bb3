import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Client } from '../client.ts';
import { gitSettings } from '../git/git-settings.ts';
import { WorkCopy } from '../git/work-copy.ts';
import { GitHostPeer, type HostedRepository } from '../peers/git-host-peer.ts';
import { Outside } from '../peers/outside.ts';
import { CodeHostPeer } from '../peers/providers/code-host-peer.ts';
import type { TestAppOptions } from '../test-app.ts';
import { useTestApp, useWorkplace } from '../use-test-app.ts';
import { capabilityOf } from './connected-servers.ts';

const KEY = 'code-host';

/** What git is given to work through the service, as one run. */
export interface GitAgent {
  readonly runId: string;
  readonly taskId: string;
  /** Calls the internal API of agents. */
  readonly agent: Client;
  /** Calls the routes of Git and of the gateway with the capability of the connector. */
  readonly caller: Client;
  readonly capability: string;
  /** The path below the service of a repository's routes. */
  readonly pathTo: (repository: string, rest: string) => string;
  /** The address of a repository; the service must listen. */
  readonly addressOf: (repository: string) => string;
  /** Environment of a git that works through the service. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * An organization with its code host connected, whose engineers may do everything: the repository `Acme/Shop` of the host has
 * a commit on `main`, `Acme/docs` none. Real git works over the address on which the service listens. See `use-test-app.ts`.
 */
export function useCodeHost({ env, ...options }: TestAppOptions = {}) {
  let outside: Outside;
  let host: GitHostPeer;
  let api: CodeHostPeer;
  let base: string;
  let shop: HostedRepository;
  let id: string;
  const copies: WorkCopy[] = [];

  beforeAll(async () => {
    outside = await Outside.start();
    host = await GitHostPeer.start(outside);
    api = await CodeHostPeer.start(outside);
    host.tokens.set(api.token, { write: true });
    host.knows = (token, { repository, service }) => mayByMinted(api, token, repository, service);
    for (const name of ['Acme/Shop', 'Acme/docs']) {
      api.own.set(name, {});
      await host.create(name);
    }
    shop = host.repository('Acme/Shop');
    await shop.commit('main', { 'README.md': '# Shop\n' });
  });
  const app = useTestApp({
    ...options,
    // Known once the peer is there, which the hook above sees to.
    get env() {
      return { ...api.env, ...env };
    },
  });
  const place = useWorkplace(app);
  const at = (rest = '') => place.path(`/integrations/${KEY}${rest}`);
  const connect = (given: object = { kind: 'token', token: api.token }) => place.owner.put(at('/credential'), given);
  beforeAll(async () => {
    outside.surround(app);
    base = await app.app.listen(0, '127.0.0.1').then(() => app.app.getUrl());
    const grants = { profileGrants: ['engineering', 'growth'], readOnlyProfileKeys: [] };
    expect((await place.owner.put(at('/profiles'), grants)).status).toBe(200);
    expect((await connect()).body.data).toMatchObject({ readiness: 'ready' });
    ({ id } = (await place.owner.get(at())).body.data as { id: string });
  });
  beforeEach(() => {
    host.forget();
    api.forget();
  });
  afterEach(() => expect(api.faults).toEqual([]));
  afterAll(async () => {
    for (const copy of copies) await copy.remove();
    await host.stop();
    outside.stop();
  });

  const gitAgent = async (parts: Parameters<typeof place.run>[0] = {}, profile = 'engineering'): Promise<GitAgent> => {
    // Whatever git does on a slow machine, it ends before the run.
    const lease = { lease_expires_at: new Date(Date.now() + 900_000).toISOString() };
    const { runId, taskId, agent } = await place.run({ ...parts, run: { ...lease, ...parts.run } }, profile);
    const { caller } = await capabilityOf(place, agent, { id, key: KEY });
    const below = `/internal/git/integrations/${id}`;
    return {
      runId,
      taskId,
      agent,
      caller,
      capability: caller.token!,
      pathTo: (repository, rest) => `${below}/${repository}.git/${rest}`,
      addressOf: (repository) => `${base}${below}/${repository}.git`,
      env: gitSettings(base, caller.token!),
    };
  };
  return {
    app,
    place,
    at,
    /** With the token of a person unless said. */
    connect,
    save: (settings: object) => place.owner.put(at('/settings'), { settings: { kind: KEY, ...settings } }),
    /** A new run with a capability. */
    gitAgent,
    /** A copy of a repository that an agent's git makes through the service; removed after the tests. */
    cloneAs: async (agent: GitAgent, repository = 'Acme/Shop', args: readonly string[] = []): Promise<WorkCopy> => {
      const copy = await WorkCopy.clone(agent.addressOf(repository), agent.env, args);
      copies.push(copy);
      return copy;
    },
    /** A copy of what stands at the host, past the service. */
    copyOf: async (repository = 'Acme/Shop'): Promise<WorkCopy> => {
      const copy = await WorkCopy.clone(host.repository(repository).folder);
      copies.push(copy);
      return copy;
    },
    get outside() {
      return outside;
    },
    get host() {
      return host;
    },
    get api() {
      return api;
    },
    /** `Acme/Shop` at the host. */
    get shop() {
      return shop;
    },
    /** Where the service listens. */
    get base() {
      return base;
    },
    /** Of the connector. */
    get id() {
      return id;
    },
  };
}

/** Whether a token of an installation is for this repository and right. */
function mayByMinted({ minted }: CodeHostPeer, token: string, repository: string, service: string | null): boolean {
  const asked = minted[Number(/^CANARY-ghs_(\d+)$/.exec(token)?.[1] ?? '0') - 1] as
    { readonly permissions: { readonly contents?: string }; readonly repositories?: readonly string[] } | undefined;
  if (!asked) return false;
  const isNamed =
    !asked.repositories || asked.repositories.some((each) => repository.endsWith(`/${each.toLowerCase()}`));
  return isNamed && (service === 'git-upload-pack' || asked.permissions.contents === 'write');
}
