import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  createIntegration,
  ENDPOINT,
  epochOf,
  grantRows,
  integrationRow,
  listedTool,
} from '../../support/factories/integrations/rows.ts';
import { organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const SECRET = '/mcp/veiled-path?key=veiled-query';
const { app, owner, organization } = useOrganization();

const at = (path = '') => `/organizations/${organization.id}/integrations${path}`;

/** Outbox events and activity that a connector left. */
async function traces(id: string, key: string) {
  const { rows } = await app.db.query<{ verb: string }>(
    'select verb from activity where organization_id = $1 and subject_id = $2 order by id',
    [organization.id, id],
  );
  const { rows: events } = await app.db.query(
    `select payload from outbox_event where organization_id = $1 and kind = 'requirement.check'
     and payload->>'connectorKey' = $2`,
    [organization.id, key],
  );
  return { verbs: rows.map(({ verb }) => verb), checks: events.length };
}

describe('201', () => {
  it('creates a connector of an own MCP server, which nobody is asked about', async () => {
    const made = await createIntegration(owner, organization.id, {
      name: 'Ordres d’été',
      endpoint: `https://orders.acme.example${SECRET}`,
      purposes: ['order_management'],
      description: 'Our shop',
    });
    expect(made).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      key: 'mcp-ordres-d-ete',
      name: 'Ordres d’été',
      kind: 'mcp',
      connection: { type: 'mcp' },
      description: 'Our shop',
      endpoint: `https://orders.acme.example${SECRET}`,
      purposes: ['order_management'],
      enabled: false,
      readiness: 'disabled',
      accessMode: 'ask_before_write',
      tools: [],
      reviewRequiredTools: [],
      profileGrants: ['chat', 'operator'],
      readOnlyProfileKeys: ['operator'],
      retired: false,
      credentialMetadata: null,
      hasReportingCredentials: false,
      settings: null,
      operatingContext: {
        departments: [],
        organizationPurpose: null,
        departmentPurposes: {},
        policy: null,
        businessFunctions: [],
        taskPatterns: [],
        workflowKeys: [],
        resources: [],
      },
      contextRevision: 1,
      health: { kind: 'integration_health', generation: '0.0', observations: [] },
      revisions: { credential: 0, settings: 0, tools: 0, grants: 0 },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await owner.get(at(`/${made.key}`))).body.data).toEqual(made);
    expect((await owner.get(at(`/${made.id}`))).body.data).toEqual(made);
    const { rows } = await app.db.query('select * from activity where subject_id = $1', [made.id]);
    expect(rows).toMatchObject([{ verb: 'integration.created', details: { key: made.key } }]);
    expect(JSON.stringify(rows)).not.toContain('veiled');
  });

  it('counts on where the key of the name is taken, and grants it to those who are named', async () => {
    const name = `Twins ${randomUUID().slice(0, 8)}`;
    const one = await createIntegration(owner, organization.id, { name });
    const other = await createIntegration(owner, organization.id, { name, profileGrants: ['growth'] });
    expect(other.key).toBe(`${one.key}-2`);
    expect(other).toMatchObject({ profileGrants: ['growth'], readOnlyProfileKeys: [] });
  });

  it('makes one for one Idempotency-Key', async () => {
    const body = { name: 'Once', endpoint: ENDPOINT };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await owner.post(at(), body, headers);
    const again = await owner.post(at(), body, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.data.id).toBe(first.body.data.id);
  });
});

describe('200', () => {
  it('lists by key, with cursors', async () => {
    const place = await organizationOf(owner);
    const path = `/organizations/${place}/integrations`;
    for (const key of ['mcp-b', 'mcp-a', 'mcp-a-2']) await createIntegration(owner, place, { key });
    const all = await owner.get(path);
    expect(all.body.pagination).toMatchObject({ limit: 20, hasNextPage: false });
    const own = (rows: { key: string }[]) => rows.map(({ key }) => key).filter((key) => key.startsWith('mcp-'));
    expect(own(all.body.data)).toEqual(['mcp-a', 'mcp-a-2', 'mcp-b']);
    const keys: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.get(`${path}?limit=1&cursor=${cursor}`);
      keys.push(...body.data.map(({ key }: { key: string }) => key));
      cursor = body.pagination.nextCursor ?? '';
    } while (cursor !== '');
    expect(keys).toEqual(all.body.data.map(({ key }: { key: string }) => key));
  });

  it('leaves out what the release retired unless it is connected, and shows it by id', async () => {
    const gone = { kind: 'gone', origin: 'catalog', entry_version: 1, endpoint: null };
    const kept = await integrationRow(app, organization.id, { row: { ...gone, key: `kept-${Date.now()}` } });
    const left = await integrationRow(app, organization.id, { row: { ...gone, key: `left-${Date.now()}` } });
    await app.db.query('delete from integration_credential where integration_id = $1', [left]);
    const { body } = await owner.get(at('?limit=200'));
    const ids = new Set(body.data.map(({ id }: { id: string }) => id));
    expect([ids.has(kept), ids.has(left)]).toEqual([true, false]);
    const { body: read } = await owner.get(at(`/${left}`));
    expect(read.data).toMatchObject({ readiness: 'retired', retired: true, kind: 'gone' });
  });

  it('shows a connected one: tools as listed and chosen, credential without secrets, health of its generation', async () => {
    const observations = [{ scope: 'credential', status: 'verified', checkedAt: '2026-01-01T00:00:00.000000Z' }];
    const id = await integrationRow(app, organization.id, {
      tools: [
        listedTool('list_orders'),
        listedTool('refund', { access: 'write', reviewRequired: true }),
        listedTool('peek'),
      ],
      selected: ['list_orders', 'refund'],
      row: {
        review_required: ['peek'],
        health: { generation: '1.0', observations: [{ ...observations[0], failures: 0 }] },
      },
      credential: { label: 'Acme Ltd', details: { plan: 'pro' }, identity: 'veiled-subject' },
    });
    const { body } = await owner.get(at(`/${id}`));
    expect(body.data).toMatchObject({
      readiness: 'ready',
      credentialMetadata: {
        kind: 'api_key',
        connectedAt: '2026-01-01T00:00:00.000000Z',
        details: { account: 'Acme Ltd', plan: 'pro' },
      },
      reviewRequiredTools: ['peek', 'refund'],
      health: { kind: 'integration_health', generation: '1.0', observations },
    });
    expect(body.data.tools).toEqual([
      expect.objectContaining({ name: 'list_orders', access: 'read', selected: true, quarantined: false }),
      expect.objectContaining({ name: 'refund', access: 'write', selected: true }),
      expect.objectContaining({ name: 'peek', access: 'write', selected: false }),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/veiled|sealed/);
  });

  it('says nothing of health of another generation', async () => {
    const health = { generation: '0.0', observations: [{ scope: 'credential', status: 'failed', checkedAt: 'x' }] };
    const id = await integrationRow(app, organization.id, { row: { health } });
    expect((await owner.get(at(`/${id}`))).body.data).toMatchObject({
      readiness: 'ready',
      health: { generation: '1.0', observations: [] },
    });
  });

  it('shows viewers the origin of an address only', async () => {
    const made = await createIntegration(owner, organization.id, { endpoint: `https://orders.acme.example${SECRET}` });
    const viewer = await app.person();
    await owner.put(`/organizations/${organization.id}/members/${viewer.subject}`, { role: 'viewer' });
    for (const path of [at(`/${made.id}`), at('?limit=200')]) {
      const { status, text } = await viewer.get(path);
      expect(status).toBe(200);
      expect(text).not.toContain('veiled');
      expect(text).toContain('https://orders.acme.example/…');
    }
    expect((await app.bootstrap.get(at(`/${made.id}`))).text).toContain('veiled');
    const reader = await owner.post('/owner-tokens', { name: 'Reader', scopes: ['read'] });
    const token = { authorization: `Bearer ${reader.body.data.token}` };
    for (const path of [at(`/${made.id}`), at('?limit=200')])
      expect((await app.anonymous.get(path, token)).text).not.toContain('veiled');
  });

  it('renames without moving a fence, and what changes nothing moves nothing', async () => {
    const { id, key, updatedAt } = await createIntegration(owner, organization.id);
    const before = await epochOf(app, organization.id);
    const { body } = await owner.patch(at(`/${id}`), { name: 'Shop', description: 'Another' });
    expect(body.data).toMatchObject({ name: 'Shop', description: 'Another', key, revisions: { credential: 0 } });
    expect(body.data.updatedAt > updatedAt).toBe(true);
    const same = await owner.patch(at(`/${id}`), { name: 'Shop', endpoint: ENDPOINT });
    expect(same.body.data).toEqual(body.data);
    expect(await epochOf(app, organization.id)).toBe(before);
    expect(await traces(id, key)).toEqual({ verbs: ['integration.created', 'integration.updated'], checks: 1 });
  });

  it('forgets credential, tools, selection, health and protocol with another address', async () => {
    const id = await integrationRow(app, organization.id, {
      row: { mcp: { era: 'modern', version: '2026-07-28' }, health: { generation: '1.0', observations: [] } },
    });
    const before = await epochOf(app, organization.id);
    const { body } = await owner.patch(at(`/${id}`), { endpoint: 'https://other.acme.example/mcp' });
    expect(body.data).toMatchObject({
      endpoint: 'https://other.acme.example/mcp',
      enabled: true,
      readiness: 'needs_credentials',
      credentialMetadata: null,
      tools: [],
      revisions: { credential: 2, tools: 2 },
    });
    expect(await epochOf(app, organization.id)).toBe(before + 1);
    const { rows } = await app.db.query('select selection, mcp, health from integration where id = $1', [id]);
    expect(rows).toEqual([{ selection: null, mcp: null, health: null }]);
  });

  it('disables and enables, each once', async () => {
    const id = await integrationRow(app, organization.id);
    const before = await epochOf(app, organization.id);
    for (const enabled of [false, false, true])
      expect((await owner.patch(at(`/${id}/status`), { enabled })).body.data).toMatchObject({
        enabled,
        readiness: enabled ? 'ready' : 'disabled',
      });
    expect(await epochOf(app, organization.id)).toBe(before + 2);
    const off = await app.db.query(`select enabled from integration where id = $1`, [id]);
    expect(off.rows).toEqual([{ enabled: true }]);
  });

  it('removes an own one with all that hangs on it', async () => {
    const id = await integrationRow(app, organization.id);
    await grantRows(app, organization.id, id, { growth: 'full' });
    const { body } = await owner.delete(at(`/${id}`));
    expect(body.data).toMatchObject({ id, readiness: 'ready' });
    expect((await owner.get(at(`/${id}`))).status).toBe(404);
    for (const table of ['integration_credential', 'integration_inventory', 'integration_grant'])
      expect((await app.db.query(`select 1 from ${table} where integration_id = $1`, [id])).rows).toEqual([]);
    expect(await traces(id, body.data.key)).toEqual({ verbs: ['integration.removed'], checks: 1 });
  });

  it('resets one of the catalog, whose counters go on rising', async () => {
    const key = `kept-${Date.now()}`;
    const id = await integrationRow(app, organization.id, {
      row: { key, kind: 'gone', origin: 'catalog', entry_version: 1, endpoint: null, settings: { a: 1 } },
    });
    const { body } = await owner.delete(at(`/${key}`));
    expect(body.message).toContain('reset');
    expect(body.data).toMatchObject({
      id,
      enabled: false,
      credentialMetadata: null,
      settings: null,
      tools: [],
      profileGrants: ['chat', 'operator'],
      revisions: { credential: 2, settings: 1, tools: 2, grants: 1 },
    });
  });

  it('is blocked while the organization permits others only, or blocks its host', async () => {
    const place = await organizationOf(owner);
    const id = await integrationRow(app, place);
    const read = async () => (await owner.get(`/organizations/${place}/integrations/${id}`)).body.data.readiness;
    const constrain = (constraints: object) => owner.patch(`/organizations/${place}`, { constraints });
    await constrain({ allowedIntegrations: ['mcp-other'] });
    expect(await read()).toBe('blocked');
    await constrain({ allowedIntegrations: [], blockedDomains: ['acme.example'] });
    expect(await read()).toBe('blocked');
    await constrain({ blockedDomains: [] });
    expect(await read()).toBe('ready');
    expect(await epochOf(app, place)).toBe(4);
  });
});

describe('400', () => {
  it.each([
    ['http://orders.acme.example/mcp', 'origin_not_approved'],
    ['https://orders.elsewhere.example/mcp', 'origin_not_approved'],
    ['https://user:pass@orders.acme.example/mcp', 'invalid_endpoint'],
    ['https://orders.acme.example/mcp#part', 'invalid_endpoint'],
    ['https://orders.acme.example\\@elsewhere.example/', 'invalid_endpoint'],
    ['https://93.184.216.34/mcp', 'invalid_endpoint'],
    ['https://[2001:db8::1]/mcp', 'invalid_endpoint'],
    ['ftp://orders.acme.example/', 'invalid_endpoint'],
    ['orders', 'invalid_endpoint'],
    [`https://orders.acme.example/${'a'.repeat(2_000)}`, 'invalid_length'],
  ])('refuses the address %#', async (endpoint, code) => {
    const { status, body } = await owner.post(at(), { name: 'Refused', endpoint });
    expect([status, body.error.issues[0]]).toMatchObject([400, { path: 'endpoint', code }]);
  });

  it('refuses a host that the organization blocks', async () => {
    const place = await organizationOf(owner);
    await owner.patch(`/organizations/${place}`, { constraints: { blockedDomains: ['acme.example'] } });
    const { body } = await owner.post(`/organizations/${place}/integrations`, { name: 'Blocked', endpoint: ENDPOINT });
    expect(body.error.issues).toMatchObject([{ path: 'endpoint', code: 'blocked' }]);
  });

  it.each([
    [{ key: 'orders' }, 'key', 'not_an_own_key'],
    [{ key: 'preferences' }, 'key', 'not_an_own_key'],
    [{ key: 'Mcp-Orders' }, 'key', 'invalid_slug'],
    [{ purposes: ['Orders'] }, 'purposes', 'invalid_item'],
    [{ purposes: Array.from({ length: 11 }, (_, n) => `p${n}`) }, 'purposes', 'invalid_length'],
    [{ profileGrants: ['nobody'] }, 'profileGrants.0', 'unknown_reference'],
    [{ accessMode: 'autonomous' }, 'accessMode', 'unknown_property'],
    [{ name: ' ' }, 'name', 'invalid_length'],
  ])('refuses %j', async (body, path, code) => {
    const answer = await owner.post(at(), { name: 'Refused', endpoint: ENDPOINT, ...body });
    expect([answer.status, answer.body.error.issues[0]]).toMatchObject([400, { path, code }]);
  });

  it('leaves the address of the catalog alone', async () => {
    const row = { kind: 'gone', origin: 'catalog', entry_version: 1, endpoint: null, key: `fixed-${Date.now()}` };
    const id = await integrationRow(app, organization.id, { row });
    const { body } = await owner.patch(at(`/${id}`), { endpoint: ENDPOINT });
    expect(body.error.issues).toMatchObject([{ path: 'endpoint', code: 'fixed_endpoint' }]);
  });
});

describe('404', () => {
  it('knows nothing of other organizations', async () => {
    const { id, key } = await createIntegration(owner, organization.id);
    const other = await organizationOf(owner);
    for (const ref of [id, key, randomUUID(), 'mcp-nothing']) {
      const path = `/organizations/${other}/integrations/${ref}`;
      for (const answer of [
        await owner.get(path),
        await owner.patch(path, { name: 'Mine' }),
        await owner.delete(path),
        await owner.patch(`${path}/status`, { enabled: true }),
      ])
        expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('409', () => {
  it('refuses a key that is taken, and the 51st of its own', async () => {
    const place = await organizationOf(owner);
    await createIntegration(owner, place, { key: 'mcp-orders' });
    const path = `/organizations/${place}/integrations`;
    const taken = await owner.post(path, { name: 'Orders', endpoint: ENDPOINT, key: 'mcp-orders' });
    expect(taken.status).toBe(409);
    await app.db.query(
      `insert into integration select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(),
         'key', 'mcp-n-' || n))).*
       from integration i, generate_series(1, 48) n where i.organization_id = $1 and i.key = 'mcp-orders'`,
      [place],
    );
    const last = await Promise.all([1, 2].map(() => owner.post(path, { name: 'Last', endpoint: ENDPOINT })));
    expect(last.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  it('enables nothing that is retired', async () => {
    const row = { kind: 'gone', origin: 'catalog', entry_version: 1, endpoint: null, enabled: false };
    const id = await integrationRow(app, organization.id, { row: { ...row, key: `retired-${Date.now()}` } });
    const { status, body } = await owner.patch(at(`/${id}/status`), { enabled: true });
    expect([status, body.error.issues[0].code]).toEqual([409, 'retired']);
  });
});
