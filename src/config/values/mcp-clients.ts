import { unusable } from './setting.ts';

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthMethod = (typeof AUTH_METHODS)[number];
const SIGNATURE_METHODS = ['HMAC-SHA1', 'HMAC-SHA256'] as const;
export type SignatureMethod = (typeof SIGNATURE_METHODS)[number];

/** What the deployment is called at an authorization server of MCP servers. */
export interface McpOAuth2Client {
  readonly kind: 'oauth2';
  /** Exactly as the server's metadata have it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly authMethod: ClientAuthMethod;
}

/** What the deployment is called at a provider that speaks OAuth 1.0a, which has no discovery. */
export interface McpOAuth1Client {
  readonly kind: 'oauth1';
  /** Of the endpoints that are authorized there. */
  readonly origin: string;
  readonly requestTokenUrl: string;
  readonly authorizationUrl: string;
  readonly accessTokenUrl: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly signatureMethod: SignatureMethod;
}

export type McpClient = McpOAuth2Client | McpOAuth1Client;

const MOST = 100;
const TEXT = /^[\x21-\x7e]{1,2000}$/;

/** Parses a JSON array of clients. Names what is wrong by place and property, never by its value. */
export function mcpClients(text: string | undefined): readonly McpClient[] {
  if (text === undefined) return [];
  const given = parsed(text);
  if (!Array.isArray(given) || given.length > MOST) unusable(`must be a JSON array of at most ${MOST} clients`);
  const clients = (given as unknown[]).map(clientAt);
  const places = clients.map(placeOf);
  const repeated = places.findIndex((place, index) => places.indexOf(place) !== index);
  if (repeated !== -1) unusable(`names the place of client ${repeated} twice; an issuer or origin has one client`);
  return clients;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unusable('is not JSON; write it like [{"issuer": "https://…", "clientId": "…", "clientSecret": "…"}]');
  }
}

function placeOf(client: McpClient): string {
  return client.kind === 'oauth1' ? `origin ${client.origin}` : `issuer ${client.issuer}`;
}

function clientAt(given: unknown, index: number): McpClient {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) unusable(`has no object as client ${index}`);
  const fields = new Fields(given as Record<string, unknown>, index);
  const client = fields.oneOf('kind', ['oauth2', 'oauth1'], 'oauth2') === 'oauth1' ? oauth1(fields) : oauth2(fields);
  fields.requireAllKnown();
  return client;
}

function oauth2(fields: Fields): McpOAuth2Client {
  const clientSecret = fields.optionalText('clientSecret');
  const authMethod = fields.oneOf(
    'authMethod',
    AUTH_METHODS,
    clientSecret === undefined ? 'none' : 'client_secret_basic',
  );
  if ((authMethod === 'none') !== (clientSecret === undefined))
    fields.refuse('authMethod', 'does not fit clientSecret');
  return {
    kind: 'oauth2',
    issuer: fields.address('issuer'),
    clientId: fields.text('clientId'),
    clientSecret,
    authMethod,
  };
}

function oauth1(fields: Fields): McpOAuth1Client {
  const origin = fields.address('origin');
  if (new URL(origin).origin !== origin) fields.refuse('origin', 'must be an origin without a path');
  return {
    kind: 'oauth1',
    origin,
    requestTokenUrl: fields.address('requestTokenUrl'),
    authorizationUrl: fields.address('authorizationUrl'),
    accessTokenUrl: fields.address('accessTokenUrl'),
    consumerKey: fields.text('consumerKey'),
    consumerSecret: fields.text('consumerSecret'),
    signatureMethod: fields.oneOf('signatureMethod', SIGNATURE_METHODS, 'HMAC-SHA1'),
  };
}

/** The properties of one client. */
class Fields {
  private readonly read = new Set<string>();

  private readonly given: Readonly<Record<string, unknown>>;
  private readonly index: number;

  constructor(given: Readonly<Record<string, unknown>>, index: number) {
    this.given = given;
    this.index = index;
  }

  optionalText(name: string): string | undefined {
    this.read.add(name);
    const value = this.given[name];
    if (value === undefined) return undefined;
    return typeof value === 'string' && TEXT.test(value) ? value : this.refuse(name, 'must be printable text');
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.refuse(name, 'is missing');
  }

  address(name: string): string {
    const text = this.text(name);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash)
      this.refuse(name, 'must be an https address without credentials and fragment');
    return text;
  }

  oneOf<const Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
    const text = this.optionalText(name);
    if (text === undefined) return fallback;
    return values.find((value) => value === text) ?? this.refuse(name, `must be one of ${values.join(', ')}`);
  }

  requireAllKnown(): void {
    for (const name of Object.keys(this.given)) if (!this.read.has(name)) this.refuse(name.slice(0, 40), 'is unknown');
  }

  refuse(name: string, problem: string): never {
    return unusable(`has a client ${this.index} whose "${name}" ${problem}`);
  }
}
