import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration, Provider } from 'oidc-provider';
import { request } from 'undici';
import type { McpPeer } from './mcp-peer.ts';

const MOST_HOPS = 12;

/** A request as it came. */
export interface AuthorizationRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** Answers in the server's place where it returns true. */
type Answering = (asked: AuthorizationRequest, response: ServerResponse) => unknown;

/**
 * A real authorization server on this machine, which logs everybody in as the same person and lets them grant what they ask
 * for: registration, PKCE, resource indicators, `iss`, rotation with reuse detection, revocation.
 */
export class AuthorizationPeer {
  readonly requests: AuthorizationRequest[] = [];
  answering: Answering | undefined;
  /** Seconds that the next access token is good for. */
  accessSeconds = 3_600;
  /** Scopes that people grant, of those that are asked for; all unless said. */
  granted: readonly string[] | undefined;
  private provider!: Provider;

  private constructor(
    private readonly server: Server,
    private readonly more: Configuration,
  ) {
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      this.answer(req, res).catch(() => res.destroy());
    });
  }

  static async start(more: Configuration = {}): Promise<AuthorizationPeer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { default: Provided } = await quietly(() => import('oidc-provider'));
    const peer = new AuthorizationPeer(server, more);
    peer.provider = await quietly(async () => new Provided(peer.issuer, peer.configuration()));
    return peer;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How often a path was asked. */
  count(path: string): number {
    return this.requests.filter((each) => each.path === path).length;
  }

  /** Whether a token is one of this server, for a resource, and not over. */
  async accepts(token: string, resource: string): Promise<boolean> {
    const found = await this.provider.AccessToken.find(token);
    return found !== undefined && !found.isExpired && [found.aud].flat().includes(resource);
  }

  /** Makes an MCP server ask for tokens of this one. */
  guard(server: McpPeer, metadata: object = {}): void {
    const { origin, endpoint } = server;
    server.answering = async ({ path, headers }, response) => {
      if (path === '/.well-known/oauth-protected-resource/mcp') {
        const document = {
          resource: endpoint,
          authorization_servers: [this.issuer],
          scopes_supported: ['orders:read'],
        };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...document, ...metadata }));
        return true;
      }
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
      if (path === '/mcp' && token !== undefined && (await this.accepts(token, endpoint))) return false;
      const address = `${origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(path === '/mcp' ? 401 : 404, {
        'www-authenticate': `Bearer resource_metadata="${address}", scope="orders:read"`,
      });
      response.end();
      return true;
    };
  }

  /** Follows a browser's way from an address to the one at which it comes back, which it does not ask. */
  async authorize(address: string, until: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = address;
    for (let hops = 0; !url.startsWith(until); hops += 1) {
      if (hops === MOST_HOPS) throw new Error(`It never comes back: ${url}`);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const { headers, body, statusCode } = await request(url, { headers: { cookie } });
      const text = await body.text();
      if (headers.location === undefined) throw new Error(`${url} answered ${statusCode}: ${text}`);
      for (const each of [headers['set-cookie'] ?? []].flat()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
        cookies.set(name!, value!);
      }
      url = new URL(String(headers.location), url).href;
    }
    return url;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, this.issuer);
    const body = await bodyOf(req);
    const isForm = req.headers['content-type'] === 'application/x-www-form-urlencoded;charset=UTF-8';
    const form = new URLSearchParams(isForm ? body : '');
    const asked = { path: url.pathname, query: url.searchParams, form, headers: req.headers };
    this.requests.push(asked);
    if (this.answering && (await this.answering(asked, res)) === true) return;
    // The library takes what was read before it in this place.
    if (body !== '') Object.assign(req, { body: isForm ? Object.fromEntries(form) : JSON.parse(body) });
    if (!url.pathname.startsWith('/interaction/')) return quietly(() => this.provider.callback()(req, res));
    await this.provider.interactionFinished(req, res, { login: { accountId: 'ada' }, consent: {} });
  }

  private configuration(): Configuration {
    const peer = { accessSeconds: () => this.accessSeconds, granted: (scope: string) => this.grantedOf(scope) };
    return {
      cookies: { keys: ['CANARY-cookies-aN4vK9sQ2wR7'] },
      scopes: ['openid', 'offline_access', 'orders:read', 'orders:write'],
      claims: { email: ['email'] },
      conformIdTokenClaims: false,
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: `${sub}@acme.test` }) }),
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      issueRefreshToken: () => Promise.resolve(true),
      rotateRefreshToken: true,
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
        const { scope = '', resource } = oidc.params as { scope?: string; resource?: string };
        const granted = peer.granted(scope);
        grant.addOIDCScope(granted);
        grant.rejectOIDCScope(
          scope
            .split(' ')
            .filter((each) => !granted.includes(each))
            .join(' '),
        );
        if (resource !== undefined) grant.addResourceScope(resource, granted);
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, audience) => ({
            scope: 'orders:read orders:write',
            audience,
            accessTokenFormat: 'opaque',
          }),
        },
      },
      ttl: {
        AccessToken: () => peer.accessSeconds(),
        RefreshToken: 86_400,
        IdToken: 600,
        Session: 600,
        Interaction: 600,
        Grant: 86_400,
      },
      ...this.more,
    };
  }

  private grantedOf(scope: string): string {
    return scope
      .split(' ')
      .filter((each) => this.granted?.includes(each) ?? true)
      .join(' ');
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  return (await req.setEncoding('utf8').toArray()).join('');
}

/** Without the library's warnings that this is no server for production. */
async function quietly<T>(make: () => T | Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await make();
  } finally {
    console.warn = warn;
  }
}
