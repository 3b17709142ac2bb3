import type { Client, PriorDiscovery, StandardSchemaV1 } from '@modelcontextprotocol/client';
import {
  type Inventory,
  type ListedTool,
  type McpMemory,
  type ProviderAccess,
  ProviderFailure,
  type ProviderNet,
  type ProviderSecret,
  type SentCall,
  type ToolCall,
  type ToolOutput,
  type ToolSession,
} from '../../integrations/index.ts';
import { fitsOutput } from '../tool-arguments/index.ts';
import { failureOf, isEraError, readingOf, refuseInput, unsuccessful } from './answer-reading.ts';
import { outputOf } from './call-output.ts';
import { isObject, type JsonObject } from '../wire/index.ts';
import { type RpcBounds, type RpcExchange, RpcExchanges, type RpcPeer } from './rpc-exchange.ts';
import { nameOf, toolIn, toolsIn } from './tool-inventory.ts';

/** For one request that reads; for the one that writes. */
const READ_MS = 10_000;
const WRITE_MS = 30_000;
const MOST_ANSWER_BYTES = 1_024 * 1_024;
/** Of all pages of a list. */
const MOST_LIST_BYTES = 4 * 1_024 * 1_024;
const MOST_PAGES = 20;
/** For the end of a session, which nobody waits for. */
const END_MS = 5_000;
/** Time that the library never reaches: each request is bounded by its exchange. */
const NEVER_MS = 600_000;
const OURS = { name: 'service-integration', version: '1' };

const HANDSHAKE: RpcBounds = { totalMs: READ_MS, maxBytes: MOST_ANSWER_BYTES };

/**
 * One connection to an MCP server, for one operation, in either era of the protocol. What the server spoke last saves
 * asking for it; where it does not speak that any more, a read finds out once and goes on. What answers mean is read from
 * the exchanges themselves, not from what the library throws.
 */
export class McpSession implements ToolSession {
  private exchanges: RpcExchanges;
  private client: Client | undefined;
  private spoken: McpMemory | null;
  private server: Inventory['server'] = null;
  private hasTools = true;
  /** Whether the server began a session that it should be told to end. */
  private endSession: (() => Promise<void>) | undefined;
  private mayAskAnew: boolean;

  private constructor(
    private readonly access: ProviderAccess,
    private readonly net: ProviderNet,
  ) {
    this.exchanges = this.newExchanges();
    this.spoken = access.mcp;
    this.mayAskAnew = access.mcp !== null;
  }

  static async open(access: ProviderAccess, net: ProviderNet): Promise<McpSession> {
    const session = new McpSession(access, net);
    await session.connect();
    return session;
  }

  get mcp(): McpMemory | null {
    return this.spoken;
  }

  async list(): Promise<Inventory> {
    const listed: unknown[] = [];
    for await (const page of this.pages()) listed.push(...page);
    return { ...toolsIn(listed), server: this.server, mcp: this.spoken };
  }

  async find(name: string): Promise<ListedTool | undefined> {
    for await (const page of this.pages()) {
      const named = page.filter((each) => nameOf(each) === name);
      if (named.length > 0) return named.length === 1 ? toolIn(named[0]) : undefined;
    }
    return undefined;
  }

  async read(call: ToolCall): Promise<ToolOutput> {
    const bounds = { totalMs: READ_MS, maxBytes: MOST_ANSWER_BYTES };
    const reading = readingOf(await this.askedAnew(() => this.callTool(call, bounds)));
    if (reading.kind === 'failure') throw new ProviderFailure(reading.failure);
    if (reading.kind === 'input_required') return refuseInput();
    return outputOf(reading.result, reading.kind === 'result' && isMismatch(call, reading.result));
  }

  async write(call: ToolCall, signal: AbortSignal): Promise<SentCall> {
    const reading = readingOf(await this.callTool(call, { totalMs: WRITE_MS, maxBytes: MOST_ANSWER_BYTES, signal }));
    if (reading.kind !== 'result') return unsuccessful(reading);
    return { outcome: 'succeeded', result: outputOf(reading.result, isMismatch(call, reading.result)) };
  }

  /** Answers at once; a server that keeps sessions is told in the background. */
  close(): Promise<void> {
    const { client, endSession } = this;
    this.client = undefined;
    const bounds = { totalMs: END_MS, maxBytes: 0 };
    if (endSession) void this.exchanges.last('', bounds, endSession).catch(() => undefined);
    else void client?.close().catch(() => undefined);
    return Promise.resolve();
  }

  private newExchanges(): RpcExchanges {
    return new RpcExchanges({ fetch: this.net.fetch, authorize: authorizationOf(this.access.secret) });
  }

  /** Connects by what the server spoke last; finds it out where nothing is known, or that does not hold any more. */
  private async connect(): Promise<void> {
    const error = await this.shakeHands();
    if (error === undefined) return;
    const { newest } = this.exchanges;
    if (this.mayAskAnew && newest && isEraError(newest)) return this.reconnect();
    throw newest ? new ProviderFailure(failureOf(newest)) : error;
  }

  private async reconnect(): Promise<void> {
    void this.close();
    this.mayAskAnew = false;
    this.spoken = null;
    this.exchanges = this.newExchanges();
    await this.connect();
  }

  /** Undefined where it went well. */
  private async shakeHands(): Promise<unknown> {
    // Loaded with the first connection, because it takes memory and time.
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { endpoint } = this.access;
    if (endpoint === null) throw new TypeError('An MCP server has an endpoint.');
    const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
      fetch: this.exchanges.fetch,
      requestInit: { redirect: 'manual' },
      onInsufficientScope: 'throw',
      reconnectionOptions: { ...NO_RECONNECTION },
    });
    const client = new Client(OURS, {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    });
    let failed: unknown;
    const prior = priorOf(this.spoken);
    const work = () =>
      client
        .connect(transport, { timeout: NEVER_MS, ...(prior === undefined ? {} : { prior }) })
        .catch((error: unknown) => void (failed = error));
    await this.exchanges.last('', HANDSHAKE, work).catch(() => undefined);
    if (failed !== undefined) return failed;
    this.client = client;
    this.endSession = transport.sessionId === undefined ? undefined : () => transport.terminateSession();
    const version = client.getNegotiatedProtocolVersion();
    const era = client.getProtocolEra();
    if (version !== undefined && era !== undefined) this.spoken = { era, version };
    this.server = identityOf(client.getServerVersion());
    this.hasTools = client.getServerCapabilities()?.tools !== undefined;
    return undefined;
  }

  /** Pages of a list, bounded in number and in bytes; a cursor that returns would never end. */
  private async *pages(): AsyncGenerator<readonly unknown[]> {
    if (!this.hasTools) return;
    const cursors = new Set<string>();
    let cursor: string | undefined;
    let bytesLeft = MOST_LIST_BYTES;
    for (let page = 1; ; page += 1) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const ask = () =>
        this.exchanges.last('tools/list', { totalMs: READ_MS, maxBytes: bytesLeft }, () =>
          this.connected.request({ method: 'tools/list', ...params }, ANYTHING, { timeout: NEVER_MS }),
        );
      const result = resultOf(page === 1 ? await this.askedAnew(ask) : await ask());
      yield result.tools;
      cursor = result.nextCursor;
      if (cursor === undefined) return;
      bytesLeft -= Buffer.byteLength(JSON.stringify(result));
      if (page === MOST_PAGES || bytesLeft <= 0 || cursors.has(cursor)) throw badList();
      cursors.add(cursor);
    }
  }

  /** Asks a second time where the server refused for the revision of the protocol alone. */
  private async askedAnew(ask: () => Promise<RpcExchange>): Promise<RpcExchange> {
    const exchange = await ask();
    if (!this.mayAskAnew || !isEraError(exchange)) return exchange;
    await this.reconnect();
    return ask();
  }

  private callTool({ tool, arguments: args }: ToolCall, bounds: RpcBounds): Promise<RpcExchange> {
    const { name, inputSchema } = tool;
    // Without an output schema: the library would throw for a result that misses it, after the effect.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
    return this.exchanges.last('tools/call', bounds, () =>
      this.connected.callTool({ name, arguments: args }, { toolDefinition, timeout: NEVER_MS }),
    );
  }

  private get connected(): Client {
    if (!this.client) throw new TypeError('The connection is closed.');
    return this.client;
  }
}

function authorizationOf(secret: ProviderSecret): RpcPeer['authorize'] {
  if (secret.kind === 'authorized') return (method, url) => secret.authorize(method, url);
  if (secret.kind !== 'api_key') return () => ({});
  const { apiKey = '', header = '' } = secret;
  return () => (header === '' ? { authorization: `Bearer ${apiKey}` } : { [header]: apiKey });
}

const NO_RECONNECTION = {
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
};

/** Takes any result: it is read from the exchange. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'ours', validate: (value) => ({ value }) },
};

function priorOf(known: McpMemory | null): PriorDiscovery | undefined {
  if (known === null) return undefined;
  if (known.era === 'legacy') return { kind: 'legacy' };
  return { kind: 'modern', discover: { supportedVersions: [known.version], capabilities: { tools: {} } } };
}

function resultOf(exchange: RpcExchange): { readonly tools: readonly unknown[]; readonly nextCursor?: string } {
  const { status = 0, answer, failure } = exchange;
  if (failure || status < 200 || status >= 300 || !answer || 'error' in answer)
    throw new ProviderFailure(failureOf(exchange));
  const { tools, nextCursor } = answer.result;
  if (!Array.isArray(tools)) throw badList();
  if (nextCursor === undefined || nextCursor === null) return { tools };
  if (typeof nextCursor !== 'string' || nextCursor.length > 4_096) throw badList();
  return { tools, nextCursor };
}

function badList(): ProviderFailure {
  return new ProviderFailure({ code: 'bad_answer', status: 200, retryAfterSeconds: null, sent: true });
}

/** What a server calls itself, for owners to see. */
function identityOf(given: unknown): Inventory['server'] {
  if (!isObject(given) || typeof given.name !== 'string') return null;
  const version = typeof given.version === 'string' ? given.version : '';
  return { name: shown(given.name), version: shown(version) };
}

function shown(text: string): string {
  return text
    .slice(0, 200)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\uFFFD');
}

/** Whether a result misses the output schema of its tool; it happened all the same. */
function isMismatch({ tool }: ToolCall, { structuredContent }: JsonObject): boolean {
  if (tool.outputSchema === undefined) return false;
  return structuredContent === undefined || !fitsOutput(tool.outputSchema, structuredContent);
}
