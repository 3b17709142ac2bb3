import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { type MadeConnector, ownConnector } from '../../support/factories/integrations/connectors.ts';
import { changeRow } from '../../support/factories/rows.ts';
import { McpPeer, type PeerTool } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'CANARY-key-3Fz8Yq1Ks6';
const READ: PeerTool = { name: 'list_orders', description: 'Lists orders.', annotations: { readOnlyHint: true } };
const OTHER: PeerTool = { name: 'count_orders', annotations: { readOnlyHint: true } };
const NOTE: PeerTool = { name: 'add_note', annotations: { destructiveHint: false } };
const SEND: PeerTool = { name: 'send_confirmation', annotations: { destructiveHint: true } };

let peer: McpPeer;
let app: TestApp;
let owner: Person;
let organizationId: string;
let connector: MadeConnector;

// Its jobs look across organizations.
beforeAll(async () => {
  peer = await McpPeer.start();
  app = await TestApp.start({ ownDatabase: true, env: peer.env });
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
beforeEach(async () => {
  peer.reset();
  peer.define(READ, OTHER, NOTE, SEND);
  connector = await ownConnector(owner, organizationId, peer.endpoint);
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});

const connect = async () => (await owner.put(`${connector.at}/credential`, { kind: 'api_key', apiKey: KEY })).body.data;
const read = async () => (await owner.get(connector.at)).body.data;
const put = (body: object) => owner.put(`${connector.at}/tools`, body);
const discover = () => owner.post(`${connector.at}/discover`);
const check = () => owner.post(`${connector.at}/check`);
const epoch = async () =>
  (await app.db.query('select authorization_epoch as epoch from organization where id = $1', [organizationId])).rows[0]
    .epoch as number;
const verbs = async () => {
  const { body } = await owner.get(`/organizations/${organizationId}/activity?subjectId=${connector.id}`);
  return body.data.map(({ verb }: { verb: string }) => verb) as string[];
};
type Tools = readonly { readonly name: string; readonly selected: boolean; readonly quarantined: boolean }[];
const notices = async () => {
  const { body } = await owner.get(`/organizations/${organizationId}/human-inbox?kind=notification&status=open`);
  return body.data.filter(({ title }: { title: string }) => title.includes('have changed')).length as number;
};
const selectedIn = ({ tools }: { tools: Tools }) =>
  tools.flatMap(({ name, selected }) => (selected ? [name] : [])).sort();
const fails = (status: number) => {
  peer.answering = (_request, response) => {
    response.writeHead(status).end('CANARY: a text of the provider');
    return true;
  };
};
const observed = async () => (await read()).health.observations.map((each: object) => Object.values(each).join(' '));

describe('choosing tools', () => {
  it('selects what a mode permits, or exactly a list, and moves counter and epoch once', async () => {
    await connect();
    const before = await epoch();
    const modeOnly = (await put({ accessMode: 'read_only' })).body.data;
    expect(selectedIn(modeOnly)).toEqual(['count_orders', 'list_orders']);
    expect(modeOnly.revisions.tools).toBe(2);
    const listed = (await put({ accessMode: 'autonomous', tools: ['add_note'], expectedRevision: 2 })).body.data;
    expect(listed).toMatchObject({ accessMode: 'autonomous', readiness: 'ready', revisions: { tools: 3 } });
    expect(selectedIn(listed)).toEqual(['add_note']);
    expect(await epoch()).toBe(before + 2);
    expect(await verbs()).toEqual(expect.arrayContaining(['integration.updated']));
  });

  it('moves nothing where nothing changes', async () => {
    await connect();
    await put({ accessMode: 'read_only', tools: ['list_orders'], reviewRequiredTools: ['send_confirmation'] });
    const before = [await epoch(), await verbs()];
    const again = await put({ accessMode: 'read_only', tools: ['list_orders'] });
    expect(again.body.data.revisions.tools).toBe(2);
    expect([await epoch(), await verbs()]).toEqual(before);
  });

  it('takes a read that is to be reviewed for a write', async () => {
    await connect();
    const body = { accessMode: 'read_only', reviewRequiredTools: ['list_orders'] };
    const { data } = (await put(body)).body;
    expect(selectedIn(data)).toEqual(['count_orders']);
    expect(data.reviewRequiredTools).toEqual(['list_orders', 'send_confirmation']);
    expect(data.tools).toContainEqual(
      expect.objectContaining({ name: 'list_orders', access: 'write', selected: false }),
    );
    const refused = await put({ accessMode: 'read_only', tools: ['list_orders'] });
    expect(refused.body.error.issues).toMatchObject([{ path: 'tools', code: 'tool_not_eligible' }]);
  });

  it.each([
    [{ accessMode: 'autonomous', tools: ['nothing'] }, 'tools', 'tool_not_listed'],
    [{ accessMode: 'read_only', tools: ['add_note'] }, 'tools', 'tool_not_eligible'],
    [{ accessMode: 'autonomous', reviewRequiredTools: ['nothing'] }, 'reviewRequiredTools', 'tool_not_listed'],
    [{ accessMode: 'autonomous', tools: ['a b'] }, 'tools', 'invalid_item'],
    [{ accessMode: 'full' }, 'accessMode', 'unknown_value'],
  ])('refuses with 400 %j', async (body, path, code) => {
    await connect();
    const { status, body: answer } = await put(body);
    expect([status, answer.error.issues[0]]).toEqual([400, expect.objectContaining({ path, code })]);
  });

  it('is 409 before anything was listed, and for another revision', async () => {
    const early = await put({ accessMode: 'read_only' });
    expect([early.status, early.body.error.issues[0].code]).toEqual([409, 'no_inventory']);
    await connect();
    const stale = await put({ accessMode: 'read_only', expectedRevision: 0 });
    expect([stale.status, stale.body.error.issues[0]]).toEqual([
      409,
      expect.objectContaining({ path: 'expectedRevision', code: 'stale_revision' }),
    ]);
  });
});

describe('discovering tools', () => {
  it('says what is new, changed and missing, quarantines, and moves no counter', async () => {
    await connect();
    await put({ accessMode: 'autonomous', tools: ['list_orders', 'add_note', 'send_confirmation'] });
    const before = [await epoch(), (await read()).revisions];
    peer.define({ ...READ, description: 'Lists orders, and more.', title: 'Orders' }, { name: 'new_tool' });
    peer.define({ name: 'two words' });
    peer.remove('add_note');
    const { status, body } = await discover();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      server: { name: 'peer', version: '1.2.3' },
      protocolVersion: expect.any(String),
    });
    const told = body.data.tools.map((tool: Record<string, unknown>) => [
      tool.name,
      tool.status,
      tool.selected,
      tool.quarantined,
      tool.changed,
    ]);
    expect(told).toEqual([
      ['add_note', 'missing', true, false, []],
      ['count_orders', 'same', false, false, []],
      ['list_orders', 'changed', true, true, ['title', 'description']],
      ['new_tool', 'new', false, false, []],
      ['send_confirmation', 'same', true, false, []],
    ]);
    expect(body.data.excluded).toEqual([{ name: 'two words', reason: 'invalid_name' }]);
    expect([await epoch(), (await read()).revisions]).toEqual(before);
    expect((await verbs())[0]).toBe('integration.tools_quarantined');
  });

  it('remembers what a selected tool was that is missing', async () => {
    await connect();
    await put({ accessMode: 'autonomous', tools: ['count_orders', 'send_confirmation'] });
    peer.remove('count_orders');
    for (let times = 0; times < 2; times += 1) await discover();
    expect((await read()).tools.at(-1)).toMatchObject({ name: 'count_orders', access: 'read', selected: true });
  });

  it('keeps a tool in quarantine when its old definition returns, until it is named, and tells people once', async () => {
    await connect();
    const before = await notices();
    peer.define({ ...READ, description: 'Other words.' });
    await discover();
    expect(await notices()).toBe(before + 1);
    peer.define(READ);
    const { body } = await discover();
    expect(body.data.tools).toContainEqual(
      expect.objectContaining({ name: 'list_orders', status: 'same', quarantined: true }),
    );
    expect((await verbs()).filter((verb) => verb === 'integration.tools_quarantined')).toHaveLength(1);
    expect(await notices()).toBe(before + 1);
    const modeOnly = (await put({ accessMode: 'autonomous' })).body.data;
    expect(modeOnly.tools).toContainEqual(expect.objectContaining({ name: 'list_orders', quarantined: true }));
    const named = (await put({ accessMode: 'autonomous', tools: ['list_orders'] })).body.data;
    expect(named.tools).toContainEqual(
      expect.objectContaining({ name: 'list_orders', selected: true, quarantined: false }),
    );
    expect(await notices()).toBe(before);
  });

  it('lists all pages, and selects nothing', async () => {
    await connect();
    peer.pageSize = 2;
    for (let nth = 0; nth < 5; nth += 1) peer.define({ name: `more_${nth}` });
    expect((await discover()).body.data.tools).toHaveLength(9);
    expect(selectedIn(await read())).toHaveLength(4);
  });

  it.each([
    [401, 409, 'credential_refused'],
    [500, 503, undefined],
    [404, 503, undefined],
  ])('answers a %i of the server with %i', async (provider, status, word) => {
    await connect();
    fails(provider);
    const answer = await discover();
    expect([answer.status, answer.body.error.issues?.[0].code]).toEqual([status, word]);
    expect(answer.text).not.toContain('CANARY');
  });

  it('is 409 without a credential, and where it was changed meanwhile', async () => {
    const early = await discover();
    expect([early.status, early.body.error.issues[0].code]).toEqual([409, 'needs_credentials']);
    await connect();
    peer.answering = async ({ method }) => {
      if (method !== 'tools/list') return;
      peer.answering = undefined;
      await owner.delete(`${connector.at}/credential`);
    };
    const late = await discover();
    expect([late.status, late.body.error.issues[0].code]).toEqual([409, 'changed_meanwhile']);
  });
});

describe('checking', () => {
  it('shows what was seen now, and tells the activity log of edges only', async () => {
    await connect();
    const before = [await epoch(), (await read()).revisions];
    fails(401);
    const failed = (await check()).body.data;
    expect(failed).toMatchObject({
      readiness: 'degraded',
      health: {
        observations: [
          { scope: 'credential', status: 'failed', code: 'credential_refused' },
          { scope: 'tools', status: 'verified' },
        ],
      },
    });
    expect((await check()).text).not.toContain('CANARY');
    peer.answering = undefined;
    expect((await check()).body.data.readiness).toBe('ready');
    expect((await verbs()).slice(0, 2)).toEqual(['integration.recovered', 'integration.degraded']);
    expect([await epoch(), (await read()).revisions]).toEqual(before);
  });

  it('asks nobody without a credential', async () => {
    const { status, body } = await check();
    expect([status, body.data.readiness]).toEqual([200, 'disabled']);
    expect(peer.requests).toEqual([]);
  });

  it('runs once at a time: a second one answers at once', async () => {
    await connect();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    peer.answering = async () => {
      asked.resolve();
      await held.promise;
    };
    const first = check();
    await asked.promise;
    peer.answering = undefined;
    peer.forget();
    expect((await check()).status).toBe(200);
    expect(peer.requests).toEqual([]);
    held.resolve();
    expect((await first).status).toBe(200);
    await check();
    expect(peer.requests).not.toEqual([]);
  });

  it('makes the listing due where the server lists other tools, and leaves them as they are', async () => {
    await connect();
    peer.define({ ...READ, description: 'Other words.' });
    const { body } = await check();
    expect(body.data.tools).toContainEqual(expect.objectContaining({ name: 'list_orders', quarantined: false }));
    await app.runJob('integration-inventory');
    expect((await read()).tools).toContainEqual(expect.objectContaining({ name: 'list_orders', quarantined: true }));
  });

  it('forgets what it saw where the credential is another one meanwhile', async () => {
    await connect();
    peer.answering = async ({ method }, response) => {
      if (method !== 'tools/list') return undefined;
      peer.answering = undefined;
      await connect();
      response.writeHead(500).end();
      return true;
    };
    expect((await check()).body.data).toMatchObject({ readiness: 'ready', health: { generation: '2.0' } });
  });

  it('says that a credential does not open, and asks nobody with it any more', async () => {
    await connect();
    // As if it had been copied from another row.
    await app.db.query('update integration_credential set sealed = $2 where integration_id = $1', [
      connector.id,
      Buffer.alloc(60),
    ]);
    peer.forget();
    const { body } = await check();
    expect(body.data).toMatchObject({ readiness: 'needs_credentials' });
    expect(await observed()).toContainEqual(expect.stringMatching(/^credential failed .* credential_unreadable$/));
    expect((await discover()).body.error.issues[0].code).toBe('needs_credentials');
    expect(peer.requests).toEqual([]);
    expect((await connect()).readiness).toBe('ready');
  });
});

describe('the job that lists tools', () => {
  const makeDue = () => changeRow(app, 'integration', connector.id, { inventory_due_at: '2020-01-01T00:00:00Z' });
  const dueInMinutes = async () => {
    const { rows } = await app.db.query<{ minutes: number }>(
      `select round(extract(epoch from inventory_due_at - now()) / 60)::int as minutes from integration where id = $1`,
      [connector.id],
    );
    return rows[0]!.minutes;
  };

  it('lists usable connectors every six hours, and quarantines what changed', async () => {
    await connect();
    expect(await dueInMinutes()).toBe(360);
    peer.define({ ...READ, description: 'Other words.' });
    await app.runJob('integration-inventory');
    expect((await verbs())[0]).toBe('integration.connected');
    await makeDue();
    await app.runJob('integration-inventory');
    expect((await verbs())[0]).toBe('integration.tools_quarantined');
    expect(await dueInMinutes()).toBe(360);
  });

  it('tries a failing one later and later, and says after three failures that it has failed', async () => {
    await connect();
    fails(500);
    const minutes: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      await makeDue();
      await app.runJob('integration-inventory');
      minutes.push(await dueInMinutes());
      expect((await read()).readiness).toBe(nth < 2 ? 'ready' : 'degraded');
    }
    expect(minutes).toEqual([10, 20, 40]);
    peer.answering = undefined;
    await makeDue();
    await app.runJob('integration-inventory');
    expect(await dueInMinutes()).toBe(360);
    expect((await read()).readiness).toBe('ready');
    expect((await verbs()).slice(0, 2)).toEqual(['integration.recovered', 'integration.degraded']);
  });

  it('says with one refused credential that it has failed', async () => {
    await connect();
    fails(401);
    await makeDue();
    await app.runJob('integration-inventory');
    expect((await read()).readiness).toBe('degraded');
  });

  it('leaves alone what is not usable', async () => {
    await connect();
    await owner.delete(`${connector.at}/credential`);
    await makeDue();
    peer.forget();
    await app.runJob('integration-inventory');
    expect(peer.requests).toEqual([]);
  });
});
