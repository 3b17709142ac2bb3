import * as oauth from 'oauth4webapi';
import type { AuthorizationServer } from '../authorization-server.ts';
import { type JsonObject, textOf } from '../documents.ts';
import { scopesIn } from '../scopes.ts';

/** What a token endpoint gave. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Null where it does not say it. */
  readonly expiresInSeconds: number | null;
  /** Null where it does not say it: then what was asked for. */
  readonly scopes: readonly string[] | null;
  readonly idToken: IdToken | null;
}

export interface IdToken {
  readonly subject: string;
  readonly email: string | null;
}

/** Why a token endpoint said nothing about the grant, in words of ours. */
export type LaterReason = 'no answer that can be read' | 'tokens that cannot be used' | 'another refusal';

/** What a token endpoint said; `later` is everything that says nothing about the grant. */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | { readonly kind: 'grant_refused' }
  | { readonly kind: 'client_refused' }
  | { readonly kind: 'later'; readonly retryAfterSeconds: number | null; readonly reason: LaterReason };

/** Who asks a token endpoint, and how. */
export interface TokenCaller {
  readonly server: AuthorizationServer;
  readonly clientSecret: string | null;
  readonly resource: string | null;
  readonly get: typeof fetch;
}

export interface CodeExchange {
  /** Of the callback, with `code`, `state` and whatever else came. */
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** Where an ID token was asked for. */
  readonly nonce: string | null;
}

const GRANT_REFUSED = new Set(['invalid_grant']);
const CLIENT_REFUSED = new Set(['invalid_client', 'unauthorized_client']);
const MOST_TEXT = 8_192;
const MOST_WAIT_SECONDS = 3_600;

/**
 * Checks that a callback's answer comes from the server that was asked (RFC 9207), before anything else of it is believed.
 * Throws where it does not; false where the answer is an error.
 */
export function isApproval(server: AuthorizationServer, parameters: URLSearchParams, state: string): boolean {
  try {
    oauth.validateAuthResponse(serverOf(server), clientOf(server), parameters, state);
    return true;
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) return false;
    throw error;
  }
}

/** Exchanges a code. Throws where an answer of 200 is not what was asked for. */
export async function exchangeCode(caller: TokenCaller, exchange: CodeExchange): Promise<TokenAnswer> {
  const { server, get } = caller;
  const { parameters, state, redirectUri, verifier, nonce } = exchange;
  const approved = oauth.validateAuthResponse(serverOf(server), clientOf(server), parameters, state);
  return answered(async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      serverOf(server),
      clientOf(server),
      authOf(caller),
      approved,
      redirectUri,
      verifier,
      { ...options(server.tokenEndpoint, get), ...resourceOf(caller) },
    );
    if (response.status !== 200) return response;
    const readable = nonce === null ? await withoutIdToken(response) : response;
    const expected = nonce === null ? {} : { expectedNonce: nonce, requireIdToken: true };
    return oauth.processAuthorizationCodeResponse(serverOf(server), clientOf(server), readable, expected);
  });
}

export async function refreshTokens(caller: TokenCaller, refreshToken: string): Promise<TokenAnswer> {
  const { server, get } = caller;
  return answered(async () => {
    const response = await oauth.refreshTokenGrantRequest(
      serverOf(server),
      clientOf(server),
      authOf(caller),
      refreshToken,
      { ...options(server.tokenEndpoint, get), ...resourceOf(caller) },
    );
    if (response.status !== 200) return response;
    const readable = await withoutIdToken(response);
    return oauth.processRefreshTokenResponse(serverOf(server), clientOf(server), readable);
  });
}

/** Revokes what a token stands for; whether it is gone now. */
export async function revokeToken(caller: TokenCaller, address: string, token: string, hint: string): Promise<boolean> {
  const { server, get } = caller;
  try {
    const response = await oauth.revocationRequest(
      { ...serverOf(server), revocation_endpoint: address },
      clientOf(server),
      authOf(caller),
      token,
      { ...options(address, get), additionalParameters: { token_type_hint: hint } },
    );
    if (response.status === 200) {
      await response.body?.cancel();
      return true;
    }
    // What is already gone.
    return response.status === 400 && (await errorIn(response)) === 'invalid_token';
  } catch {
    return false;
  }
}

/** Registers the service with an issuer; undefined where it is refused. Throws where there is no answer. */
export async function registerClient(
  address: string,
  issuer: string,
  metadata: Readonly<Record<string, unknown>>,
  get: typeof fetch,
): Promise<JsonObject | undefined> {
  const response = await oauth.dynamicClientRegistrationRequest(
    { issuer, registration_endpoint: address },
    metadata as Partial<oauth.OmitSymbolProperties<oauth.Client>>,
    options(address, get),
  );
  if (response.status !== 201 && response.status !== 200) {
    await response.body?.cancel();
    if (response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status)) return undefined;
    throw new TypeError('the registration was not answered');
  }
  const answer: unknown = JSON.parse(await response.text());
  const isNamed = typeof answer === 'object' && answer !== null && textOf(answer as JsonObject, 'client_id');
  if (!isNamed) throw new TypeError('the registration has no client');
  return answer as JsonObject;
}

async function answered(ask: () => Promise<Response | oauth.TokenEndpointResponse>): Promise<TokenAnswer> {
  let answer: Response | oauth.TokenEndpointResponse;
  try {
    answer = await ask();
  } catch (error) {
    // Nobody answered, or not with tokens. Messages of the library hold what came, so they go no further.
    return { kind: 'later', retryAfterSeconds: null, reason: reasonOf(error) };
  }
  if (!(answer instanceof Response)) return tokensIn(answer);
  const { status, headers } = answer;
  const retryAfterSeconds = secondsIn(headers.get('retry-after'));
  const error = await errorIn(answer);
  if (status >= 500 || status === 408 || status === 429 || error === undefined)
    return { kind: 'later', retryAfterSeconds, reason: 'no answer that can be read' };
  if (GRANT_REFUSED.has(error)) return { kind: 'grant_refused' };
  if (CLIENT_REFUSED.has(error)) return { kind: 'client_refused' };
  return { kind: 'later', retryAfterSeconds, reason: 'another refusal' };
}

/** The library reads tokens itself; what it does not know how to use, such as another type of tokens, it calls so. */
function reasonOf(error: unknown): LaterReason {
  return error instanceof oauth.UnsupportedOperationError ? 'tokens that cannot be used' : 'no answer that can be read';
}

function tokensIn(answer: oauth.TokenEndpointResponse): TokenAnswer {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = answer;
  const isUsable = type === 'bearer' && isHeaderText(accessToken) && (refreshToken?.length ?? 0) <= MOST_TEXT;
  if (!isUsable) return { kind: 'later', retryAfterSeconds: null, reason: 'tokens that cannot be used' };
  const claims = oauth.getValidatedIdTokenClaims(answer);
  const expiresIn = answer.expires_in;
  return {
    kind: 'tokens',
    tokens: {
      accessToken,
      refreshToken: refreshToken === undefined || refreshToken === '' ? null : refreshToken,
      expiresInSeconds: expiresIn === undefined || !Number.isFinite(expiresIn) ? null : Math.min(expiresIn, 31_536_000),
      scopes: answer.scope === undefined ? null : scopesIn(answer.scope),
      idToken: claims ? { subject: claims.sub, email: textOf(claims, 'email') ?? null } : null,
    },
  };
}

/** A token that can stand in a header. */
function isHeaderText(text: string): boolean {
  return text.length > 0 && text.length <= MOST_TEXT && /^[\x21-\x7e]+$/.test(text);
}

async function errorIn(response: Response): Promise<string | undefined> {
  try {
    const body: unknown = JSON.parse(await response.text());
    return typeof body === 'object' && body !== null ? textOf(body as JsonObject, 'error') : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds to wait, as a number or as a date. */
function secondsIn(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), MOST_WAIT_SECONDS) : null;
}

/** An ID token that nobody asked for proves nothing here, so it is not looked at, however it is signed. */
async function withoutIdToken(response: Response): Promise<Response> {
  const body: unknown = JSON.parse(await response.text());
  const { id_token: _, ...rest } = (body ?? {}) as Record<string, unknown>;
  return Response.json(rest);
}

function serverOf(server: AuthorizationServer): oauth.AuthorizationServer {
  return {
    issuer: server.issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    authorization_response_iss_parameter_supported: server.namesItself,
  };
}

function clientOf({ client }: AuthorizationServer): oauth.Client {
  return { client_id: client.clientId };
}

function authOf({ server, clientSecret }: TokenCaller): oauth.ClientAuth {
  const { authMethod } = server.client;
  if (authMethod === 'none' || clientSecret === null) return oauth.None();
  return authMethod === 'client_secret_post' ? oauth.ClientSecretPost(clientSecret) : basic(clientSecret);
}

/**
 * As the library's, but with `-`, `.` and `_` left as they are, which a form allows too: servers that forget to decode what
 * clients had to encode know such ids and secrets then.
 */
function basic(clientSecret: string): oauth.ClientAuth {
  const encoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  return (_server, client, _body, headers) => {
    const pair = `${encoded(client.client_id)}:${encoded(clientSecret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

/** Only a trial's local peers are reached in the clear, which the way out judges. */
function options(address: string, get: typeof fetch) {
  return {
    [oauth.customFetch]: get as (url: string, init: object) => Promise<Response>,
    [oauth.allowInsecureRequests]: address.startsWith('http:'),
  };
}

function resourceOf({ resource }: TokenCaller) {
  return resource === null ? {} : { additionalParameters: { resource } };
}
