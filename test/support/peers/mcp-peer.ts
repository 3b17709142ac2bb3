import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMcpHandler, legacyStatelessFallback, type McpHttpHandler, Server } from '@modelcontextprotocol/server';
import type { Tool } from '@modelcontextprotocol/server';
import { Egress, egressFetch } from '../../../src/kernel/egress/index.ts';
import { Metrics } from '../../../src/kernel/metrics/index.ts';
import type { ProviderNet } from '../../../src/modules/integrations/index.ts';
import { Authority } from './authority.ts';
import { LOCAL_TRIAL } from './receiver.ts';

type Arguments = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;

/** A tool as the peer lists it, and what it does. */
export interface PeerTool extends Omit<Tool, 'inputSchema'> {
  readonly inputSchema?: Tool['inputSchema'];
  readonly run?: (args: Arguments) => Result | Promise<Result>;
}

/** A request of the protocol as it came. */
export interface PeerRequest {
  /** `initialize`, `tools/list`, `tools/call`, …; `DELETE` and `GET` for those. */
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** Of a called tool. */
  readonly name: string | undefined;
  readonly arguments: Arguments | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request by hand; anything but `true` lets the peer answer it. */
type Answering = (request: PeerRequest, response: ServerResponse) => unknown;

export type PeerEra = 'both' | 'modern' | 'legacy';

/** An MCP server on this machine, by https, whose tools and manners the test changes while it runs. */
export class McpPeer {
  readonly requests: PeerRequest[] = [];
  /** Called tools whose effect happened, with their arguments. */
  readonly effects: { readonly name: string; readonly arguments: Arguments }[] = [];
  era: PeerEra = 'both';
  /** Tokens that are taken; undefined for a server that asks for none. */
  tokens: ReadonlySet<string> | undefined;
  /** Tools a page. */
  pageSize = 100;
  /** Takes requests before the peer does. */
  answering: Answering | undefined;
  /** The list as it is answered; that of the tools unless a test says otherwise. */
  listed: (() => readonly unknown[]) | undefined;
  private tools = new Map<string, PeerTool>();
  private readonly modern: McpHttpHandler;
  private readonly both: McpHttpHandler;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly origin: string,
    private readonly pem: string,
    /** By which a trial reaches it. */
    readonly env: Readonly<Record<string, string>>,
  ) {
    const make = () => this.makeServer();
    this.both = createMcpHandler(make, { maxSubscriptions: 0 });
    this.modern = createMcpHandler(make, { legacy: 'reject', maxSubscriptions: 0 });
  }

  static async start(tools: readonly PeerTool[] = []): Promise<McpPeer> {
    const authority = await Authority.create();
    const server = createServer(await authority.identity(['localhost']));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(process.env.TEST_FOLDER!, `mcp-peer-${port}.pem`);
    writeFileSync(file, authority.pem);
    const origin = `https://localhost:${port}`;
    const peer = new McpPeer(server, origin, authority.pem, {
      ...LOCAL_TRIAL,
      EGRESS_LOCAL_PEERS: origin,
      EGRESS_LOCAL_CA_FILE: file,
      // Examples of the document lie at the other one, where nobody answers.
      INTEGRATION_APPROVED_ORIGINS: `${origin},https://*.acme.example`,
    });
    server.on('request', (request, response) => {
      peer.answer(request, response).catch(() => response.destroy());
    });
    peer.define(...tools);
    return peer;
  }

  get endpoint(): string {
    return `${this.origin}/mcp`;
  }

  /** Adds tools, or replaces those of the same names. */
  define(...tools: readonly PeerTool[]): void {
    for (const tool of tools) this.tools.set(tool.name, tool);
  }

  remove(name: string): void {
    this.tools.delete(name);
  }

  /** Methods of the requests so far, in their order. */
  get methods(): readonly string[] {
    return this.requests.map(({ method }) => method);
  }

  /** The way to this peer, as an adapter is given it. */
  net(signal = new AbortController().signal): ProviderNet {
    return netTo(this.origin, this.pem, signal);
  }

  /** As it was at its start, without tools. */
  reset(): void {
    this.forget();
    this.tools.clear();
    this.era = 'both';
    this.tokens = undefined;
    this.pageSize = 100;
    this.answering = undefined;
    this.listed = undefined;
  }

  forget(): void {
    this.requests.length = 0;
    this.effects.length = 0;
  }

  async stop(): Promise<void> {
    await Promise.all([this.both.close(), this.modern.close()]);
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Answers a request, also one that came to another host. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    const came = requestOf(request, body);
    this.requests.push(came);
    if (this.answering && (await this.answering(came, response)) === true) return;
    const [, token] = (request.headers.authorization ?? '').split('Bearer ');
    if (this.tokens && !this.tokens.has(token ?? '')) return void response.writeHead(401).end();
    const url = new URL(request.url!, this.origin);
    const headers = new Headers(Object.entries(request.headers) as [string, string][]);
    const asked = new Request(url, { method: request.method!, headers });
    const answered = await this.handle(asked, body === '' ? undefined : JSON.parse(body));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  }

  private handle(request: Request, parsedBody: unknown): Promise<Response> {
    const options = parsedBody === undefined ? {} : { parsedBody };
    if (this.era === 'modern') return this.modern.fetch(request, options);
    if (this.era === 'both') return this.both.fetch(request, options);
    return legacyStatelessFallback(() => this.makeServer())(request, options);
  }

  private makeServer(): Server {
    const server = new Server({ name: 'peer', version: '1.2.3' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', ({ params }) => {
      const listed = this.listed?.() ?? [...this.tools.values()].map(listedTool);
      const from = Number(params?.cursor ?? 0);
      const until = from + this.pageSize;
      const more = until < listed.length ? { nextCursor: String(until) } : {};
      return { tools: listed.slice(from, until) as Tool[], ...more };
    });
    server.setRequestHandler('tools/call', async ({ params }) => {
      const { name, arguments: args = {} } = params;
      const tool = this.tools.get(name);
      if (!tool) return { content: [{ type: 'text', text: `there is no ${name}` }], isError: true };
      this.effects.push({ name, arguments: args });
      const result = await tool.run?.(args);
      return result === undefined ? { content: [{ type: 'text', text: 'done' }] } : { content: [], ...result };
    });
    return server;
  }
}

/** The way to a local peer, bounded as for owners' calls. */
export function netTo(origin: string, localCa?: string, signal = new AbortController().signal): ProviderNet {
  const egress = new Egress({ proxy: undefined, localPeers: [origin], localCa }, new Metrics());
  const limits = { totalMs: 30_000, maxBytes: 4 * 1_024 * 1_024 };
  return { fetch: egressFetch(egress, { hosts: [origin], limits, signal }), signal };
}

function listedTool(tool: PeerTool): Tool {
  const { run: _, inputSchema = { type: 'object' }, ...listed } = tool;
  return { ...listed, inputSchema };
}

function requestOf({ method, url, headers }: IncomingMessage, body: string): PeerRequest {
  const message: unknown = method === 'POST' && body !== '' ? JSON.parse(body) : {};
  const { method: named, params = {} } = message as {
    method?: string;
    params?: { name?: string; arguments?: Arguments };
  };
  return {
    method: named ?? method!,
    path: url!.split('?', 1)[0]!,
    name: params.name,
    arguments: params.arguments,
    headers,
    body,
  };
}
