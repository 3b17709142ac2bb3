import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpPeer } from './mcp-peer.ts';

const CONSUMER = { key: 'runner', secret: 'CANARY-consumer-4Wk8Zr1Lq6' };

/** A provider that speaks OAuth 1.0a with HMAC-SHA1, on this machine; it believes nothing that is not signed. */
export class OAuth1Peer {
  /** Whether it says that it took the callback. */
  confirmsCallback = true;
  /** Signed requests that it took, by path. */
  readonly taken: string[] = [];
  private readonly requestTokens = new Map<string, { secret: string; callback: string; verifier: string }>();
  private readonly tokens = new Map<string, string>();
  private readonly nonces = new Set<string>();

  private constructor(private readonly server: Server) {
    server.on('request', (req, res) => {
      const answer = this.answerTo(req);
      res.writeHead(answer === undefined ? 401 : 200, { 'content-type': 'application/x-www-form-urlencoded' });
      res.end(answer);
    });
  }

  static async start(): Promise<OAuth1Peer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OAuth1Peer(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The client as `MCP_OAUTH_CLIENTS` has it. */
  client(server: McpPeer): object {
    return {
      kind: 'oauth1',
      origin: server.origin,
      requestTokenUrl: `${this.origin}/request?scope=all%20of%20it`,
      authorizationUrl: `${this.origin}/authorize`,
      accessTokenUrl: `${this.origin}/access`,
      consumerKey: CONSUMER.key,
      consumerSecret: CONSUMER.secret,
    };
  }

  /** Makes an MCP server take requests that are signed with a token of this provider. */
  guard(server: McpPeer): void {
    server.answering = ({ path, headers }, response) => {
      const { authorization = '' } = headers;
      if (this.isSigned('POST', `${server.origin}${path}`, authorization, this.tokens)) return false;
      response.writeHead(401).end();
      return true;
    };
  }

  /** Approves a request token, as a person would; answers where the browser goes. */
  approve(authorizationUrl: string): string {
    const key = new URL(authorizationUrl).searchParams.get('oauth_token')!;
    const { callback, verifier } = this.requestTokens.get(key)!;
    const url = new URL(callback);
    url.searchParams.set('oauth_token', key);
    url.searchParams.set('oauth_verifier', verifier);
    return url.href;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answerTo({ url, headers }: IncomingMessage): string | undefined {
    const { authorization = '' } = headers;
    const address = `${this.origin}${url}`;
    const own = parametersOf(authorization);
    const secrets = new Map([...this.requestTokens].map(([key, { secret }]) => [key, secret]));
    if (!this.isSigned('POST', address, authorization, secrets)) return undefined;
    this.taken.push(new URL(address).pathname);
    if (url!.startsWith('/request')) return this.requestToken(own.get('oauth_callback')!);
    const asked = this.requestTokens.get(own.get('oauth_token') ?? '');
    if (!asked || asked.verifier !== own.get('oauth_verifier')) return undefined;
    const [key, secret] = [randomUUID(), `CANARY-secret-${randomUUID()}`];
    this.tokens.set(key, secret);
    return new URLSearchParams({ oauth_token: key, oauth_token_secret: secret }).toString();
  }

  private requestToken(callback: string): string {
    const [key, secret] = [randomUUID(), `CANARY-request-${randomUUID()}`];
    this.requestTokens.set(key, { secret, callback, verifier: randomUUID() });
    const confirmed: Record<string, string> = this.confirmsCallback ? { oauth_callback_confirmed: 'true' } : {};
    return new URLSearchParams({ oauth_token: key, oauth_token_secret: secret, ...confirmed }).toString();
  }

  /** As RFC 5849 has it (3.4), and never twice. */
  private isSigned(method: string, address: string, header: string, secrets: ReadonlyMap<string, string>): boolean {
    const given = parametersOf(header);
    const nonce = given.get('oauth_nonce') ?? '';
    const token = given.get('oauth_token');
    const secret = token === undefined ? '' : secrets.get(token);
    if (secret === undefined || nonce === '' || this.nonces.has(nonce)) return false;
    this.nonces.add(nonce);
    const url = new URL(address);
    const pairs = [...given, ...url.searchParams].filter(([name]) => name !== 'oauth_signature');
    const normalized = pairs
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted((one, other) => (one < other ? -1 : 1))
      .join('&');
    const base = [method, encoded(url.origin + url.pathname), encoded(normalized)].join('&');
    const key = `${encoded(CONSUMER.secret)}&${encoded(secret)}`;
    return given.get('oauth_signature') === createHmac('sha1', key).update(base).digest('base64');
  }
}

function parametersOf(header: string): Map<string, string> {
  const pairs = [...header.matchAll(/(oauth_\w+)="([^"]*)"/g)];
  return new Map(pairs.map(([, name, value]) => [name!, decodeURIComponent(value!)]));
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
