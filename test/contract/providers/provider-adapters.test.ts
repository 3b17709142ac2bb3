import type { ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { egressFetch } from '../../../src/kernel/egress/index.ts';
import {
  type Failure,
  type ListedTool,
  type ProviderAccess,
  ProviderFailure,
  type ProviderNet,
} from '../../../src/modules/integrations/index.ts';
import { CloudAccount } from '../../../src/modules/providers/cloud-account/index.ts';
import { hostOf } from '../../../src/modules/providers/cloud-account/manifest.ts';
import { EmailDelivery } from '../../../src/modules/providers/email-delivery/index.ts';
import { EMAIL_HOST } from '../../../src/modules/providers/email-delivery/manifest.ts';
import { KeyValueStore } from '../../../src/modules/providers/key-value-store/index.ts';
import { CodeHost } from '../../../src/modules/providers/code-host/index.ts';
import { API_HOST } from '../../../src/modules/providers/code-host/manifest.ts';
import { McpServers } from '../../../src/modules/providers/mcp/index.ts';
import { PaymentsProvider } from '../../../src/modules/providers/payments-provider/index.ts';
import { SupportInbox } from '../../../src/modules/providers/support-inbox/index.ts';
import { SUPPORT_HOST } from '../../../src/modules/providers/support-inbox/manifest.ts';
import { WebAnalytics } from '../../../src/modules/providers/web-analytics/index.ts';
import { DATA_HOST } from '../../../src/modules/providers/web-analytics/manifest.ts';
import { WorkspaceSuite } from '../../../src/modules/providers/workspace/index.ts';
import { FILES_HOST } from '../../../src/modules/providers/workspace/manifest.ts';
import { Outside } from '../../support/peers/outside.ts';

/** What must never leave an adapter with a failure. */
const SECRET = 'CANARY-secret';
const TEXT = 'CANARY-text';

/** An adapter, and how it reads once from a provider at an origin. */
interface Case {
  readonly name: string;
  /** Its own, where it has one; else it asks the host that it is given. */
  readonly host?: string;
  read(origin: string, net: ProviderNet): Promise<unknown>;
  /** A call that its own rules refuse. */
  refuse(): unknown;
}

const TOOL = {
  name: 'read',
  title: null,
  description: null,
  inputSchema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  access: 'read',
  risk: 'external',
  reviewRequired: false,
  definitionHash: '0'.repeat(64),
} as const;

/** A token of an authorization. */
const AUTHORIZED: ProviderAccess = {
  endpoint: null,
  secret: { kind: 'authorized', authorize: () => ({ authorization: `Bearer ${SECRET}` }) },
  mcp: null,
};

const mcp = new McpServers();
const analytics = new WebAnalytics();
const codeHost = new CodeHost({ codeHostApp: undefined, codeHostLocalOrigin: undefined });
const workspace = new WorkspaceSuite();
const DRIVE = { services: ['drive'] };
const PROPERTIES = { propertyIds: ['11'], defaultPropertyId: '11' };
const store = new KeyValueStore(['.example']);
const scopeOfStore = (args: Readonly<Record<string, unknown>>) => {
  const settings = { scope: { mode: 'prefix', prefix: 'app:' } } as const;
  const get = toolOf(store, 'upstash_get');
  return store.scope(get, args, settings, () => true);
};

const email = new EmailDelivery();
const inbox = new SupportInbox();
const WEBSITE = '8c842203-7ed8-4e29-a608-7cf78a7d2fcc';
const SENDERS = { domains: ['acme.example'] };
const MAIL = { to: ['a@b.example'], subject: 'a', text: 'a' };
const payments = new PaymentsProvider();
const scopeOfPayments = (args: Readonly<Record<string, unknown>>) =>
  payments.scope(toolOf(payments, 'get_order'), args, { storeIds: ['1'] });

const REGION = 'eu-central-1';
const cloud = new CloudAccount({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET });
const ACCOUNT = { accountId: '123456789012', region: REGION, kubernetesEnabled: false, metrics: false };
const ORGANIZATION = '0198a3c5-7d7e-7c3a-b0f1-2c0d7a9e5b11';
const ROLE: ProviderAccess = {
  organizationId: ORGANIZATION,
  endpoint: null,
  secret: { kind: 'role', roleArn: 'arn:aws:iam::123456789012:role/a', externalId: ORGANIZATION },
  mcp: null,
};

const CASES: readonly Case[] = [
  {
    name: 'MCP servers',
    async read(origin, net) {
      const session = await mcp.open(
        {
          endpoint: `${origin}/mcp`,
          secret: { kind: 'api_key', apiKey: SECRET },
          mcp: { era: 'modern', version: '2026-07-28' },
        },
        net,
      );
      return session.read({ tool: TOOL, arguments: { id: 'a' } });
    },
    refuse: () => mcp.scope(TOOL, { id: 7 }),
  },
  {
    name: 'web analytics',
    host: DATA_HOST,
    read: (_, net) =>
      analytics.call(analytics.scope(toolOf(analytics, 'get_metadata'), {}, PROPERTIES), AUTHORIZED, net),
    refuse: () => analytics.scope(toolOf(analytics, 'get_metadata'), { property_id: '22' }, PROPERTIES),
  },
  {
    name: 'the key-value store',
    read(origin, net) {
      const secret = { kind: 'rest_token', url: origin, token: SECRET } as const;
      return store.call(scopeOfStore({ key: 'app:a' }), { endpoint: null, secret, mcp: null }, net);
    },
    refuse: () => scopeOfStore({ key: 'other' }),
  },
  {
    name: 'the payments provider',
    host: 'api.lemonsqueezy.com',
    read(_, net) {
      const secret = { kind: 'api_key', apiKey: SECRET } as const;
      return payments.call(scopeOfPayments({ store_id: '1', id: '1' }), { endpoint: null, secret, mcp: null }, net);
    },
    refuse: () => scopeOfPayments({ store_id: '2', id: '1' }),
  },
  {
    name: 'the workspace',
    host: FILES_HOST,
    read: (_, net) =>
      workspace.call(workspace.scope(toolOf(workspace, 'drive_search'), { query: 'a' }, DRIVE), AUTHORIZED, net),
    refuse: () => workspace.scope(toolOf(workspace, 'drive_read'), { id: '../a' }, DRIVE),
  },
  {
    name: 'email delivery',
    host: EMAIL_HOST,
    read(_, net) {
      const secret = { kind: 'api_key', apiKey: SECRET } as const;
      const call = email.scope(toolOf(email, 'list_domains'), {}, SENDERS);
      return email.call(call, { endpoint: null, secret, mcp: null }, net);
    },
    refuse: () => email.scope(toolOf(email, 'send_email'), { ...MAIL, from: 'a@other.example' }, SENDERS),
  },
  {
    name: 'the support inbox',
    host: SUPPORT_HOST,
    read(_, net) {
      const secret = { kind: 'api_key', identifier: 'a', key: SECRET } as const;
      return inbox.save({ websiteId: WEBSITE }, null, { endpoint: null, secret, mcp: null }, net);
    },
    refuse: () => inbox.scope(TOOL, { id: 7 }),
  },
  {
    name: 'the code host',
    host: API_HOST,
    read: (_, net) =>
      codeHost.verify({ endpoint: null, secret: { kind: 'token', token: SECRET }, mcp: null }, null, net),
    refuse: () => codeHost.scope(toolOf(codeHost, 'git_fetch'), { repository: 'eve/shop' }, { repositories: ['a/b'] }),
  },
  {
    name: 'the cloud account',
    host: hostOf(REGION),
    read: (_, net) => cloud.call(cloud.scope(toolOf(cloud, 'get_account_identity'), {}, ACCOUNT), ROLE, net),
    refuse: () => cloud.scope(toolOf(cloud, 'get_account_identity'), { region: 'eu-west-1' }, ACCOUNT),
  },
];

function toolOf(adapter: { tools(settings: null): readonly ListedTool[] }, name: string): ListedTool {
  return adapter.tools(null).find((tool) => tool.name === name)!;
}

type Answer = (response: ServerResponse) => unknown;
const json = { 'content-type': 'application/json' };
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, { ...json, ...headers }).end(JSON.stringify({ error: TEXT }));

const HOSTILE: readonly (readonly [string, Answer, Partial<Failure>])[] = [
  ['a redirect', status(302, { location: 'https://elsewhere.example/' }), { code: 'bad_answer', status: 302 }],
  ['a redirect to itself', status(308, { location: '/' }), { code: 'bad_answer', status: 308 }],
  [
    '1 MiB and a byte',
    (response) => response.writeHead(200, json).end(' '.repeat(1_048_577)),
    { code: 'bad_answer', reason: 'result_too_large' },
  ],
  ['cut JSON', (response) => response.writeHead(200, json).end(`{"a":"${TEXT}`), { code: 'bad_answer' }],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(TEXT), { code: 'bad_answer' }],
  [
    'gzip',
    (response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    { code: 'bad_answer' },
  ],
  ['401', status(401), { code: 'credential_refused', status: 401 }],
  ['403', status(403), { code: 'scope_lost', status: 403 }],
  ['429', status(429), { code: 'rate_limited', retryAfterSeconds: null }],
  ['429 with a time to wait', status(429, { 'retry-after': '9' }), { code: 'rate_limited', retryAfterSeconds: 9 }],
  ['500', status(500), { code: 'unavailable', status: 500 }],
  ['a reset after the request', (response) => outside.reset(response.socket!), { code: 'unavailable', sent: true }],
];

let outside: Outside;
let hosts = 0;
beforeAll(async () => {
  outside = await Outside.start();
});
afterAll(() => outside.stop());

function netTo(origin: string, totalMs = 10_000): ProviderNet {
  const limits = { totalMs, maxBytes: 4 * 1_024 * 1_024 };
  return { fetch: egressFetch(outside.egress(), { hosts: [origin], limits }), signal: new AbortController().signal };
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderFailure);
  const { failure, message } = error as ProviderFailure;
  expect(message + JSON.stringify(failure)).not.toContain('CANARY');
  return failure;
}

/** A host that no test before has asked. */
function next(name: string): string {
  hosts += 1;
  return `${name}-${hosts}.example`;
}

function raw(host: string | undefined, take: (socket: TLSSocket) => void): Promise<string> {
  return outside.rawHost(host ?? next('raw'), (socket) => take(socket.on('error', () => undefined)));
}

describe.each(CASES)('the adapter of $name', ({ host, read, refuse }) => {
  it.each(HOSTILE)('says in our words what a provider did that answers with %s', async (_, answer, expected) => {
    let requests = 0;
    const origin = await outside.host(host ?? next('hostile'), (request, response) => {
      requests += 1;
      request.resume().on('end', () => answer(response));
    });
    expect(await failureOf(read(origin, netTo(origin)))).toMatchObject(expected);
    expect(requests).toBe(1);
  });

  it('gives up a provider that is slow, or drips', async () => {
    const silent = await raw(host, () => undefined);
    expect(await failureOf(read(silent, netTo(silent, 1_000)))).toMatchObject({ code: 'unavailable', sent: true });
    const dripping = await raw(host, (socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{'));
      const drips = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(drips));
    });
    expect(await failureOf(read(dripping, netTo(dripping, 1_000)))).toMatchObject({ code: 'unavailable', sent: true });
  });

  it('knows that nothing was sent where no connection stood, and asks no other host', async () => {
    const gone = await outside.host(host ?? 'gone.example', () => undefined, 'other.example');
    expect(await failureOf(read(gone, netTo(gone)))).toMatchObject({ code: 'unavailable', sent: false });
    const before = outside.attempts.length;
    expect(await failureOf(read(gone, netTo('https://elsewhere.example')))).toMatchObject({ sent: false });
    expect(outside.attempts).toHaveLength(before);
  });

  it('refuses what is out of scope without a socket, naming the argument', () => {
    const before = outside.sockets.length;
    expect(refuse).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: expect.stringMatching(/^arguments\./) })] }),
    );
    expect(outside.sockets).toHaveLength(before);
  });
});
