import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpPeer } from '../mcp-peer.ts';
import type { Outside } from '../outside.ts';

interface PeerConversation {
  readonly session_id: string;
  readonly website_id: string;
  readonly created_at: number;
  readonly state: 'pending' | 'unresolved' | 'resolved';
  readonly waiting_since?: number;
  readonly [personal: string]: unknown;
}

/**
 * The provider's REST interface as the sheet describes it, and no more: nothing of it was compared with the real one. Its tools
 * are those of a real MCP server. Whatever the adapter should not send is a fault, and refused.
 */
export class SupportPeer {
  readonly asked: string[] = [];
  readonly faults: string[] = [];
  /** Keypairs, `tier identifier:key`, with the website of each. */
  readonly keypairs = new Map<string, string>();
  conversations: PeerConversation[] = [];
  /** Answers every request over REST. */
  refusal: { readonly status: number; readonly body: object } | undefined;

  private constructor(readonly mcp: McpPeer) {}

  static async start(outside: Outside): Promise<SupportPeer> {
    const mcp = await McpPeer.start([
      { name: 'list_conversations', annotations: { readOnlyHint: true } },
      { name: 'send_note', annotations: { readOnlyHint: false } },
    ]);
    const peer = new SupportPeer(mcp);
    await outside.host('api.crisp.chat', (request, response) => peer.serve(request, response));
    return peer;
  }

  reset(): void {
    for (const list of [this.asked, this.faults]) list.length = 0;
    this.refusal = undefined;
    this.mcp.forget();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization = '', 'x-crisp-tier': tier } = request.headers;
    const keypair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const website = this.keypairs.get(`${String(tier)} ${keypair}`);
    if (request.url!.startsWith('/mcp')) {
      if (website !== undefined) return this.mcp.answer(request, response);
      return void response.writeHead(401).end();
    }
    this.asked.push(`${request.method} ${request.url}`);
    const { status, body } = this.refusal ?? this.answerTo(request, website);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private answerTo({ method, url, headers }: IncomingMessage, website: string | undefined) {
    if (method !== 'GET' || !headers['user-agent']) return this.fault(`${method} ${url}`);
    if (website === undefined) return refused(401, 'invalid_session');
    const { pathname, searchParams } = new URL(url!, 'https://api.crisp.chat');
    const [, id, page] = /^\/v1\/website\/([0-9a-f-]{36})(?:\/conversations\/([1-9][0-9]*))?$/.exec(pathname) ?? [];
    if (id === undefined) return this.fault(pathname);
    if (id !== website) return refused(404, 'website_not_found');
    if (page === undefined) return resolved({ website_id: id.toUpperCase(), name: 'Acme', domain: 'acme.example' });
    const unknown = [...searchParams.keys()].filter((name) => !FILTERS.has(name));
    if (unknown.length > 0) return this.fault(unknown.join());
    return resolved(this.page(Number(page), searchParams));
  }

  private page(page: number, query: URLSearchParams): readonly PeerConversation[] {
    const size = Number(query.get('per_page'));
    const [from, until] = [query.get('filter_date_start'), query.get('filter_date_end')];
    return this.conversations
      .filter(({ created_at: at }) => from === null || at >= Date.parse(from))
      .filter(({ created_at: at }) => until === null || at <= Date.parse(until))
      .filter(({ state }) => !query.has('filter_not_resolved') || state !== 'resolved')
      .toSorted((one, other) => other.created_at - one.created_at)
      .slice((page - 1) * size, page * size);
  }

  private fault(what: string) {
    this.faults.push(what);
    return refused(400, 'invalid_data');
  }
}

const FILTERS = new Set([
  'per_page',
  'include_empty',
  'order_date_created',
  'filter_date_start',
  'filter_date_end',
  'filter_not_resolved',
]);

function resolved(data: unknown) {
  return { status: 200, body: { error: false, reason: 'resolved', data } };
}

function refused(status: number, reason: string) {
  return { status, body: { error: true, reason, data: { message: 'CANARY-text' } } };
}
