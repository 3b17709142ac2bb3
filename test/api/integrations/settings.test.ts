import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { useOrganization } from '../../support/use-test-app.ts';
import { createIntegration, ENDPOINT } from '../../support/factories/integrations/rows.ts';
import { ProbeProvider, probeConnector, serveProvider } from '../../support/factories/integrations/probe-provider.ts';

const { app, owner, organization } = useOrganization({
  env: { INTEGRATION_APPROVED_ORIGINS: new URL(ENDPOINT).origin },
});
const TOKEN = 'CANARY-token-8Pl2Mn6Bv4';
const SETTINGS = {
  kind: 'probe-analytics',
  propertyIds: ['properties/1', 'properties/2'],
  defaultPropertyId: 'properties/1',
};

/** One whose credential enables it, and whose settings are looked at when it is connected. */
const store = new ProbeProvider({ key: 'probe-store', enabledByCredential: true, hasReportingCredential: false });
let provider: ProbeProvider;
let at: string;

beforeAll(() => {
  provider = serveProvider(app);
  serveProvider(app, store);
});
beforeEach(async () => {
  Object.assign(provider, { account: 'one', known: undefined, failure: undefined, asked: 0 });
  Object.assign(store, { account: 'one', known: undefined, failure: undefined, asked: 0 });
  at = await made('probe-analytics');
});

const made = async (kind: string) =>
  `/organizations/${organization.id}/integrations/${await probeConnector(app, organization.id, kind)}`;
const put = (settings: object = SETTINGS, expectedSettings?: object) =>
  owner.put(`${at}/settings`, { settings, ...(expectedSettings ? { expectedSettings } : {}) });
const connect = () => owner.put(`${at}/credential`, { kind: 'token', token: TOKEN });
const epoch = async () =>
  (await app.db.query('select authorization_epoch as epoch from organization where id = $1', [organization.id])).rows[0]
    .epoch as number;
const row = async () =>
  (await app.db.query('select * from integration where id = $1', [at.split('/').at(-1)])).rows[0] as Record<
    string,
    unknown
  >;
const wordOf = ({ status, body }: { status: number; body: { error: { issues: { path: string; code: string }[] } } }) =>
  [status, body.error.issues[0]!.path, body.error.issues[0]!.code] as const;

describe('material settings', () => {
  it('are stored as the provider has them, enable the connector, and move their counter and the epoch', async () => {
    expect((await connect()).body.data).toMatchObject({
      enabled: false,
      readiness: 'disabled',
      accessMode: 'read_only',
    });
    const before = await epoch();
    const { status, body } = await put();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      enabled: true,
      readiness: 'ready',
      settings: SETTINGS,
      revisions: { credential: 2, settings: 1 },
      health: { generation: '2.1', observations: [{ scope: 'credential', status: 'verified' }] },
    });
    expect(await row()).toMatchObject({
      verified_for: '2.1',
      verified_resources: [{ resourceId: 'properties/1' }, { resourceId: 'properties/2' }],
      collection_generation: 0,
    });
    expect(await epoch()).toBe(before + 1);
  });

  it('move nothing, and ask nobody, where they are the same', async () => {
    await put();
    const before = [await epoch(), await row()];
    const { asked } = provider;
    expect((await put()).status).toBe(200);
    expect([await epoch(), await row()]).toEqual(before);
    expect(provider.asked).toBe(asked);
  });

  it('are refused where the provider does not have what they name, and nothing is stored', async () => {
    provider.known = ['properties/2'];
    const before = await row();
    expect(wordOf(await put())).toEqual([400, 'settings', 'provider_rejected']);
    expect(await row()).toEqual(before);
  });

  it('are refused of another kind, and without one', async () => {
    expect(wordOf(await put({ ...SETTINGS, kind: 'mcp' }))).toEqual([400, 'settings.kind', 'not_of_kind']);
    expect(wordOf(await put({ propertyIds: [] }))).toEqual([400, 'settings.kind', 'required']);
  });

  it('want a credential that works', async () => {
    provider.failure = 'credential_refused';
    expect(wordOf(await put())).toEqual([409, '', 'credential_refused']);
    await owner.delete(`${at}/credential`);
    expect(wordOf(await put())).toEqual([409, '', 'needs_credentials']);
  });

  it('are not stored where the connector was changed while the provider was asked', async () => {
    provider.meanwhile = () => owner.delete(`${at}/credential`);
    expect(wordOf(await put())).toEqual([409, '', 'changed_meanwhile']);
    expect((await row()).settings).toBeNull();
  });

  it.each([
    ['unavailable', 503],
    ['rate_limited', 503],
    ['bad_answer', 503],
  ] as const)('are 503 with a provider that is %s', async (failure, status) => {
    provider.failure = failure;
    const answer = await put();
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, '5']);
  });

  it('do not exist on an own server', async () => {
    const { id } = (await createIntegration(owner, organization.id)) as { id: string };
    at = `/organizations/${organization.id}/integrations/${id}`;
    expect(wordOf(await put({ kind: 'mcp' }))).toEqual([409, '', 'not_supported']);
    const reporting = await owner.put(`${at}/reporting-credential`, { credential: null });
    expect(wordOf(reporting)).toEqual([409, '', 'not_supported']);
  });
});

describe('settings of reports', () => {
  const reporting = { ...SETTINGS, reporting: { metrics: ['sessions'] } };

  it('want to be compared with those that were read, and move only the generation of the collection', async () => {
    await put();
    const before = await epoch();
    expect(wordOf(await put(reporting))).toEqual([400, 'expectedSettings', 'required']);
    expect(wordOf(await put(reporting, { ...SETTINGS, propertyIds: [] }))).toEqual([
      409,
      'expectedSettings',
      'stale_settings',
    ]);
    const { body } = await put(reporting, SETTINGS);
    expect(body.data).toMatchObject({ settings: reporting, revisions: { settings: 1 } });
    expect(await row()).toMatchObject({ collection_generation: 1, verified_for: '1.1' });
    expect(await epoch()).toBe(before);
  });
});

describe('another credential', () => {
  it('of the same account leaves settings that have to be saved again', async () => {
    await put();
    expect((await connect()).body.data).toMatchObject({ readiness: 'needs_verification', settings: SETTINGS });
    expect(await row()).toMatchObject({ verified_for: null, verified_resources: null });
    const before = await epoch();
    const { body } = await put();
    expect(body.data).toMatchObject({ readiness: 'ready', revisions: { credential: 2, settings: 1 } });
    expect(await epoch()).toBe(before);
  });

  it('of another account clears them', async () => {
    await put();
    provider.account = 'another';
    expect((await connect()).body.data).toMatchObject({ readiness: 'needs_settings', settings: null });
  });

  it('looks at them at once where a credential enables the connector', async () => {
    at = await made('probe-store');
    const settings = { ...SETTINGS, kind: 'probe-store' };
    expect((await connect()).body.data).toMatchObject({ enabled: true, readiness: 'needs_settings' });
    expect((await put(settings)).body.data.readiness).toBe('ready');
    expect((await connect()).body.data).toMatchObject({ readiness: 'ready', settings });
    store.known = [];
    expect((await connect()).body.data).toMatchObject({ readiness: 'needs_verification', settings });
  });

  it('goes with tools and settings where only an authorization brings it, and is asked about nowhere', async () => {
    await connect();
    await put();
    const { asked } = provider;
    const { body } = await owner.delete(`${at}/credential`);
    expect(body.data).toMatchObject({ settings: null, readiness: 'needs_credentials' });
    expect(body.data.tools.filter((tool: { selected: boolean }) => tool.selected)).toEqual([]);
    expect(provider.asked).toBe(asked);
  });
});

describe('the credential of reports', () => {
  const credential = {
    kind: 'rest_key',
    websiteId: '5b7f0c52-8f0e-4f0a-9f43-4f7a3d0b6c11',
    identifier: 'CANARY-identifier-1',
    key: 'CANARY-key-4Rf7Tg1Yh8',
    tier: 'website',
  };
  const putReporting = (given: object | null) => owner.put(`${at}/reporting-credential`, { credential: given });
  const stored = async () =>
    (
      await app.db.query(`select * from integration_credential where purpose = 'reporting' and integration_id = $1`, [
        at.split('/').at(-1),
      ])
    ).rows;

  it('is sealed apart, shown nowhere, and moves only the generation of the collection', async () => {
    const before = await epoch();
    const answer = await putReporting(credential);
    expect([answer.status, answer.body.data.hasReportingCredentials]).toEqual([200, true]);
    expect(answer.text).not.toContain('CANARY');
    const [row1] = await stored();
    expect(row1).toMatchObject({ generation: 1, kind: 'rest_key', key_id: 'e1' });
    expect(JSON.stringify(row1)).not.toContain('CANARY');
    await putReporting(credential);
    expect(await stored()).toMatchObject([{ generation: 2 }]);
    const { asked } = provider;
    expect((await putReporting(null)).body.data.hasReportingCredentials).toBe(false);
    await putReporting(null);
    expect(await row()).toMatchObject({ collection_generation: 3 });
    expect([await stored(), provider.asked, await epoch()]).toEqual([[], asked, before]);
  });

  it('is refused where the provider refuses it, or there is no connection', async () => {
    provider.failure = 'credential_refused';
    expect(wordOf(await putReporting(credential))).toEqual([400, 'credential.key', 'provider_rejected']);
    provider.failure = undefined;
    await owner.delete(`${at}/credential`);
    expect(wordOf(await putReporting(credential))).toEqual([409, '', 'needs_credentials']);
    expect(wordOf(await putReporting({ ...credential, tier: 'both' }))).toEqual([
      400,
      'credential.tier',
      'unknown_value',
    ]);
    expect(await stored()).toEqual([]);
  });
});
