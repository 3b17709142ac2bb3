import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectServer } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const app = new TestApp();
let peer: McpPeer;
let place: Workplace;

beforeAll(async () => {
  peer = await McpPeer.start([
    { name: 'list_orders', annotations: { readOnlyHint: true } },
    { name: 'note', annotations: { destructiveHint: false } },
  ]);
  await app.open({ env: peer.env, ownDatabase: true });
  place = await Workplace.open(app);
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});

type Run = Awaited<ReturnType<Workplace['run']>>;

const waitFor = ({ runId, leaseToken }: Run, ...requirements: object[]) =>
  app.service.post(`/internal/runs/${runId}/complete`, {
    organizationId: place.organizationId,
    leaseToken,
    output: { kind: 'task_result', result: { kind: 'integration_wait', summary: 'Waits.', requirements } },
  });
const taskOf = async ({ taskId }: Run) => {
  const { rows } = await app.db.query<Record<string, unknown>>(
    `select status, blockers, consumed_agent_run_count as consumed, refund_streak as streak from task where id = $1`,
    [taskId],
  );
  return rows[0]!;
};
/** A run whose start was counted. */
const countedRun = () => place.run({ task: { agent_run_count: 1, consumed_agent_run_count: 1 } });

describe('a wait for connectors: 200', () => {
  it('blocks the task, and lets it go on when the last requirement is met; the run counts for nothing', async () => {
    const server = await connectServer(place, peer, { grants: {}, accessMode: 'read_only' });
    const run = await countedRun();
    const { status, body } = await waitFor(
      run,
      { connectorKey: server.key, need: 'connected' },
      { connectorKey: server.key, need: 'grant' },
      { purpose: 'order_management', need: 'write_access' },
    );
    expect([status, body.data]).toMatchObject([200, { status: 'succeeded', taskStatus: 'blocked' }]);
    expect(await taskOf(run)).toMatchObject({
      status: 'blocked',
      consumed: 0,
      streak: 1,
      blockers: [
        { kind: 'integration', connectorKey: server.key, requirement: { need: 'grant' } },
        { kind: 'integration', connectorKey: null, requirement: { need: 'write_access', purpose: 'order_management' } },
      ],
    });
    const granted = await place.owner.put(place.path(`/integrations/${server.key}/profiles`), {
      profileGrants: ['growth'],
      readOnlyProfileKeys: [],
    });
    expect(granted.status).toBe(200);
    await app.runJob('outbox');
    expect((await taskOf(run)).blockers).toMatchObject([{ connectorKey: null }]);
    const opened = await place.owner.put(place.path(`/integrations/${server.key}/tools`), {
      accessMode: 'ask_before_write',
    });
    expect(opened.status).toBe(200);
    await app.runJob('outbox');
    expect(await taskOf(run)).toMatchObject({ status: 'pending', blockers: [] });
    await place.owner.delete(place.path(`/integrations/${server.key}`));
  });

  it('goes on when the organization permits the connector again', async () => {
    const server = await connectServer(place, peer);
    const allow = async (allowedIntegrations: readonly string[]) => {
      expect((await place.owner.patch(place.path(''), { constraints: { allowedIntegrations } })).status).toBe(200);
      await app.runJob('outbox');
    };
    await allow(['mcp-another']);
    const run = await countedRun();
    expect((await waitFor(run, { connectorKey: server.key, need: 'connected' })).body.data.taskStatus).toBe('blocked');
    await app.runJob('outbox');
    expect((await taskOf(run)).status).toBe('blocked');
    await allow([]);
    expect(await taskOf(run)).toMatchObject({ status: 'pending', blockers: [] });
  });

  it('goes on at once where nothing is lacking', async () => {
    const server = await connectServer(place, peer);
    const run = await countedRun();
    const { body } = await waitFor(run, { connectorKey: server.key, need: 'tool', toolName: 'note' });
    expect(body.data.taskStatus).toBe('pending');
    expect(await taskOf(run)).toMatchObject({ status: 'pending', consumed: 0, streak: 1 });
  });
});

describe('a wait for connectors: 400', () => {
  it.each([
    [{ connectorKey: 'mcp-nothing', need: 'connected' }, 'connectorKey', 'unknown_reference'],
    [{ need: 'connected' }, 'connectorKey', 'required'],
    [{ purpose: 'orders', need: 'tool' }, 'toolName', 'required'],
  ])('%j', async (requirement, field, code) => {
    const run = await place.run();
    const { status, body } = await waitFor(run, requirement);
    expect([status, body.error.issues]).toEqual([
      400,
      [expect.objectContaining({ path: `output.result.requirements.0.${field}`, code })],
    ]);
    expect((await taskOf(run)).status).toBe('running');
  });
});

describe('the manifest', () => {
  it('tells of the connectors that the execution may use', async () => {
    const other = await Workplace.open(app);
    const server = await connectServer(other, peer, { accessMode: 'ask_before_write', grants: { growth: 'full' } });
    const manifestOf = async (profile: string) => {
      const { agent } = await other.run({}, profile);
      return (await agent.get(other.agentPath('/execution'))).body.data.integrations as unknown[];
    };
    expect(await manifestOf('growth')).toEqual([
      {
        key: server.key,
        integrationId: server.id,
        name: 'Orders',
        kind: 'mcp',
        purposes: ['order_management'],
        ranks: { order_management: 1 },
        readiness: 'ready',
        access: 'full',
        accessMode: 'ask_before_write',
        tools: [
          { name: 'list_orders', title: null, access: 'read', risk: 'external', approval: 'none' },
          { name: 'note', title: null, access: 'write', risk: 'external', approval: 'required' },
        ],
        purpose: { organization: null, department: null },
        policy: null,
        resources: [],
        contextRevision: 1,
      },
    ]);
    expect(await manifestOf('support')).toEqual([]);
    expect(await manifestOf('operator')).toMatchObject([{ key: server.key, access: 'discovery' }]);
  });
});
