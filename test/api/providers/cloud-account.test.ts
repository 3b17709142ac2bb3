import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Outside } from '../../support/peers/outside.ts';
import { BASE_KEYS, OWN_ACCOUNT, StsPeer } from '../../support/peers/providers/sts-peer.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const KEY = 'cloud-account';
const ACCOUNT = '123456789012';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/runner`;
const app = useTestApp({
  env: {
    CLOUD_ACCOUNT_ACCESS_KEY_ID: BASE_KEYS.accessKeyId,
    CLOUD_ACCOUNT_SECRET_ACCESS_KEY: BASE_KEYS.secretAccessKey,
  },
});
const without = useTestApp();
const place = useWorkplace(app);
const elsewhere = useWorkplace(without);
const at = (rest = '') => place.path(`/integrations/${KEY}${rest}`);
const own = (suffix = '-a1') => `${place.organizationId}${suffix}`;
let outside: Outside;
let peer: StsPeer;

beforeAll(async () => {
  outside = await Outside.start();
  outside.surround(app);
  peer = await StsPeer.start(outside, ['us-east-1', 'eu-central-1']);
});
afterAll(() => outside.stop());
beforeEach(() => {
  peer.asked.length = 0;
  peer.answering = undefined;
  peer.roles.clear();
  peer.roles.set(ROLE, { externalId: new RegExp(`^${own()}$`) });
});

const connect = (credential: object = {}) =>
  place.owner.put(at('/credential'), { kind: 'role', roleArn: ROLE, externalId: own(), ...credential });
const save = (settings: object = {}) =>
  place.owner.put(at('/settings'), {
    settings: { kind: KEY, accountId: ACCOUNT, region: 'eu-central-1', ...settings },
  });
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
const wordOf = ({ status, body }: { status: number; body: any }) => [
  status,
  body.error.issues[0].path,
  body.error.issues[0].code,
];

describe('a role: 200', () => {
  it('is assumed with the external id, and refused to any other one before', async () => {
    const { status, body, text } = await connect();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ readiness: 'needs_settings', accessMode: 'read_only' });
    expect(peer.asked.map((each) => each.replace(/[0-9a-f]{8}-.*/, 'ID'))).toEqual([
      'GetCallerIdentity us-east-1',
      'AssumeRole us-east-1 ID',
      'AssumeRole us-east-1 ID',
      'GetCallerIdentity us-east-1',
    ]);
    expect(peer.asked[2]).toContain(own());
    expect(text).not.toMatch(/CANARY/);
    expect(peer.faults).toEqual([]);
  });

  it('with settings answers who it is, in the region of the settings', async () => {
    await connect();
    const saved = await save();
    expect(saved.body.data).toMatchObject({
      readiness: 'ready',
      settings: { accountId: ACCOUNT, region: 'eu-central-1', kubernetesEnabled: false, metrics: false },
    });
    await place.owner.put(at('/profiles'), { profileGrants: ['growth'], readOnlyProfileKeys: [] });
    const { id } = saved.body.data as { id: string };
    const { agent } = await place.run();
    const { caller, pathTo } = await capabilityOf(place, agent, { id, key: KEY });
    const call = () => caller.post(pathTo('/tools/get_account_identity/call'), { arguments: {} });
    peer.asked.length = 0;
    const { body, text } = await call();
    expect(body.data).toMatchObject({
      status: 'succeeded',
      output: { structuredContent: { accountId: ACCOUNT, region: 'eu-central-1', arn: expect.any(String) } },
    });
    expect(peer.asked).toHaveLength(2);
    expect(text).not.toMatch(/CANARY/);
    const checked = await place.owner.post(at('/check'), {});
    expect(checked.body.data.health.observations).toMatchObject([
      { scope: 'credential', status: 'verified' },
      { scope: `resource:${ACCOUNT}`, status: 'verified' },
    ]);
    peer.roles.set(ROLE, { externalId: new RegExp(`^${own()}$`), saysAccount: '210987654321' });
    expect((await call()).body.data).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
    peer.roles.clear();
    expect((await call()).body.data).toMatchObject({ status: 'failed', error: { code: 'credential_refused' } });
    peer.answering = (_, response) => response.writeHead(302, { location: 'https://elsewhere.example' }).end() !== null;
    expect((await call()).body.data).toMatchObject({ status: 'failed', error: { code: 'bad_answer' } });
    peer.answering = (_, response) => response.destroy() !== null;
    expect((await call()).body.data).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
    peer.answering = (_, response) => peer.refuse(response, 400, 'Throttling') === undefined;
    expect((await call()).body.data).toMatchObject({ status: 'failed', error: { code: 'rate_limited' } });
    expect(outside.attempts.some((each) => each.startsWith('169.254.'))).toBe(false);
  });
});

describe('a role: 400', () => {
  it.each<[string, object, string, number]>([
    ['is no role', { roleArn: 'arn:aws:iam::123456789012:user/me' }, 'roleArn', 0],
    ['is of another partition', { roleArn: 'arn:aws-cn:iam::123456789012:role/runner' }, 'roleArn', 0],
    [
      'comes with the external id of somebody else',
      { externalId: '0198a3c5-7d7e-7c3a-b0f1-2c0d7a9e5b11' },
      'externalId',
      0,
    ],
    ['trusts nobody here', { roleArn: `arn:aws:iam::${ACCOUNT}:role/none` }, 'roleArn', 2],
    ['is of the account of the service', { roleArn: `arn:aws:iam::${OWN_ACCOUNT}:role/admin` }, 'roleArn', 0],
  ])('is refused that %s', async (_, credential, path, requests) => {
    const [status, given] = wordOf(await connect(credential));
    expect([status, given]).toEqual([400, path]);
    expect(peer.asked).toHaveLength(requests);
  });

  it('is refused that demands no external id, or takes any', async () => {
    for (const role of [{}, { externalId: /./ }]) {
      peer.roles.set(ROLE, role);
      expect(wordOf(await connect())).toEqual([400, 'externalId', 'provider_rejected']);
    }
  });
});

describe('settings: 400', () => {
  it.each<[string, object, string]>([
    ['another account', { accountId: '210987654321' }, 'settings.accountId'],
    ['no region', { region: undefined }, 'settings.region'],
    ['a host for a region', { region: 'evil.example/' }, 'settings.region'],
    ['an endpoint', { endpoint: 'https://evil.example' }, 'settings.endpoint'],
  ])('are refused without a request that name %s', async (_, settings, path) => {
    await connect();
    peer.asked.length = 0;
    const [status, given] = wordOf(await save(settings));
    expect([status, given]).toEqual([400, path]);
    expect(peer.asked).toEqual([]);
  });
});

describe('a deployment without an identity: 409', () => {
  it('connects no account', async () => {
    const answer = await elsewhere.owner.put(elsewhere.path(`/integrations/${KEY}/credential`), {
      kind: 'role',
      roleArn: ROLE,
      externalId: elsewhere.organizationId,
    });
    expect(wordOf(answer)).toEqual([409, '', 'not_configured']);
  });
});
