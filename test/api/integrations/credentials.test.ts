import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { type MadeConnector, ownConnector } from '../../support/factories/integrations/connectors.ts';
import { changeRow } from '../../support/factories/rows.ts';
import { McpPeer, type PeerTool } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'CANARY-key-7Hq2Zt9Lw4';
const READ: PeerTool = { name: 'list_orders', description: 'Lists orders.', annotations: { readOnlyHint: true } };
const WRITE: PeerTool = { name: 'send_confirmation', description: 'Sends.', annotations: { destructiveHint: true } };

let peer: McpPeer;
let app: TestApp;
let owner: Person;
let organizationId: string;
let connector: MadeConnector;

beforeAll(async () => {
  peer = await McpPeer.start();
  app = await TestApp.start({ env: peer.env });
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
beforeEach(async () => {
  peer.reset();
  peer.define(READ, WRITE);
  connector = await ownConnector(owner, organizationId, peer.endpoint);
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});

const put = (body: object) => owner.put(`${connector.at}/credential`, body);
const epoch = async () =>
  (await app.db.query('select authorization_epoch as epoch from organization where id = $1', [organizationId])).rows[0]
    .epoch as number;
const verbs = async () => {
  const { body } = await owner.get(`/organizations/${organizationId}/activity?subjectId=${connector.id}`);
  return body.data.map(({ verb }: { verb: string }) => verb);
};
const stored = async () => {
  const { rows } = await app.db.query('select * from integration_credential where integration_id = $1', [connector.id]);
  return rows;
};

describe('200', () => {
  it('connects a server that asks for nothing: enabled, its tools selected, its health as it was seen', async () => {
    const before = await epoch();
    const { status, body, text } = await put({ kind: 'none' });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.data).toMatchObject({
      enabled: true,
      readiness: 'ready',
      accessMode: 'ask_before_write',
      credentialMetadata: { kind: 'none', details: {} },
      revisions: { credential: 1, settings: 0, tools: 1, grants: 0 },
      health: {
        generation: '1.0',
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'tools', status: 'verified' },
        ],
      },
    });
    const tools = body.data.tools.map((tool: Record<string, unknown>) => [
      tool.name,
      tool.access,
      tool.risk,
      tool.selected,
    ]);
    expect(tools).toEqual([
      ['list_orders', 'read', 'external', true],
      ['send_confirmation', 'write', 'high', true],
    ]);
    expect(await epoch()).toBe(before + 1);
    expect(await verbs()).toEqual(['integration.connected', 'integration.created']);
    const { body: preferences } = await owner.get(`/organizations/${organizationId}/integrations/preferences`);
    expect(preferences.data.order.order_management).toContain(connector.key);
  });

  it.each([
    [{ kind: 'api_key', apiKey: KEY }, 'authorization', `Bearer ${KEY}`],
    [{ kind: 'api_key', apiKey: KEY, header: 'X-Api-Key' }, 'x-api-key', KEY],
  ])('sends a key where it is to be sent, and shows it nowhere', async (body, header, value) => {
    if (header === 'authorization') peer.tokens = new Set([KEY]);
    const { status, text } = await put(body);
    expect(status).toBe(200);
    expect(text).not.toContain('CANARY');
    expect(peer.requests.length).toBeGreaterThan(0);
    for (const { headers } of peer.requests) expect(headers[header]).toBe(value);
    const [row] = await stored();
    expect(row).toMatchObject({ kind: 'api_key', state: 'connected', generation: 1, key_id: 'e1' });
    expect(JSON.stringify(row)).not.toContain(KEY);
  });

  it('keeps the selection of an earlier connection, quarantines what changed, and replaces the key', async () => {
    await put({ kind: 'none' });
    await owner.put(`${connector.at}/tools`, { accessMode: 'autonomous', tools: ['list_orders'] });
    peer.define({ ...READ, description: 'Lists orders, and sends them to us.' }, { name: 'more' });
    const { body } = await put({ kind: 'api_key', apiKey: KEY });
    expect(body.data).toMatchObject({ accessMode: 'autonomous', readiness: 'needs_tools' });
    expect(body.data.revisions).toMatchObject({ credential: 2, tools: 3 });
    const selected = body.data.tools.filter((tool: { selected: boolean }) => tool.selected);
    expect(selected).toMatchObject([{ name: 'list_orders', quarantined: true }]);
    expect(await stored()).toMatchObject([{ generation: 2, kind: 'api_key' }]);
    expect(await verbs()).toContain('integration.tools_quarantined');
  });

  it('disconnects without asking anybody, and once', async () => {
    await put({ kind: 'api_key', apiKey: KEY });
    const before = await epoch();
    peer.forget();
    const { status, body } = await owner.delete(`${connector.at}/credential`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      readiness: 'needs_credentials',
      enabled: true,
      credentialMetadata: null,
      revisions: { credential: 2, tools: 1 },
      health: { generation: '2.0', observations: [] },
    });
    expect(body.data.tools).toHaveLength(2);
    expect(await stored()).toEqual([]);
    expect((await owner.delete(`${connector.at}/credential`)).body.data.revisions.credential).toBe(2);
    expect(await epoch()).toBe(before + 1);
    expect(peer.requests).toEqual([]);
    const again = await put({ kind: 'none' });
    expect(again.body.data).toMatchObject({ readiness: 'ready', revisions: { credential: 3, tools: 1 } });
  });
});

describe('400', () => {
  const rejected = (field: string, code: string) => ({
    error: { issues: [expect.objectContaining({ path: field, code })] },
  });

  it.each([
    [{ kind: 'api_key' }, 'apiKey', 'required'],
    [{ kind: 'none', apiKey: KEY }, 'apiKey', 'not_of_kind'],
    [{ kind: 'rest_token', url: 'https://x', token: KEY }, 'kind', 'not_of_kind'],
    [{ kind: 'oauth2' }, 'kind', 'unknown_value'],
    [{ kind: 'api_key', apiKey: 'two\nlines' }, 'apiKey', 'invalid_text'],
    [{ kind: 'api_key', apiKey: 'x'.repeat(8_193) }, 'apiKey', 'invalid_length'],
    ...[
      'Host',
      'Cookie',
      'MCP-Session-Id',
      'Proxy-Authorization',
      'X-Forwarded-For',
      'Content-Type',
      'not a header',
    ].map((header) => [{ kind: 'api_key', apiKey: KEY, header }, 'header', 'forbidden_header'] as const),
  ])('for %#', async (body, field, code) => {
    const { status, body: answer } = await put(body);
    expect(status).toBe(400);
    expect(answer).toMatchObject(rejected(field, code));
    expect(peer.requests).toEqual([]);
  });

  it('for a key that the server refuses, of which nothing stays', async () => {
    peer.tokens = new Set(['another']);
    const before = await epoch();
    const { status, body, text } = await put({ kind: 'api_key', apiKey: KEY });
    expect(status).toBe(400);
    expect(body).toMatchObject(rejected('apiKey', 'provider_rejected'));
    expect(text).not.toContain('CANARY');
    expect(await stored()).toEqual([]);
    expect(await epoch()).toBe(before);
    expect(await verbs()).toEqual(['integration.created']);
  });
});

describe('404', () => {
  it('for a connector that is not there', async () => {
    const at = `/organizations/${organizationId}/integrations/mcp-nothing`;
    expect((await owner.put(`${at}/credential`, { kind: 'none' })).status).toBe(404);
    expect((await owner.delete(`${at}/credential`)).status).toBe(404);
  });
});

describe('409', () => {
  it('for a connector that was changed while the server was asked, of which nothing is stored', async () => {
    peer.answering = async ({ method }) => {
      if (method !== 'tools/list') return;
      peer.answering = undefined;
      await owner.put(`${connector.at}/credential`, { kind: 'none' });
    };
    const { status, body } = await put({ kind: 'api_key', apiKey: KEY });
    expect(status).toBe(409);
    expect(body.error.issues[0].code).toBe('changed_meanwhile');
    expect(await stored()).toMatchObject([{ kind: 'none', generation: 1 }]);
  });

  it('for a server on an origin that the deployment does not approve', async () => {
    await changeRow(app, 'integration', connector.id, { endpoint: 'https://elsewhere.example.com/mcp' });
    const { status, body } = await put({ kind: 'none' });
    expect([status, body.error.issues[0].code]).toEqual([409, 'blocked']);
  });

  it('for a connector that the organization blocks', async () => {
    await owner.patch(`/organizations/${organizationId}`, { constraints: { allowedIntegrations: ['mcp-other'] } });
    const { status, body } = await put({ kind: 'none' });
    await owner.patch(`/organizations/${organizationId}`, { constraints: { allowedIntegrations: [] } });
    expect(status).toBe(409);
    expect(body.error.issues[0].code).toBe('blocked');
    expect(peer.requests).toEqual([]);
  });
});

describe('503', () => {
  it.each([
    ['an error', 500, {}, '5'],
    ['too many requests, with its time to wait', 429, { 'retry-after': '17' }, '17'],
    ['a time to wait beyond an hour', 503, { 'retry-after': '100000' }, '3600'],
  ])('for %s of the server, and nothing of what it says', async (_, status, headers, retryAfter) => {
    peer.answering = (_request, response) => {
      response.writeHead(status, headers).end('CANARY: a text of the provider');
      return true;
    };
    const answer = await put({ kind: 'api_key', apiKey: KEY });
    expect(answer.status).toBe(503);
    expect(answer.body.error.code).toBe('provider_unavailable');
    expect(answer.headers['retry-after']).toBe(retryAfter);
    expect(answer.text).not.toContain('CANARY');
    expect(await stored()).toEqual([]);
  });
});
