import type { McpHttpHandler, McpRequestContext, Tool } from '@modelcontextprotocol/server';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config, VERSION } from '../../../config/index.ts';
import type { GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { Accepted, type JsonRpcAnswer } from '../../../kernel/http/index.ts';
import { GatewayErrors } from '../gateway.errors.ts';
import type { GatewayToolDto } from '../tool-calls/gateway.dto.ts';
import { GatewayCallsService } from '../tool-calls/gateway-calls.service.ts';
import { OfferedToolsService } from '../tool-calls/offered-tools.service.ts';
import { failed, resultOf } from './mcp-results.ts';

type Library = typeof import('@modelcontextprotocol/server');
type Server = InstanceType<Library['Server']>;
type Headers = Readonly<Record<string, string | undefined>>;

/** Headers that the protocol reads; nothing else of the request is handed on. */
const READ_HEADERS = /^(content-type|mcp-.*)$/;
/** What the protocol wants a client to accept. Answers are JSON for one that accepts less, too. */
const ACCEPT = 'application/json, text/event-stream';
/** Revisions that begin by `initialize`, the newest first; any other is answered with that one. */
const OLD_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
/** The path is of no concern to the protocol. */
const ADDRESS = 'http://gateway/mcp';

/** One message on its way through the library. */
interface Exchange {
  readonly gateway: GatewayPrincipal;
  readonly gone: AbortSignal;
  /**
   * What ends the whole exchange, with its own status: the execution may not use the connector at all, or a fault of ours,
   * whose text the library would hand out.
   */
  refusal?: Error;
}

/**
 * The gateway as an MCP server, of the new revision and of the old ones, without any state: each message is answered by a
 * server of its own, which lives as long as the request.
 */
@Injectable()
export class McpService implements OnApplicationShutdown {
  /** Loaded with the first message, because it takes memory and time. */
  private library: Promise<Library> | undefined;
  private modern: McpHttpHandler | undefined;
  private readonly exchanges = new WeakMap<Request, Exchange>();

  constructor(
    private readonly tools: OfferedToolsService,
    private readonly calls: GatewayCallsService,
    private readonly config: Config,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.modern?.close();
  }

  async answer(
    gateway: GatewayPrincipal,
    headers: Headers,
    message: unknown,
    gone: AbortSignal,
  ): Promise<JsonRpcAnswer> {
    if (this.isForeign(headers.origin)) throw new ApiError(GatewayErrors.foreignOrigin);
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      throw invalid('', EdgeIssues.wrongType, 'must be one message');
    const exchange: Exchange = { gateway, gone };
    const response = await this.respond(exchange, requestOf(headers), message);
    if (exchange.refusal) throw exchange.refusal;
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as object) };
  }

  private async respond(exchange: Exchange, request: Request, parsedBody: object): Promise<Response> {
    const library = await (this.library ??= import('@modelcontextprotocol/server'));
    if (!(await library.isLegacyRequest(request, parsedBody))) {
      this.exchanges.set(request, exchange);
      return (this.modern ??= this.handlerOf(library)).fetch(request, { parsedBody });
    }
    const transport = new library.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const legacy = this.serverFor(library, exchange);
    await legacy.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await legacy.close();
    }
  }

  /** Answers each request by a server of its own. No server of ours says anything before its result, so all is JSON. */
  private handlerOf(library: Library): McpHttpHandler {
    const serverOf = ({ requestInfo }: McpRequestContext) => this.serverFor(library, this.exchanges.get(requestInfo!)!);
    return library.createMcpHandler(serverOf, { legacy: 'reject', maxSubscriptions: 0, keepAliveMs: 0 });
  }

  private serverFor(library: Library, exchange: Exchange): Server {
    const server = new library.Server(
      { name: 'business-runner', version: VERSION },
      { capabilities: { tools: {} }, supportedProtocolVersions: [...OLD_REVISIONS] },
    );
    server.setRequestHandler('tools/list', async () => {
      const { tools } = await this.orRefuse(exchange, this.tools.list(exchange.gateway));
      return { tools: tools.map(toTool) };
    });
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      try {
        const called = await this.calls.call(exchange.gateway, name, { arguments: given }, exchange.gone);
        return resultOf(called instanceof Accepted ? called.data : called);
      } catch (error) {
        if (!(error instanceof ApiError)) return this.orRefuse(exchange, Promise.reject(error as Error));
        if (error.row === GatewayErrors.toolNotFound)
          throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, error.message);
        if (!isOfCall(error)) return this.orRefuse(exchange, Promise.reject(error));
        return failed(sentenceOf(error), { code: error.issues?.[0]?.code ?? error.row.code });
      }
    });
    return server;
  }

  /** Lets what ends the whole exchange through the library, which would answer it with a status of its own. */
  private async orRefuse<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      exchange.refusal = error as Error;
      throw error;
    }
  }

  /** A page of somebody else’s in a browser has an origin; agents have none. */
  private isForeign(origin: string | undefined): boolean {
    if (origin === undefined) return false;
    if (!URL.canParse(origin)) return true;
    const { publicBaseUrl } = this.config;
    const url = new URL(origin);
    if (publicBaseUrl !== undefined && url.origin === new URL(publicBaseUrl).origin) return false;
    return !LOOPBACK.has(url.hostname);
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function requestOf(headers: Headers): Request {
  const read = Object.entries(headers).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined && READ_HEADERS.test(entry[0]);
  });
  return new Request(ADDRESS, { method: 'POST', headers: [...read, ['accept', ACCEPT]] });
}

function toTool({ name, title, description, inputSchema, outputSchema, annotations, ...others }: GatewayToolDto): Tool {
  const { access, approval, definitionHash } = others;
  return {
    name,
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as NonNullable<Tool['outputSchema']> }),
    annotations,
    _meta: { access, approval, definitionHash },
  };
}

/** Whether a refusal is about this call: its tool, its arguments, or what the task may still propose. */
function isOfCall({ row, issues }: ApiError): boolean {
  if (row === EdgeErrors.validationFailed || row.code === 'budget_exhausted') return true;
  return issues?.some(({ path }) => path === 'toolName' || path.startsWith('arguments')) === true;
}

function sentenceOf({ row, message, issues = [] }: ApiError): string {
  if (row !== EdgeErrors.validationFailed) return message;
  return issues.map((issue) => `${issue.path || 'The call'}: ${issue.message}`).join('; ');
}
