import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Secrets } from '../../../src/kernel/secrets/index.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { probeConnector, ProbeProvider, serveProvider } from '../../support/factories/integrations/probe-provider.ts';
import { ENCRYPTION_KEY, TestApp } from '../../support/test-app.ts';

const NEXT = `next:${randomBytes(32).toString('base64url')}`;
const CONNECTORS = 8;
const SECONDS = Number(process.env.ROTATION_SECONDS ?? 3);

let databaseUrl: string;
let old: TestApp;
let owner: Person;
let organizationId: string;
let connectors: readonly string[];
const replicas: TestApp[] = [];

/** A replica with these keys, as a deployment has them. */
async function replicaWith(keys: string): Promise<TestApp> {
  const replica = await TestApp.start({ databaseUrl, env: { ENCRYPTION_KEYS: keys } });
  replicas.push(replica);
  await replica.app.get(Secrets).require();
  serveProvider(replica, providerIn(replica));
  return replica;
}

const providers = new Map<TestApp, ProbeProvider>();
function providerIn(replica: TestApp): ProbeProvider {
  const provider = new ProbeProvider({ enabledByCredential: true, settings: 'none', settingsVerified: false });
  providers.set(replica, provider);
  return provider;
}

beforeAll(async () => {
  old = await TestApp.start({ ownDatabase: true, env: { ENCRYPTION_KEYS: ENCRYPTION_KEY } });
  ({ databaseUrl } = old);
  replicas.push(old);
  serveProvider(old, providerIn(old));
  owner = await old.person();
  organizationId = await organizationOf(owner);
  connectors = await Promise.all(Array.from({ length: CONNECTORS }, () => probeConnector(old, organizationId)));
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
});

const keysOf = async () =>
  (
    await old.db.query<{ key: string }>('select distinct key_id as key from integration_credential order by 1')
  ).rows.map(({ key }) => key);

it('leaves every secret readable and none under the old key, though credentials are replaced all the while', async () => {
  const both = await replicaWith(`${ENCRYPTION_KEY},${NEXT}`);
  const turned = await replicaWith(`${NEXT},${ENCRYPTION_KEY}`);
  const stored = new Map<string, string>();
  const end = performance.now() + SECONDS * 1_000;
  let replaced = 0;
  const replace = async (id: string, writers: readonly TestApp[]) => {
    for (let nth = 0; performance.now() < end; nth += 1) {
      const writer = writers[nth % writers.length]!.client(owner.token);
      const token = `CANARY-${randomUUID()}`;
      const at = `/organizations/${organizationId}/integrations/${id}/credential`;
      const { status } = await writer.put(at, { kind: 'token', token });
      expect(status).toBe(200);
      stored.set(id, token);
      replaced += 1;
    }
  };
  const rewrap = async () => {
    while (performance.now() < end) await turned.runJob('secrets-rewrap');
  };
  // The last one is replaced by nobody.
  await Promise.all([...connectors.slice(1).map((id) => replace(id, [both, turned])), rewrap()]);
  expect(replaced).toBeGreaterThan(CONNECTORS);

  // Now every replica writes with the new key, and the job moves what is left.
  await turned.runJob('secrets-rewrap');
  expect(await keysOf()).toEqual(['next']);

  const alone = await replicaWith(NEXT);
  const seen = providers.get(alone)!;
  for (const id of connectors) {
    const { body } = await alone.client(owner.token).post(`/organizations/${organizationId}/integrations/${id}/check`);
    expect(body.data.health.observations).toMatchObject([{ scope: 'credential', status: 'verified' }]);
    expect(seen.secrets.at(-1)).toMatchObject({ token: stored.get(id) ?? 'CANARY-probe-2Wq8Xs5Ed3' });
  }
}, 60_000);

it('stops a start with a key that does not open what is stored', async () => {
  const other = `next:${randomBytes(32).toString('base64url')}`;
  await expect(replicaWith(other)).rejects.toThrow(/^ENCRYPTION_KEYS: has another key under the id "next" than before/);
  const missing = `third:${randomBytes(32).toString('base64url')}`;
  await expect(replicaWith(missing)).rejects.toThrow(/^ENCRYPTION_KEYS: lacks the key "next"/);
});
