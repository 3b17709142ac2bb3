import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ActionExecutionService } from '../../../src/modules/actions/index.ts';
import type { Client } from '../../support/client.ts';
import {
  capabilityOf,
  connectServer,
  type ConnectedServer,
  presentEpoch,
} from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'CANARY-mcp-key-fQ2wE5rT8yU1iO4p';
const READ = { readOnlyHint: true };
const app = new TestApp();
let peer: McpPeer;
let place: Workplace;
let server: ConnectedServer;
let agent: Client;
let caller: Client;
let pathTo: (rest: string) => string;
let runId: string;

const TOOLS = [
  {
    name: 'list_orders',
    title: 'List orders',
    description: 'Orders, the newest first.',
    annotations: READ,
    inputSchema: {
      type: 'object' as const,
      properties: { status: { type: 'string', enum: ['open', 'closed'] } },
      additionalProperties: false,
    },
    run: ({ status = 'any' }) => ({
      content: [{ type: 'text', text: `${status} orders` }],
      structuredContent: { status },
    }),
  },
  { name: 'leak', annotations: READ, run: () => ({ content: [{ type: 'text', text: `the key is ${KEY}` }] }) },
  { name: 'fails', annotations: READ, run: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) },
  { name: 'note', annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: 'wipe', annotations: { destructiveHint: true } },
  { name: 'orders/read', annotations: READ },
];

beforeAll(async () => {
  peer = await McpPeer.start(TOOLS);
  peer.tokens = new Set([KEY]);
  await app.open({ env: peer.env });
  place = await Workplace.open(app);
  // What the connector demands of itself is enough here.
  await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [place.organizationId]);
  server = await connectServer(place, peer, { apiKey: KEY });
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});
beforeEach(async () => {
  peer.forget();
  peer.answering = undefined;
  ({ agent, runId } = await place.run());
  ({ caller, pathTo } = await capabilityOf(place, agent, server));
});

const call = (tool: string, args: object = {}, others: object = {}) =>
  caller.post(pathTo(`/tools/${encodeURIComponent(tool)}/call`), { arguments: args, ...others });
const lastCalls = async () =>
  (await place.owner.get(place.path(`/integrations/${server.key}/calls?limit=5`))).body.data as Record<
    string,
    unknown
  >[];

describe('a capability: 201', () => {
  it('names what the execution may call', async () => {
    const { body } = await agent.post(place.agentPath(`/integrations/${server.key}/capability`), {
      authorizationEpoch: await presentEpoch(place),
    });
    expect(body.data).toMatchObject({ integrationId: server.id, expiresAt: expect.stringMatching(/Z$/) });
    expect(body.data.tools.toSorted()).toEqual(['fails', 'leak', 'list_orders', 'note', 'orders/read', 'wipe']);
  });

  it('offers a run that plans only what reads', async () => {
    const plan = await place.run({ run: { mode: 'plan' } });
    const { body } = await plan.agent.post(place.agentPath(`/integrations/${server.key}/capability`), {
      authorizationEpoch: await presentEpoch(place),
    });
    expect(body.data.tools).not.toContain('note');
  });
});

describe('a capability: 404 and 409', () => {
  it('is refused with the word', async () => {
    const ask = (client: Client, key: string, epoch?: number) =>
      client.post(place.agentPath(`/integrations/${key}/capability`), { authorizationEpoch: epoch });
    const epoch = await presentEpoch(place);
    expect((await ask(agent, 'mcp-nothing', epoch)).status).toBe(404);
    const stale = await ask(agent, server.key, epoch + 1);
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    const stranger = await place.run({}, 'support');
    const refused = await ask(stranger.agent, server.key, epoch);
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'state_conflict', issues: [{ code: 'not_granted' }] },
    ]);
  });
});

describe('the tools: 200', () => {
  it('are those that the execution may call, with their definitions', async () => {
    const { status, body } = await caller.get(pathTo('/tools'));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ key: server.key, accessMode: 'autonomous', toolsRevision: 1 });
    const named = await caller.get(pathTo('/tools?name=list_orders&name=note&name=wipe'));
    expect(named.body.data.tools).toMatchObject([
      {
        name: 'list_orders',
        title: 'List orders',
        access: 'read',
        approval: 'none',
        inputSchema: TOOLS[0]!.inputSchema,
      },
      { name: 'note', access: 'write', approval: 'none', risk: 'external' },
      { name: 'wipe', access: 'write', approval: 'required', risk: 'high' },
    ]);
    expect(peer.requests).toEqual([]);
  });
});

describe('a read: 200', () => {
  it('is what the provider answers', async () => {
    const { status, body } = await call('list_orders', { status: 'open' });
    expect([status, body.data]).toEqual([
      200,
      {
        status: 'succeeded',
        output: {
          content: [{ type: 'text', text: 'open orders' }],
          structuredContent: { status: 'open' },
          isError: false,
        },
        truncated: false,
      },
    ]);
    expect((await call('orders/read')).body.data.status).toBe('succeeded');
  });

  it('costs the provider one request, where it speaks the new revision', async () => {
    await call('list_orders');
    expect(peer.methods).toEqual(['tools/call']);
  });

  it('is an output too where the tool says that it failed', async () => {
    const { body } = await call('fails');
    expect(body.data).toMatchObject({ status: 'succeeded', output: { isError: true } });
  });

  it('holds no secret that the call used', async () => {
    const { text, body } = await call('leak');
    expect(text).not.toContain(KEY);
    expect(body.data.output.content[0].text).toBe('the key is [redacted]');
  });

  it('that the provider fails says so in our words', async () => {
    peer.answering = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'text/plain' }).end('CANARY of the provider');
      return true;
    };
    const { status, body } = await call('list_orders');
    expect([status, body.data]).toEqual([
      200,
      {
        status: 'failed',
        error: {
          code: 'rate_limited',
          message: expect.any(String),
          providerStatus: 429,
          retryable: true,
          retryAfterSeconds: 7,
        },
      },
    ]);
  });

  it('is limited to 60 of a tool in a minute', async () => {
    const answers = [];
    for (let n = 0; n < 61; n += 1) answers.push((await call('nothing')).status);
    expect(new Set(answers.slice(0, 60))).toEqual(new Set([404]));
    const { status, body } = await call('nothing');
    expect([status, body.data]).toMatchObject([200, { status: 'failed', error: { code: 'rate_limited' } }]);
    expect((await call('list_orders')).body.data.status).toBe('succeeded');
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [runId]);
    // Of one that is over that is said, however many calls it makes.
    expect((await call('nothing')).status).toBe(409);
  });

  it('by a credential that lacks scopes has the next authorization ask for them, and a revision that is new is kept', async () => {
    const columns = async () => {
      const { rows } = await app.db.query('select required_scopes, mcp, health from integration where id = $1', [
        server.id,
      ]);
      return rows[0];
    };
    await app.db.query(`update integration set required_scopes = '{orders:read}' where id = $1`, [server.id]);
    const { mcp } = await columns();
    peer.answering = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      const challenge = 'Bearer error="insufficient_scope", scope="orders:read orders:write"';
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return true;
    };
    expect((await call('list_orders')).body.data).toMatchObject({ status: 'failed', error: { code: 'scope_lost' } });
    expect((await columns()).required_scopes).toEqual(['orders:read', 'orders:write']);
    await call('note', { text: 'scopes of a write' });
    peer.answering = undefined;
    peer.era = 'legacy';
    expect((await call('list_orders')).body.data.status).toBe('succeeded');
    expect((await columns()).mcp).toMatchObject({ era: 'legacy' });
    peer.era = 'both';
    await app.db.query(`update integration set required_scopes = '{}', mcp = $2 where id = $1`, [server.id, mcp]);
  });
});

describe('a read of a tool that changed: 409', () => {
  it('is not called when the old list says otherwise', async () => {
    const own = await connectServer(place, peer, { apiKey: KEY });
    ({ caller, pathTo } = await capabilityOf(place, agent, own));
    await app.db.query(
      `update integration_inventory set listed_at = listed_at - interval '6 minutes'
      where integration_id = $1`,
      [own.id],
    );
    peer.define({ ...TOOLS[0]!, description: 'Something else.' });
    const { status, body } = await call('list_orders');
    peer.define(TOOLS[0]!);
    expect([status, body.error?.issues[0].code]).toEqual([409, 'tool_quarantined']);
    expect(peer.methods).not.toContain('tools/call');
    const again = await call('list_orders');
    expect([again.status, again.body.error.issues[0].code]).toEqual([409, 'tool_quarantined']);
    expect((await call('orders/read')).body.data.status).toBe('succeeded');
  });
});

describe('a write: 200', () => {
  it('that needs nobody’s approval is done once, and met again', async () => {
    const first = await call('note', { text: 'hello' });
    expect([first.status, first.body.data]).toMatchObject([
      200,
      { status: 'action', action: { status: 'succeeded', decision: { kind: 'policy' } }, truncated: false },
    ]);
    expect(first.body.data.output).toEqual(first.body.data.action.result);
    const again = await call('note', { text: 'hello' });
    expect(again.body.data.action.id).toBe(first.body.data.action.id);
    expect(peer.effects).toEqual([{ name: 'note', arguments: { text: 'hello' } }]);
  });
});

describe('a write that was made before: 200', () => {
  it('meets its action, though its tool is in quarantine by now', async () => {
    const own = await connectServer(place, peer, { apiKey: KEY, tools: ['note', 'list_orders'] });
    ({ caller, pathTo } = await capabilityOf(place, agent, own));
    const first = await call('note', { text: 'before' });
    expect(first.body.data.action.status).toBe('succeeded');
    peer.define({ ...TOOLS[3]!, description: 'Something else.' });
    await place.owner.post(place.path(`/integrations/${own.key}/discover`));
    peer.define(TOOLS[3]!);
    const again = await call('note', { text: 'before' });
    expect([again.status, again.body.data?.action.id]).toEqual([200, first.body.data.action.id]);
    const other = await call('note', { text: 'behind' });
    expect([other.status, other.body.error.issues[0].code]).toEqual([409, 'tool_quarantined']);
  });
});

describe('an answer with a number that is none', () => {
  it('is one all the same, and written down', async () => {
    peer.answering = ({ method, body }, response) => {
      if (method !== 'tools/call') return false;
      const { id } = JSON.parse(body) as { id: number };
      const result = '{"resultType":"complete","content":[],"structuredContent":{"n":1e400,"m":-2E+0999}}';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      return true;
    };
    const structuredContent = { n: '1e400', m: '-2E+0999' };
    const read = await call('list_orders');
    expect([read.status, read.body.data]).toMatchObject([200, { status: 'succeeded', output: { structuredContent } }]);
    const write = await call('note', { text: 'endless' });
    expect([write.status, write.body.data]).toMatchObject([
      200,
      { action: { status: 'succeeded', result: { structuredContent } } },
    ]);
    const noted = (await lastCalls()).slice(0, 2).map(({ toolName, outcome }) => [toolName, outcome]);
    expect(noted).toEqual([
      ['note', 'succeeded'],
      ['list_orders', 'succeeded'],
    ]);
  });
});

const answerLists = (status: number, type = 'text/plain') => {
  peer.answering = ({ method }, response) => {
    if (method !== 'tools/list') return false;
    response.writeHead(status, { 'content-type': type }).end('CANARY of the provider');
    return true;
  };
};

describe('a write whose preparation fails', () => {
  const health = async () => (await place.owner.get(place.path(`/integrations/${server.key}`))).body.data.health;

  it.each([
    [401, 'credential_refused'],
    [403, 'scope_lost'],
    [302, 'bad_answer'],
    [200, 'bad_answer'],
  ])('by %i is over at once, without an effect, and written down', async (status, code) => {
    answerLists(status);
    const { body, text } = await call('note', { text: `refused by ${status}` });
    expect(body.data.action).toMatchObject({ status: 'not_executed', error: { code, providerStatus: status } });
    expect(text).not.toContain('CANARY');
    expect((await lastCalls())[0]).toMatchObject({ toolName: 'note', outcome: 'not_executed', code });
    expect(peer.effects).toEqual([]);
  });

  it('shows in the health of the connector at once, until it goes well again', async () => {
    answerLists(401);
    await call('note', { text: 'refused again' });
    expect(JSON.stringify(await health())).toContain('credential_refused');
    peer.answering = undefined;
    await call('note', { text: 'taken again' });
    expect(JSON.stringify(await health())).not.toContain('credential_refused');
  });
});

describe('a write: 202', () => {
  it('that a person must approve waits for them', async () => {
    const asking = await connectServer(place, peer, { apiKey: KEY, accessMode: 'ask_before_write' });
    ({ caller, pathTo } = await capabilityOf(place, agent, asking));
    const { status, body } = await call('note', { text: 'wait' }, { title: 'Write a note', summary: 'As asked.' });
    expect([status, body.data]).toMatchObject([
      202,
      {
        status: 'action',
        output: null,
        action: { status: 'awaiting_approval', title: 'Write a note', policy: { reasons: ['access_mode'] } },
      },
    ]);
    expect(peer.effects).toEqual([]);
    const approved = await place.owner.post(place.path(`/actions/${body.data.action.id}/approve`), {});
    expect(approved.status).toBe(200);
    const again = await call('note', { text: 'wait' });
    expect([again.status, again.body.data.action.status]).toEqual([200, 'succeeded']);
    expect(peer.effects).toHaveLength(1);
  });
});

describe('a call: 400', () => {
  it('says at the argument what is wrong, before anything is sent', async () => {
    const { status, body } = await call('list_orders', { status: 'lost' });
    expect([status, body.error.code, body.error.issues[0].path]).toEqual([
      400,
      'validation_failed',
      expect.stringMatching(/^arguments/),
    ]);
    expect((await call('list_orders', { text: 'x'.repeat(300_000) })).body.error.issues[0].path).toBe('arguments');
    expect(peer.requests).toEqual([]);
  });
});

describe('a call: 401', () => {
  it('with the capability of another connector, or none', async () => {
    const other = await connectServer(place, peer, { apiKey: KEY });
    const path = pathTo('/tools/list_orders/call').replace(server.id, other.id);
    expect((await caller.post(path, { arguments: {} })).status).toBe(401);
    expect((await agent.post(pathTo('/tools/list_orders/call'), { arguments: {} })).status).toBe(401);
  });
});

describe('a call: 409', () => {
  it('of an execution that is over', async () => {
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [runId]);
    const { status, body } = await call('list_orders');
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });

  it('with an epoch that has passed', async () => {
    await app.db.query('update organization set authorization_epoch = authorization_epoch + 1 where id = $1', [
      place.organizationId,
    ]);
    const { status, body } = await call('list_orders');
    expect([status, body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    expect(peer.requests).toEqual([]);
  });

  it.each([
    ['nothing', 404, 'tool_unknown'],
    ['wipe', 409, 'tool_not_selected'],
  ])('of %s is %i', async (tool, status, word) => {
    const own = await connectServer(place, peer, {
      apiKey: KEY,
      tools: TOOLS.map(({ name }) => name).filter((name) => name !== 'wipe'),
    });
    ({ caller, pathTo } = await capabilityOf(place, agent, own));
    const answer = await call(tool);
    expect([answer.status, answer.body.error.issues[0].code]).toEqual([status, word]);
  });
});

describe('a disabled profile or connector: 409', () => {
  it('is named, where it asks for a capability, calls and proposes, and where a person approves', async () => {
    const own = await connectServer(place, peer, { apiKey: KEY, accessMode: 'ask_before_write' });
    const propose = () =>
      agent.post(place.agentPath('/actions'), {
        connectorKey: own.key,
        toolName: 'note',
        arguments: {},
        title: 'Note',
        summary: 'Notes it.',
      });
    const proposed = await propose();
    expect(proposed.status).toBe(201);
    const approve = () => place.owner.post(place.path(`/actions/${proposed.body.data.id}/approve`), {});
    const at = place.path(`/integrations/${own.key}`);
    await place.owner.patch(`${at}/status`, { enabled: false });
    const refused = [
      await approve(),
      await agent.post(place.agentPath('/actions'), {
        connectorKey: own.key,
        toolName: 'wipe',
        arguments: {},
        title: 'Wipe',
        summary: 'Wipes it.',
      }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.issues])).toMatchObject([
      [409, [{ path: '', code: 'disabled' }]],
      [409, [{ path: 'connectorKey', code: 'disabled' }]],
    ]);
    await place.owner.patch(`${at}/status`, { enabled: true });
    await place.owner.put(`${at}/profiles`, { profileGrants: ['growth', 'support'], readOnlyProfileKeys: [] });
    const changed = await approve();
    expect([changed.status, changed.body.error.issues[0]]).toMatchObject([
      409,
      { code: 'fact_changed', message: expect.stringMatching(/^The grants of the connector have changed since /) },
    ]);

    ({ caller, pathTo } = await capabilityOf(place, agent, own));
    const epoch = await presentEpoch(place);
    const profile = place.path(`/agent-profiles/${place.profile()}`);
    await place.owner.patch(profile, { status: 'disabled' });
    const answers = [
      await agent.post(place.agentPath(`/integrations/${own.key}/capability`), { authorizationEpoch: epoch }),
      await call('list_orders'),
    ];
    await place.owner.patch(profile, { status: 'enabled' });
    expect(answers.map(({ status, body }) => [status, body.error.issues?.[0]?.code])).toEqual([
      [409, 'profile_disabled'],
      [409, 'profile_disabled'],
    ]);
  });
});

describe('the calls: 200', () => {
  it('show what was called and how it ended, without contents', async () => {
    await call('list_orders', { status: 'open' });
    await call('note', { text: 'logged' });
    await call('nothing');
    const [unknown, write, read] = await lastCalls();
    expect(read).toMatchObject({
      integrationId: server.id,
      connectorKey: server.key,
      toolName: 'list_orders',
      access: 'read',
      outcome: 'succeeded',
      code: null,
      execution: 'task_run',
      executionId: runId,
      era: 'modern',
      argumentsBytes: 17,
    });
    expect(write).toMatchObject({ toolName: 'note', access: 'write', outcome: 'succeeded', executionId: null });
    expect(write!.actionId).toEqual(expect.any(String));
    expect(unknown).toMatchObject({ toolName: 'nothing', access: null, outcome: 'refused', code: 'tool_unknown' });
    expect(JSON.stringify([unknown, write, read])).not.toMatch(/open|logged/);
    const filtered = await place.owner.get(
      place.path(`/integrations/${server.id}/calls?outcome=refused&toolName=nothing`),
    );
    expect(filtered.body.data.length).toBeGreaterThan(0);
  });
});

// Last: behind their leases, which outlast this file, these are sent.
describe('a write whose preparation fails for now', () => {
  it.each([429, 503])('by %i is left to the lease, and prepared anew behind it', async (status) => {
    answerLists(status);
    const proposal = { connectorKey: server.key, toolName: 'note', arguments: { text: `later by ${status}` } };
    const { body } = await agent.post(place.agentPath('/actions'), { ...proposal, title: 'Note', summary: 'Later.' });
    const action = async () => (await place.owner.get(place.path(`/actions/${body.data.id}`))).body.data;
    const { organizationId } = place;
    await app.app.get(ActionExecutionService).carryOut({ organizationId, id: body.data.id as string });
    expect(peer.methods).toContain('tools/list');
    expect(await action()).toMatchObject({ status: 'executing', error: null });
    expect(peer.effects).toEqual([]);
  });

  it('is answered at once, with 202', async () => {
    answerLists(503);
    const { status, body } = await call('note', { text: 'rests' });
    expect([status, body.data.action.status]).toEqual([202, 'executing']);
  }, 15_000);
});
