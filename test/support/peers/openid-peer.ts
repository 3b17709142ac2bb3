import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import { Agent, request } from 'undici';
import { Authority } from './authority.ts';

/** The client through which people log in; their ID tokens have it as audience. */
export const LOGIN_CLIENT = 'business-runner';
/** The API for which access tokens are made. */
export const API = 'https://runner.test/api';
const MACHINE = { id: 'nightly-report', secret: 'CANARY-client-pL4hJ6yR1cF9dS0g' };
const MOST_HOPS = 10;
const CALLBACK = 'https://runner.test/callback';

export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly jwk: JWK;
}

/** Makes a key pair; the private half stays with the provider and the tests that sign as the provider. */
export async function signingKey(alg: string, kid: string = randomUUID()): Promise<SigningKey> {
  const curve = alg === 'EdDSA' ? { crv: 'Ed25519' } : {};
  const { privateKey } = await generateKeyPair(alg, { extractable: true, ...curve });
  return { alg, kid, jwk: { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' } };
}

/** Answers in the provider's place; may also do nothing. */
export type Answering = (req: IncomingMessage, res: ServerResponse) => void;

/** An OpenID provider on TLS, which logs in everybody who names themselves, and can be made to misbehave. */
export class OpenIdPeer {
  /** Paths of all requests so far. */
  readonly requests: string[] = [];
  /** Undefined while the provider itself answers. */
  answering: Answering | undefined;
  private provider!: Provider;
  private readonly agent: Agent;

  private constructor(
    private readonly server: Server,
    private readonly authority: string,
    private readonly Provided: typeof Provider,
    private keys: readonly SigningKey[],
  ) {
    this.agent = new Agent({ connect: { ca: authority } });
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void this.answer(req, res));
  }

  static async start(...keys: SigningKey[]): Promise<OpenIdPeer> {
    const authority = await Authority.create();
    const server = createServer(await authority.identity(['127.0.0.1'])).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { default: Provided } = await quietly(() => import('oidc-provider'));
    const peer = new OpenIdPeer(server, authority.pem, Provided, keys);
    peer.rotate(...keys);
    return peer;
  }

  get issuer(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The settings of a service that trusts this provider. */
  environment(): Record<string, string> {
    const authority = join(process.env.TEST_FOLDER!, `${randomUUID()}.pem`);
    writeFileSync(authority, this.authority);
    return {
      // Only a trial may have a provider on its own machine.
      DATABASE_URL: '',
      EGRESS_LOCAL_PEERS: this.issuer,
      EGRESS_LOCAL_CA_FILE: authority,
      OIDC_ISSUER: this.issuer,
      OIDC_AUDIENCE: `${LOGIN_CLIENT}, ${API}`,
    };
  }

  /** How often somebody read the keys. */
  get keyReads(): number {
    return this.requests.filter((path) => path === '/jwks').length;
  }

  keyOf(alg: string): SigningKey {
    return this.keys.find((key) => key.alg === alg)!;
  }

  /** Goes on with these keys, of which the first signs. */
  rotate(...keys: SigningKey[]): void {
    this.keys = keys;
    this.provider = quietly(() => new this.Provided(this.issuer, configurationOf(keys)));
  }

  /** The tokens of a person who logs in by authorization code and PKCE. */
  async login(sub: string, scope = 'openid profile'): Promise<{ idToken: string; accessToken: string }> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: LOGIN_CLIENT,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: `${scope} api`,
      resource: API,
      login_hint: sub,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const code = await this.follow(`${this.issuer}/auth?${query.toString()}`);
    const answer = await this.token({
      grant_type: 'authorization_code',
      client_id: LOGIN_CLIENT,
      redirect_uri: CALLBACK,
      code,
      code_verifier: verifier,
    });
    return { idToken: answer.id_token!, accessToken: answer.access_token };
  }

  /** The access token of a program, by client credentials. */
  async machineToken(): Promise<string> {
    const grant = { grant_type: 'client_credentials', scope: 'api', resource: API };
    return (await this.token({ ...grant, client_id: MACHINE.id, client_secret: MACHINE.secret })).access_token;
  }

  /** A token as the provider would make it, with whatever else it shall say. */
  async sign(claims: JWTPayload = {}, header: object = {}, key = this.keys[0]!): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const usual = { iss: this.issuer, aud: LOGIN_CLIENT, sub: 'ada', iat: nowSeconds, exp: nowSeconds + 600 };
    return new SignJWT({ ...usual, secret: 'CANARY-claim-aE3kQ3vT8nB5xW2m', ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
      .sign(await importJWK(key.jwk, key.alg));
  }

  /** Takes connections no more, and ends those that are open. */
  async stop(): Promise<void> {
    await this.agent.close();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url!.split('?', 1)[0]!;
    this.requests.push(path);
    if (this.answering) return this.answering(req, res);
    if (!path.startsWith('/interaction/')) return void this.provider.callback()(req, res);
    const { params } = await this.provider.interactionDetails(req, res);
    await this.provider.interactionFinished(req, res, { login: { accountId: String(params.login_hint) } });
  }

  /** Follows redirects as a browser does, with its cookies, to the code at the client's address. */
  private async follow(start: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = start;
    for (let hops = 0; !url.startsWith(CALLBACK) && hops < MOST_HOPS; hops += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const { headers, body, statusCode } = await request(url, { headers: { cookie }, dispatcher: this.agent });
      const text = await body.text();
      if (headers.location === undefined) throw new Error(`${url} answered ${statusCode}: ${text}`);
      for (const each of [headers['set-cookie'] ?? []].flat()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
        cookies.set(name!, value!);
      }
      url = new URL(String(headers.location), url).href;
    }
    const code = new URL(url).searchParams.get('code');
    if (code === null) throw new Error(`No code: ${url}`);
    return code;
  }

  private async token(form: Record<string, string>): Promise<{ id_token?: string; access_token: string }> {
    const { statusCode, body } = await request(`${this.issuer}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      dispatcher: this.agent,
    });
    const answer = await body.json();
    if (statusCode !== 200) throw new Error(`No token: ${JSON.stringify(answer)}`);
    return answer as { id_token?: string; access_token: string };
  }
}

function configurationOf(keys: readonly SigningKey[]): Configuration {
  const [{ alg }] = keys as [SigningKey];
  return {
    jwks: { keys: keys.map(({ jwk }) => jwk) as never },
    cookies: { keys: ['CANARY-cookies-xT5nV8qW1rB7'] },
    clients: [
      {
        client_id: LOGIN_CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [CALLBACK],
        id_token_signed_response_alg: alg as 'RS256',
      },
      {
        client_id: MACHINE.id,
        client_secret: MACHINE.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
    claims: { profile: ['name'] },
    // Puts the claims of a person into the ID token, as most providers do.
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, name: `Name of ${sub}` }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid profile');
      grant.addResourceScope(API, 'api');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'api',
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: alg as 'RS256' } },
        }),
      },
    },
    ttl: { AccessToken: 600, IdToken: 600, ClientCredentials: 600, Session: 600, Interaction: 600, Grant: 600 },
  };
}

/** Without the library's warnings that this is no provider for production. */
function quietly<T>(make: () => T): T {
  const { warn } = console;
  console.warn = () => undefined;
  const restore = () => (console.warn = warn);
  const made = make();
  if (made instanceof Promise) void made.finally(restore);
  else restore();
  return made;
}
