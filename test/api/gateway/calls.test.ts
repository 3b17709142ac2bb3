import { describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { capabilityOf, connectServer, presentEpoch } from '../../support/connectors/connected-servers.ts';
import { KEY, TOOLS, useToolCalls } from '../../support/connectors/tool-calls.ts';

const calls = useToolCalls();
const { app, call, lastCalls, place } = calls;

describe('a capability: 201', () => {
  it('names what the execution may call', async () => {
    const { body } = await calls.agent.post(place.agentPath(`/integrations/${calls.server.key}/capability`), {
      authorizationEpoch: await presentEpoch(place),
    });
    expect(body.data).toMatchObject({ integrationId: calls.server.id, expiresAt: expect.stringMatching(/Z$/) });
    expect(body.data.tools.toSorted()).toEqual(['fails', 'leak', 'list_orders', 'note', 'orders/read', 'wipe']);
  });

  it('offers a run that plans only what reads', async () => {
    const plan = await place.run({ run: { mode: 'plan' } });
    const { body } = await plan.agent.post(place.agentPath(`/integrations/${calls.server.key}/capability`), {
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
    expect((await ask(calls.agent, 'mcp-nothing', epoch)).status).toBe(404);
    const stale = await ask(calls.agent, calls.server.key, epoch + 1);
    expect([stale.status, stale.body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    const stranger = await place.run({}, 'support');
    const refused = await ask(stranger.agent, calls.server.key, epoch);
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'state_conflict', issues: [{ code: 'not_granted' }] },
    ]);
  });
});

describe('the tools: 200', () => {
  it('are those that the execution may call, with their definitions', async () => {
    const { status, body } = await calls.caller.get(calls.pathTo('/tools'));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ key: calls.server.key, accessMode: 'autonomous', toolsRevision: 1 });
    const named = await calls.caller.get(calls.pathTo('/tools?name=list_orders&name=note&name=wipe'));
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
    expect(calls.peer.requests).toEqual([]);
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
    expect(calls.peer.methods).toEqual(['tools/call']);
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
    calls.peer.answering = ({ method }, response) => {
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
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [calls.runId]);
    // Of one that is over that is said, however many calls it makes.
    expect((await call('nothing')).status).toBe(409);
  });

  it('by a credential that lacks scopes has the next authorization ask for them, and a revision that is new is kept', async () => {
    const columns = async () => {
      const { rows } = await app.db.query('select required_scopes, mcp, health from integration where id = $1', [
        calls.server.id,
      ]);
      return rows[0];
    };
    await app.db.query(`update integration set required_scopes = '{orders:read}' where id = $1`, [calls.server.id]);
    const { mcp } = await columns();
    calls.peer.answering = ({ method }, response) => {
      if (method !== 'tools/call') return false;
      const challenge = 'Bearer error="insufficient_scope", scope="orders:read orders:write"';
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return true;
    };
    expect((await call('list_orders')).body.data).toMatchObject({ status: 'failed', error: { code: 'scope_lost' } });
    expect((await columns()).required_scopes).toEqual(['orders:read', 'orders:write']);
    await call('note', { text: 'scopes of a write' });
    calls.peer.answering = undefined;
    calls.peer.era = 'legacy';
    expect((await call('list_orders')).body.data.status).toBe('succeeded');
    expect((await columns()).mcp).toMatchObject({ era: 'legacy' });
    calls.peer.era = 'both';
    await app.db.query(`update integration set required_scopes = '{}', mcp = $2 where id = $1`, [calls.server.id, mcp]);
  });
});

describe('a read of a tool that changed: 409', () => {
  it('is not called when the old list says otherwise', async () => {
    const own = await connectServer(place, calls.peer, { apiKey: KEY });
    calls.use(await capabilityOf(place, calls.agent, own));
    await app.db.query(
      `update integration_inventory set listed_at = listed_at - interval '6 minutes'
      where integration_id = $1`,
      [own.id],
    );
    calls.peer.define({ ...TOOLS[0]!, description: 'Something else.' });
    const { status, body } = await call('list_orders');
    calls.peer.define(TOOLS[0]!);
    expect([status, body.error?.issues[0].code]).toEqual([409, 'tool_quarantined']);
    expect(calls.peer.methods).not.toContain('tools/call');
    const again = await call('list_orders');
    expect([again.status, again.body.error.issues[0].code]).toEqual([409, 'tool_quarantined']);
    expect((await call('orders/read')).body.data.status).toBe('succeeded');
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
    expect(calls.peer.requests).toEqual([]);
  });
});

describe('a call: 401', () => {
  it('with the capability of another connector, or none', async () => {
    const other = await connectServer(place, calls.peer, { apiKey: KEY });
    const path = calls.pathTo('/tools/list_orders/call').replace(calls.server.id, other.id);
    expect((await calls.caller.post(path, { arguments: {} })).status).toBe(401);
    expect((await calls.agent.post(calls.pathTo('/tools/list_orders/call'), { arguments: {} })).status).toBe(401);
  });
});

describe('a call: 409', () => {
  it('of an execution that is over', async () => {
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [calls.runId]);
    const { status, body } = await call('list_orders');
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });

  it('with an epoch that has passed', async () => {
    await app.db.query('update organization set authorization_epoch = authorization_epoch + 1 where id = $1', [
      place.organizationId,
    ]);
    const { status, body } = await call('list_orders');
    expect([status, body.error.issues[0].code]).toEqual([409, 'stale_epoch']);
    expect(calls.peer.requests).toEqual([]);
  });

  it.each([
    ['nothing', 404, 'tool_unknown'],
    ['wipe', 409, 'tool_not_selected'],
  ])('of %s is %i', async (tool, status, word) => {
    const own = await connectServer(place, calls.peer, {
      apiKey: KEY,
      tools: TOOLS.map(({ name }) => name).filter((name) => name !== 'wipe'),
    });
    calls.use(await capabilityOf(place, calls.agent, own));
    const answer = await call(tool);
    expect([answer.status, answer.body.error.issues[0].code]).toEqual([status, word]);
  });
});

describe('a disabled profile or connector: 409', () => {
  it('is named, where it asks for a capability, calls and proposes, and where a person approves', async () => {
    const own = await connectServer(place, calls.peer, { apiKey: KEY, accessMode: 'ask_before_write' });
    const propose = () =>
      calls.agent.post(place.agentPath('/actions'), {
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
      await calls.agent.post(place.agentPath('/actions'), {
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

    calls.use(await capabilityOf(place, calls.agent, own));
    const epoch = await presentEpoch(place);
    const profile = place.path(`/agent-profiles/${place.profile()}`);
    await place.owner.patch(profile, { status: 'disabled' });
    const answers = [
      await calls.agent.post(place.agentPath(`/integrations/${own.key}/capability`), { authorizationEpoch: epoch }),
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
      integrationId: calls.server.id,
      connectorKey: calls.server.key,
      toolName: 'list_orders',
      access: 'read',
      outcome: 'succeeded',
      code: null,
      execution: 'task_run',
      executionId: calls.runId,
      era: 'modern',
      argumentsBytes: 17,
    });
    expect(write).toMatchObject({ toolName: 'note', access: 'write', outcome: 'succeeded', executionId: null });
    expect(write!.actionId).toEqual(expect.any(String));
    expect(unknown).toMatchObject({ toolName: 'nothing', access: null, outcome: 'refused', code: 'tool_unknown' });
    expect(JSON.stringify([unknown, write, read])).not.toMatch(/open|logged/);
    const filtered = await place.owner.get(
      place.path(`/integrations/${calls.server.id}/calls?outcome=refused&toolName=nothing`),
    );
    expect(filtered.body.data.length).toBeGreaterThan(0);
  });
});

// Last: behind their leases, which outlast this file, these are sent.
