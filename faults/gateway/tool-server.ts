import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createMcpHandler, legacyStatelessFallback, Server, type Tool } from '@modelcontextprotocol/server';
import { PUBLIC_PORT, PublicServer } from '../public-server.ts';
import type { Random } from '../random.ts';

const HOST = 'tools.faults.example';
export const TOOL = 'note';
const LONGEST_ANSWER_MS = 150;

/** What happens to a list, by weight. */
const LISTS = { answers: 88, 'changes before': 5, 'changes behind': 3, 'fails for now': 4 } as const;
/** What happens to a call that writes, by weight; the last two have no effect. */
const CALLS = {
  answers: 68,
  'drops the connection': 8,
  'answers half': 4,
  'answers 500': 4,
  'answers an internal error': 4,
  'answers something else': 4,
  refuses: 4,
  'says that it failed': 4,
} as const;
type Manner = keyof typeof CALLS;
/** Which nobody can tell from a write that was done. */
const AMBIGUOUS: ReadonlySet<Manner> = new Set([
  'drops the connection',
  'answers half',
  'answers 500',
  'answers an internal error',
  'answers something else',
]);

/** A write whose request was read to its end, which is its effect. */
export interface Effect {
  readonly marker: string;
  /** Whether its caller cannot know of it. */
  readonly isAmbiguous: boolean;
  /** Which edition of its tool the caller was bound to, and which one the list before it had shown. */
  readonly edition: number;
  readonly shown: number;
}

type Handler = (request: Request) => Promise<Response>;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly marker: string; readonly edition: number };
  };
}

/**
 * An MCP server that defines its one tool anew at any moment, and after the effect of a call drops the connection, answers
 * half, or wrongly. Each of its paths is a server of its own, with editions of its own; the edition that a call is made for is
 * one of its arguments. Every second one speaks the older revisions only.
 */
export class ToolServer {
  readonly effects: Effect[] = [];
  /** Definitions that were changed. */
  changes = 0;
  private readonly random: Random;
  private readonly editions = new Map<string, number>();
  private readonly shown = new Map<string, number>();
  private readonly handlers = new Map<string, Handler>();
  private server!: PublicServer;

  private constructor(random: Random) {
    this.random = random;
  }

  static readonly origin = `https://${HOST}:${PUBLIC_PORT}`;

  /** `folder` gets its certificate, for the service to trust. */
  static async start(folder: string, random: Random): Promise<ToolServer> {
    const one = new ToolServer(random);
    one.server = await PublicServer.start(folder, [HOST], (request, response) => one.answer(request, response));
    return one;
  }

  /** By which the service reaches it. */
  get env(): Readonly<Record<string, string>> {
    return { ...this.server.env, INTEGRATION_APPROVED_ORIGINS: ToolServer.origin };
  }

  stop(): void {
    this.server.stop();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A process that is killed while it sends closes the connection within the body: nothing has happened then.
    const body = await text(request);
    const path = request.url!;
    const message = (body === '' ? {} : JSON.parse(body)) as Message;
    if (message.method === 'tools/list') return this.list(path, request, response, body);
    if (message.method === 'tools/call') return this.call(path, message, request, response, body);
    return this.handle(path, request, response, body);
  }

  private async list(path: string, request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const manner = this.random.weighted(LISTS);
    if (manner === 'fails for now') return void response.writeHead(503).end();
    if (manner === 'changes before') this.define(path);
    this.shown.set(path, this.editionOf(path));
    await this.handle(path, request, response, body);
    if (manner === 'changes behind') this.define(path);
  }

  private async call(
    path: string,
    { id, params }: Message,
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<void> {
    const manner = this.random.weighted(CALLS);
    const { marker, edition } = params!.arguments!;
    const say = (answer: object) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    };
    if (manner === 'refuses') return say({ error: { code: -32_602, message: 'no' } });
    if (manner === 'says that it failed')
      return say({ result: { resultType: 'complete', content: [{ type: 'text', text: 'no' }], isError: true } });
    this.effects.push({ marker, edition, shown: this.shown.get(path)!, isAmbiguous: AMBIGUOUS.has(manner) });
    await wait(this.random.between(0, LONGEST_ANSWER_MS));
    switch (manner) {
      case 'answers':
        return this.handle(path, request, response, body);
      case 'drops the connection':
        return void request.socket.destroy();
      case 'answers half':
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":');
      case 'answers 500':
        return void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
      case 'answers an internal error':
        return say({ error: { code: -32_603, message: 'I do not know' } });
      case 'answers something else':
        return say({ outcome: 'fine' });
    }
  }

  private async handle(path: string, request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const headers = new Headers(Object.entries(request.headers) as [string, string][]);
    const asked = new Request(new URL(path, ToolServer.origin), {
      method: request.method!,
      headers,
      body: body === '' ? null : body,
    });
    const answered = await this.handlerOf(path)(asked);
    const bytes = Buffer.from(await answered.arrayBuffer());
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(bytes);
  }

  private handlerOf(path: string): Handler {
    const known = this.handlers.get(path);
    if (known) return known;
    const make = () => this.serverAt(path);
    const isOld = this.handlers.size % 2 === 1;
    const made = isOld ? legacyStatelessFallback(make) : createMcpHandler(make, { maxSubscriptions: 0 }).fetch;
    this.handlers.set(path, made);
    return made;
  }

  private serverAt(path: string): Server {
    const server = new Server({ name: 'faults', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [toolOf(this.editionOf(path))] }));
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'noted' }] }));
    return server;
  }

  private editionOf(path: string): number {
    return this.editions.get(path) ?? 1;
  }

  private define(path: string): void {
    this.changes += 1;
    this.editions.set(path, this.editionOf(path) + 1);
  }
}

/** A tool that is called for one edition only, so that each call says which definition its caller was bound to. */
function toolOf(edition: number): Tool {
  return {
    name: TOOL,
    description: `Notes something, edition ${edition}.`,
    inputSchema: {
      type: 'object',
      properties: { marker: { type: 'string' }, edition: { const: edition } },
      required: ['marker', 'edition'],
    },
    annotations: { destructiveHint: false },
  };
}
