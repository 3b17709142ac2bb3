import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { epochOf, grantRows, integrationRow, listedTool } from '../../support/factories/integrations/rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** Who may use connectors, which comes first, what they are used for, and what runtimes see of all that. */
const app = useTestApp();
const place = useWorkplace(app);

type Row = NonNullable<Parameters<typeof integrationRow>[2]>;

/** A connector of a key of its own. */
async function connector(options: Row = {}, grants: Parameters<typeof grantRows>[3] = {}) {
  const key = (options.row?.key as string | undefined) ?? `mcp-${randomUUID()}`;
  const id = await integrationRow(app, place.organizationId, { ...options, row: { ...options.row, key } });
  await grantRows(app, place.organizationId, id, grants);
  return { id, key, at: place.path(`/integrations/${key}`), agentsAt: place.agentPath(`/integrations/${key}`) };
}

const epoch = () => epochOf(app, place.organizationId);

async function verbsOf(id: string): Promise<string[]> {
  const { rows } = await app.db.query<{ verb: string }>('select verb from activity where subject_id = $1 order by id', [
    id,
  ]);
  return rows.map(({ verb }) => verb);
}

describe('grants', () => {
  it('are replaced as a whole; the operator only reads', async () => {
    const { id, at } = await connector({}, { support: 'full', chat: 'full' });
    const before = await epoch();
    const grants = {
      profileGrants: ['operator', 'growth', 'chat'],
      readOnlyProfileKeys: ['growth'],
      expectedRevision: 0,
    };
    const { body } = await place.owner.put(`${at}/profiles`, grants);
    expect(body.data).toMatchObject({
      profileGrants: ['chat', 'growth', 'operator'],
      readOnlyProfileKeys: ['growth', 'operator'],
      revisions: { credential: 1, tools: 1, grants: 1 },
    });
    expect(await epoch()).toBe(before + 1);
    const again = await place.owner.put(`${at}/profiles`, { ...grants, expectedRevision: 1 });
    expect([again.status, await epoch()]).toEqual([200, before + 1]);
    const stale = await place.owner.put(`${at}/profiles`, grants);
    expect([stale.status, stale.body.error.issues[0]]).toMatchObject([
      409,
      { path: 'expectedRevision', code: 'stale_revision' },
    ]);
    expect(await verbsOf(id)).toEqual(['integration.updated']);
  });

  it.each([
    [{ profileGrants: ['nobody'], readOnlyProfileKeys: [] }, 'profileGrants.0', 'unknown_reference'],
    [{ profileGrants: ['growth'], readOnlyProfileKeys: ['support'] }, 'readOnlyProfileKeys.0', 'unknown_reference'],
    [{ profileGrants: ['growth', 'growth'], readOnlyProfileKeys: [] }, 'profileGrants', 'duplicate_item'],
    [{ profileGrants: ['growth'] }, 'readOnlyProfileKeys', 'required'],
  ])('of %j are refused', async (grants, path, code) => {
    const { at } = await connector();
    const { status, body } = await place.owner.put(`${at}/profiles`, grants);
    expect([status, body.error.issues[0]]).toMatchObject([400, { path, code }]);
  });

  it('go with a profile that is deleted; one of the same key gets nothing by itself', async () => {
    const { at } = await connector();
    const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const { body } = await place.owner.post(place.path('/agent-profiles'), profile);
    await place.owner.put(`${at}/profiles`, { profileGrants: ['growth-ads'], readOnlyProfileKeys: [] });
    await place.owner.delete(place.path(`/agent-profiles/${body.data.id}`));
    // What runs and actions hold of the connector is fenced as by any other change of its grants.
    const behind = (await place.owner.get(at)).body.data;
    expect(behind).toMatchObject({ profileGrants: [], revisions: { grants: 2 } });
    await place.owner.post(place.path('/agent-profiles'), profile);
    expect((await place.owner.get(at)).body.data.profileGrants).toEqual([]);
  });
});

describe('preferences', () => {
  const purpose = `p_${Date.now()}`;
  const read = async () => (await place.owner.get(place.path('/integrations/preferences'))).body.data;
  const put = (body: object, of = purpose) => place.owner.put(place.path(`/integrations/preferences/${of}`), body);

  it('take a connector behind the others when it becomes usable, keep it while it is not, and forget a removed one', async () => {
    const row = { purposes: [purpose], enabled: false };
    const [one, two] = [await connector({ row }), await connector({ row })];
    const { revision, order } = await read();
    expect(order).not.toHaveProperty(purpose);
    for (const { at } of [two, one]) await place.owner.patch(`${at}/status`, { enabled: true });
    expect(await read()).toMatchObject({ revision: revision + 2, order: { [purpose]: [two.key, one.key] } });
    await place.owner.patch(`${two.at}/status`, { enabled: false });
    await place.owner.patch(`${two.at}/status`, { enabled: true });
    expect(await read()).toMatchObject({ revision: revision + 2, order: { [purpose]: [two.key, one.key] } });

    const before = await epoch();
    const sorted = await put({ expectedRevision: revision + 2, connectorKeys: [one.key, two.key] });
    expect(sorted.body.data).toMatchObject({ revision: revision + 3, order: { [purpose]: [one.key, two.key] } });
    expect(await epoch()).toBe(before);
    const stale = await put({ expectedRevision: revision + 2, connectorKeys: [one.key, two.key] });
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_revision']);
    expect(stale.body.message).toMatch(/^The preferences/);
    for (const connectorKeys of [[one.key], [one.key, one.key + '-x'], [one.key, two.key, 'mcp-third']])
      expect((await put({ expectedRevision: revision + 3, connectorKeys })).body.error.issues[0]).toMatchObject({
        path: 'connectorKeys',
        code: 'not_a_permutation',
      });
    expect((await put({ expectedRevision: revision + 3, connectorKeys: [] }, 'constructor')).status).toBe(400);

    await place.owner.delete(one.at);
    expect((await read()).order[purpose]).toEqual([two.key]);
    await place.owner.delete(two.at);
    expect((await read()).order).not.toHaveProperty(purpose);
  });
});

describe('resolving', () => {
  const resolve = async (operation: object, profile = 'growth', authorizationEpoch?: number) =>
    app.service.post(place.agentPath('/integrations/resolve'), {
      operation,
      agentProfileId: place.profile(profile),
      authorizationEpoch: authorizationEpoch ?? (await epoch()),
    });

  it('ranks those of a purpose, and names the first that the profile can use', async () => {
    const purpose = `r_${Date.now()}`;
    const row = { purposes: [purpose] };
    const off = await connector({ row: { ...row, key: 'mcp-z-off', enabled: false } }, { growth: 'full' });
    const free = await connector({ row: { ...row, key: 'mcp-a-free', access_mode: 'autonomous' } }, { growth: 'full' });
    const read = await connector({ row: { ...row, key: 'mcp-b-read' } }, { growth: 'read' });
    const asks = await connector({ row: { ...row, key: 'mcp-c-asks' } }, { growth: 'full' });
    await app.db.query(`update integration_preferences set "order" = "order" || $2::jsonb where organization_id = $1`, [
      place.organizationId,
      JSON.stringify({ [purpose]: [off.key, asks.key] }),
    ]);
    const { body } = await resolve({ purpose, access: 'write' });
    expect(body.data).toMatchObject({
      authorizationEpoch: await epoch(),
      preferencesRevision: expect.any(Number),
      selected: asks.key,
      candidates: [
        { key: off.key, eligible: false, reason: 'disabled', readiness: 'disabled', tools: [] },
        { key: asks.key, eligible: true, reason: null, approval: 'always', tools: ['send'] },
        { key: free.key, eligible: true, reason: null, approval: 'policy', tools: ['send'] },
        { key: read.key, eligible: false, reason: 'read_only', tools: [] },
      ],
    });
    const reads = await resolve({ purpose, access: 'read' });
    expect(reads.body.data.candidates[3]).toMatchObject({ eligible: true, approval: 'none', tools: ['list_orders'] });
    // The operator only reads, and support is granted none of them.
    expect((await resolve({ purpose, access: 'read' }, 'support')).body.data).toMatchObject({ selected: null });
    expect((await resolve({ purpose: 'nothing', access: 'read' })).body.data).toMatchObject({
      selected: null,
      candidates: [],
    });
  });

  it('looks at one tool of one connector', async () => {
    const tools = [listedTool('list_orders'), listedTool('send', { access: 'write' }), listedTool('peek')];
    const row = { access_mode: 'autonomous', review_required: ['peek'] };
    const { key } = await connector({ tools, row, selected: ['list_orders', 'send', 'peek'] }, { growth: 'full' });
    const of = async (tool: string, access = 'write') =>
      (await resolve({ connectorKey: key, tool, access })).body.data.candidates[0];
    expect(await of('send')).toMatchObject({ eligible: true, approval: 'policy', tools: ['send'] });
    expect(await of('peek')).toMatchObject({ eligible: true, approval: 'always', tools: ['peek'] });
    expect(await of('list_orders', 'read')).toMatchObject({ eligible: true, approval: 'none' });
    expect(await of('list_orders')).toMatchObject({ eligible: false, reason: 'read_only' });
    expect(await of('send', 'read')).toMatchObject({ eligible: false, reason: 'read_only' });
    expect(await of('nothing')).toMatchObject({ eligible: false, reason: 'tool_unknown' });
  });

  it.each([
    [{ access: 'read' }, 'operation.purpose', 'required'],
    [{ access: 'read', purpose: 'a', connectorKey: 'mcp-a' }, 'operation.purpose', 'required'],
    [{ access: 'read', connectorKey: 'mcp-nothing' }, 'operation.connectorKey', 'unknown_reference'],
    [{ access: 'admin', purpose: 'a' }, 'operation.access', 'unknown_value'],
  ])('refuses %j', async (operation, path, code) => {
    const { status, body } = await resolve(operation);
    expect([status, body.error.issues[0]]).toMatchObject([400, { path, code }]);
  });

  it('refuses an unknown profile, and an epoch of before', async () => {
    const path = place.agentPath('/integrations/resolve');
    const body = { operation: { purpose: 'a', access: 'read' }, authorizationEpoch: await epoch() };
    const unknown = await app.service.post(path, { ...body, agentProfileId: randomUUID() });
    expect([unknown.status, unknown.body.error.issues[0].path]).toEqual([400, 'agentProfileId']);
    const stale = await resolve(body.operation, 'growth', (await epoch()) + 1);
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
  });
});

describe('the registry of runtimes', () => {
  it('says how each stands, for whom and with which tools, without address, account and settings', async () => {
    const { key, agentsAt } = await connector(
      {
        row: {
          endpoint: 'https://orders.acme.example/veiled-path',
          context: { departments: ['support'] },
          settings: { veiled: 'veiled-setting' },
        },
        credential: { identity: 'veiled-subject', label: 'veiled-label', details: { veiled: 'veiled-detail' } },
      },
      { growth: 'read', operator: 'full', support: 'full' },
    );
    const query = `?authorizationEpoch=${await epoch()}`;
    const { status, body, text } = await app.service.get(agentsAt + query);
    expect(status).toBe(200);
    expect(text).not.toContain('veiled');
    expect(body.data).toMatchObject({
      key,
      kind: 'mcp',
      connectionType: 'mcp',
      purposes: ['order_management'],
      enabled: true,
      readiness: 'ready',
      accessMode: 'ask_before_write',
      capabilities: ['list_orders', 'send'],
      reviewRequiredTools: [],
      departments: ['support'],
      operatingContext: { departments: ['support'] },
      contextRevision: 1,
      health: { kind: 'integration_health', generation: '1.0', observations: [] },
      revisions: { credential: 1, settings: 0, tools: 1, grants: 0 },
      authorizationEpoch: await epoch(),
    });
    expect(body.data.profiles.filter((each: { key: string }) => each.key !== 'growth-ads')).toEqual([
      { key: 'chat', access: 'discovery', available: false, reason: 'not_granted' },
      { key: 'growth', access: 'read', available: true, reason: null },
      { key: 'operator', access: 'read', available: true, reason: null },
      { key: 'support', access: 'full', available: true, reason: null },
    ]);
    const list = await app.service.get(place.agentPath('/integrations') + query);
    expect(list.body.data.find((each: { key: string }) => each.key === key)).toEqual(body.data);
    expect(list.text).not.toContain('veiled');
  });

  it('is refused with an epoch of before, none, or of what is not there', async () => {
    const { agentsAt } = await connector();
    const stale = await app.service.get(`${agentsAt}?authorizationEpoch=${(await epoch()) + 1}`);
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    expect((await app.service.get(agentsAt)).status).toBe(400);
    const path = place.agentPath(`/integrations/mcp-nothing?authorizationEpoch=${await epoch()}`);
    expect((await app.service.get(path)).status).toBe(404);
    expect((await place.owner.get(`${agentsAt}?authorizationEpoch=1`)).status).toBe(401);
  });
});

describe('context', () => {
  const CONTEXT = {
    departments: ['support'],
    organizationPurpose: 'Where customers order',
    departmentPurposes: { support: 'Answers customers' },
    policy: 'Never refund.',
    businessFunctions: ['Orders'],
    taskPatterns: [],
    workflowKeys: ['order-status'],
    resources: [],
  };

  it('is replaced as a whole, moves its own revision and nothing else', async () => {
    const { id, at } = await connector();
    const before = await epoch();
    const mapped = await place.owner.post(`${at}/context-mapping`, { expectedRevision: 1, context: CONTEXT });
    expect([mapped.status, mapped.body.data]).toMatchObject([
      200,
      { operatingContext: CONTEXT, contextRevision: 2, revisions: { credential: 1, grants: 0 } },
    ]);
    const same = await place.owner.post(`${at}/context-mapping`, { expectedRevision: 2, context: CONTEXT });
    expect(same.body.data.contextRevision).toBe(2);
    const less = await place.owner.post(`${at}/context-mapping`, { expectedRevision: 2, context: { policy: 'Ask.' } });
    expect(less.body.data.operatingContext).toEqual({
      departments: [],
      organizationPurpose: null,
      departmentPurposes: {},
      policy: 'Ask.',
      businessFunctions: [],
      taskPatterns: [],
      workflowKeys: [],
      resources: [],
    });
    const stale = await place.owner.post(`${at}/context-mapping`, { expectedRevision: 1, context: {} });
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_revision']);
    expect(await epoch()).toBe(before);
    expect(await verbsOf(id)).toEqual(['integration.context_updated', 'integration.context_updated']);
  });

  it.each([
    [{ departmentPurposes: { support: 'x' } }, 'context.departmentPurposes.support', 'unknown_reference'],
    [{ departments: ['sales'] }, 'context.departments', 'invalid_item'],
    [{ policy: 'a'.repeat(4_001) }, 'context.policy', 'invalid_length'],
    [{ taskPatterns: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'context.taskPatterns', 'invalid_length'],
    [{ taskPatterns: Array.from({ length: 50 }, (_, n) => `${n} ${'é'.repeat(1_000)}`) }, 'context', 'too_large'],
    [
      {
        resources: [
          {
            kind: 'repository',
            externalId: '1',
            name: 'acme/shop',
            url: 'https://github.com/acme/shop',
            defaultBranch: 'main',
            departments: [],
          },
        ],
      },
      'context.resources',
      'no_resources',
    ],
    [{ owner: 'x' }, 'context.owner', 'unknown_property'],
  ])('is refused: %#', async (context, path, code) => {
    const { at } = await connector();
    const { status, body } = await place.owner.post(`${at}/context-mapping`, { expectedRevision: 1, context });
    expect([status, body.error.issues[0]]).toMatchObject([400, { path, code }]);
  });

  const learn = async (context: object = { policy: 'Ask support.' }) => ({
    expectedRevision: 1,
    authorizationEpoch: await epoch(),
    context,
  });

  it('is learned by runs of the operator, which change what they name', async () => {
    const { id, agentsAt } = await connector({ row: { context: CONTEXT } });
    const { agent } = await place.run({}, 'operator');
    const { status, body } = await agent.patch(`${agentsAt}/context`, await learn());
    expect([status, body.data]).toMatchObject([
      200,
      { operatingContext: { ...CONTEXT, policy: 'Ask support.' }, contextRevision: 2 },
    ]);
    expect(body.data).not.toHaveProperty('endpoint');
    const stale = await agent.patch(`${agentsAt}/context`, await learn());
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_revision']);
    const { rows } = await app.db.query('select actor_kind, actor_name from activity where subject_id = $1', [id]);
    expect(rows).toEqual([{ actor_kind: 'agent', actor_name: 'operator' }]);
  });

  it('is for others to leave alone, and departments for owners to say', async () => {
    const { agentsAt } = await connector();
    const { agent: department } = await place.run({}, 'growth');
    expect((await department.patch(`${agentsAt}/context`, await learn())).status).toBe(401);
    const { agent: verifier } = await place.run({ run: { mode: 'verify' } }, 'operator');
    expect((await verifier.patch(`${agentsAt}/context`, await learn())).status).toBe(401);
    const { agent, runId } = await place.run({}, 'operator');
    const named = await agent.patch(`${agentsAt}/context`, await learn({ departments: ['growth'] }));
    expect([named.status, named.body.error.issues[0]]).toMatchObject([
      400,
      { path: 'context.departments', code: 'not_permitted' },
    ]);
    const past = await agent.patch(`${agentsAt}/context`, { ...(await learn()), authorizationEpoch: 999 });
    expect([past.status, past.body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    await app.db.query(`update run set status = 'cancelled', finished_at = now() where id = $1`, [runId]);
    expect((await agent.patch(`${agentsAt}/context`, await learn())).status).toBe(409);
  });
});
