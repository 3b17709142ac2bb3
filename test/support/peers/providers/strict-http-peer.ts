import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to a peer, as it came. */
export interface PeerRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Parsed, where it is JSON. */
  readonly body: unknown;
}

export interface PeerAnswer {
  readonly status?: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers in the peer's place where it returns something. */
export type PeerOverride = (request: PeerRequest, response: ServerResponse) => PeerAnswer | true | undefined;

/** What a request has that the sheet of its provider does not know. */
export class UnknownPart extends Error {}

/**
 * An HTTP service of a provider's shape that fails closed: what its sheet does not know is a fault, which the test asserts to
 * be none, and a 400.
 */
export abstract class StrictHttpPeer {
  readonly requests: PeerRequest[] = [];
  readonly faults: string[] = [];
  override: PeerOverride | undefined;

  readonly answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url!, `https://${incoming.headers.host}`);
    const raw = await text(incoming);
    const isJson = incoming.headers['content-type'] === 'application/json';
    const request = {
      method: incoming.method!,
      host: url.hostname,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: isJson ? (JSON.parse(raw) as unknown) : raw,
    };
    this.requests.push(request);
    const own = this.override?.(request, response);
    if (own === true) return;
    const { status = 200, body = {}, headers = {} } = own ?? this.known(request);
    const type = typeof body === 'string' ? {} : { 'content-type': 'application/json; charset=UTF-8' };
    response.writeHead(status, { ...type, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

  forget(): void {
    this.requests.length = 0;
    this.override = undefined;
  }

  /** Requests to a path, or to those that begin with it where it ends in a star. */
  count(path: string): number {
    return this.requests.filter((each) =>
      path.endsWith('*') ? each.path.startsWith(path.slice(0, -1)) : each.path === path,
    ).length;
  }

  protected abstract reply(request: PeerRequest): PeerAnswer;

  private known(request: PeerRequest): PeerAnswer {
    try {
      return this.reply(request);
    } catch (error) {
      if (!(error instanceof UnknownPart)) throw error;
      this.faults.push(`${request.method} ${request.host}${request.path}: ${error.message}`);
      return { status: 400, body: { error: { code: 400, message: error.message } } };
    }
  }
}

/** Refuses parameters of a query that are not these, and all that are given twice. */
export function requireQuery(query: URLSearchParams, ...known: readonly string[]): void {
  const names = [...query.keys()];
  for (const name of names)
    if (!known.includes(name) || names.indexOf(name) !== names.lastIndexOf(name))
      throw new UnknownPart(`the query has ${name}`);
}

/** Refuses members of an object that are not these. */
export function requireMembers(value: unknown, ...known: readonly string[]): void {
  for (const name of Object.keys(value as object))
    if (!known.includes(name)) throw new UnknownPart(`the body has ${name}`);
}
