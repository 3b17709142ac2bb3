import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.ts';
import type { TestApp } from '../support/test-app.ts';

/** As much of JSON Schema as the contract tests walk through. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly additionalProperties?: boolean;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly description?: string;
  /** Of a parameter in the query. */
  readonly example?: string | number;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: { readonly error: { readonly code: string } } }>>;
}

interface EventMedia {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
}

interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> };
  readonly 'x-scope'?: string;
  readonly 'x-role'?: string;
  readonly responses: Readonly<Record<string, Response>>;
}

const EVENTS = 'text/event-stream';

export interface Document {
  readonly openapi: string;
  readonly servers?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Described['responses'];
  };
}

export const OCTETS = 'application/octet-stream';
/** What is uploaded where an operation takes bytes. */
export const UPLOADED = 'bytes of a test';

/** One operation of the OpenAPI document, read once for all tests that are generated from it. */
export class Operation {
  readonly described: Described;
  readonly method: string;
  readonly path: string;

  constructor(method: string, path: string, described: Described) {
    this.method = method.toUpperCase();
    this.path = path;
    this.described = described;
  }

  get name(): string {
    return `${this.method} ${this.path}`;
  }

  get isPublic(): boolean {
    return this.schemes.length === 0;
  }

  get schemes(): readonly string[] {
    return (this.described.security ?? []).flatMap((each) => Object.keys(each));
  }

  /** The scope that it takes, of an owner's token or of the message behind a turn. */
  get scope(): string | undefined {
    return this.described['x-scope'];
  }

  /** The least role of a member that may call it. */
  get role(): string | undefined {
    return this.described['x-role'];
  }

  get body(): Media | undefined {
    return this.described.requestBody?.content['application/json'];
  }

  /** Whether it takes a file instead of JSON. */
  get takesBytes(): boolean {
    return this.described.requestBody?.content[OCTETS] !== undefined;
  }

  /** Whether it serves a file, or the headers of one, instead of an envelope. */
  get servesBytes(): boolean {
    return this.described.responses['206'] !== undefined;
  }

  /** Whether it shows a picture, or the headers of one, instead of an envelope. */
  get showsPicture(): boolean {
    const { responses } = this.described;
    return responses['200'] !== undefined && responses['204'] !== undefined;
  }

  /** What it streams instead of an envelope. */
  get events(): EventMedia | undefined {
    return this.described.responses['200']?.content?.[EVENTS] as EventMedia | undefined;
  }

  /** The text that it answers instead of an envelope. */
  get text(): Media | undefined {
    return this.described.responses['200']?.content?.['text/plain; version=0.0.4'];
  }

  /** Whether it answers a person's browser instead of a program. */
  get showsPage(): boolean {
    return this.described.responses['200']?.content?.['text/html'] !== undefined;
  }

  /** Whether it answers a JSON document of its own. */
  get isDocument(): boolean {
    return this.path.endsWith('.json');
  }

  /** Whether its messages are JSON-RPC, errors too. */
  get isJsonRpc(): boolean {
    const { schema } = this.described.responses['200']?.content?.['application/json'] ?? {};
    return schema?.$ref === '#/components/schemas/JsonRpcResponse';
  }

  /** Whether it passes on what others speak; its errors are lines of text, which tests of its own look at. */
  get isStream(): boolean {
    return this.described.responses['401']?.content?.['text/plain'] !== undefined;
  }

  /** What an error says, wherever it says it. */
  errorIn({ body }: Pick<Answer, 'body'>): { readonly code: string; readonly issues?: readonly unknown[] } {
    return this.isJsonRpc ? body.error.data : body.error;
  }

  /** Whether it answers in the envelope. */
  get isEnveloped(): boolean {
    const isOther = this.servesBytes || this.showsPicture || this.showsPage || this.isDocument || this.isJsonRpc;
    return !isOther && !this.isStream && !this.events && !this.text && this.hasAnswerBody;
  }

  /** Whether only a browser, or the server of somebody else, makes a success of it. */
  get needsOthers(): boolean {
    return (
      /\/oauth\/(workspace|mcp)\/|\/\{integrationRef\}\/(payments-provider|document-db|web-analytics)\//.test(
        this.path,
      ) ||
      this.isDocument ||
      this.isStream
    );
  }

  /** Whether errors can say what they are. */
  get hasAnswerBody(): boolean {
    return this.method !== 'HEAD' && !this.isStream;
  }

  /** Path parameters as `<segment before it>/{<name>}`, by which fixtures are found. */
  get parameters(): readonly { readonly key: string; readonly name: string }[] {
    const segments = this.path.split('/');
    return segments.flatMap((segment, index) =>
      segment.startsWith('{') ? [{ key: `${segments[index - 1]}/${segment}`, name: segment.slice(1, -1) }] : [],
    );
  }

  /** The query that it insists on as it is shown, numbers as small as they may be. `others` replaces and adds to it. */
  query(others: Readonly<Record<string, string>> = {}): string {
    const parameters = (this.described.parameters ?? []).filter((each) => each.in === 'query');
    const values = parameters.map(({ name, required, schema }) => {
      const shown = required ? encodeURIComponent(schema.example ?? schema.minimum ?? 0) : undefined;
      return [name, others[name] ?? shown] as const;
    });
    return values.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`)).join('&');
  }

  get ofOrganization(): boolean {
    return this.path.includes('{organizationId}');
  }

  /** Every success status with its shape. */
  get successes(): readonly { readonly status: number; readonly media: Media | undefined }[] {
    return (
      Object.entries(this.described.responses)
        // 206 is a part of what 200 is, and 204 that there is no picture.
        .filter(([status]) => status.startsWith('2') && status !== '206' && !(status === '204' && this.showsPicture))
        .map(([status, response]) => ({ status: Number(status), media: response.content?.['application/json'] }))
    );
  }

  /** The success of a first call: a route that creates may also answer 200 with what is there already. */
  get success(): { readonly status: number; readonly media: Media | undefined } {
    // What may leave something unfinished answers 202 then.
    const { successes } = this;
    return successes.find((_, place) => successes[place + 1]?.status === 202) ?? successes.at(-1)!;
  }

  /** The code that an error has on this route: its family's, where the route is of one. */
  code(plain: string): string {
    const invalid = this.described.responses['400']?.content?.['application/json']?.examples ?? {};
    return Object.values(invalid).some(({ value }) => value.error.code === 'request_failed') ? 'request_failed' : plain;
  }

  send(
    client: Client,
    path: string,
    body: unknown = this.takesBytes ? UPLOADED : this.body?.example,
    headers = {},
  ): Promise<Answer> {
    const takesKey = this.described.parameters?.some(({ name }) => name === 'Idempotency-Key');
    const all = {
      ...(takesKey ? { 'idempotency-key': randomUUID() } : {}),
      // Wrong credentials are counted by address.
      'x-forwarded-for': randomUUID(),
      ...(body === UPLOADED ? { 'content-type': OCTETS } : {}),
      ...(this.isJsonRpc ? { accept: 'application/json, text/event-stream' } : {}),
      ...headers,
    };
    return this.events ? client.peek(path, all) : client.send(this.method, path, body, all);
  }
}

/** The operations of a document, each with the shared responses in place of the references to them. */
export function operationsOf({ paths, components }: Document): Operation[] {
  const resolved = (response: Response) =>
    response.$ref === undefined ? response : components.responses[response.$ref.split('/').at(-1)!]!;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const responses = Object.entries(described.responses).map(([status, each]) => [status, resolved(each)] as const);
      return new Operation(method, path, { ...described, responses: Object.fromEntries(responses) });
    }),
  );
}

export async function documentOf(app: TestApp): Promise<Document> {
  return (await app.anonymous.get('/docs-json')).body as Document;
}

/** An envelope without what differs from call to call. */
export function withoutMeta({ status, body }: Answer): unknown {
  const { meta: _meta, ...rest } = (body ?? {}) as Record<string, unknown>;
  return { status, ...rest };
}

/** So that all succeed on one estate: reads before writes, deletions last, the organization's own at the very end. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ method, path }: Operation) =>
    method === 'DELETE' ? 1_000 - path.length : ['GET', 'POST', 'PUT', 'PATCH'].indexOf(method);
  return [...operations].sort((a, b) => rank(a) - rank(b));
}
