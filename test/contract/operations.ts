import { createHash, randomUUID } from 'node:crypto';
import { type Answer, type Client, organizationOf } from '../support/client.ts';
import { createTask } from '../support/tasks.ts';
import type { TestApp } from '../support/test-app.ts';
import { createSchedule } from '../support/schedules.ts';
import { LEASED_CALLS } from './leased-calls.ts';
import { type StartedRun, startedRun } from '../support/work.ts';

/** As much of JSON Schema as the contract tests walk through. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean;
  readonly minimum?: number;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: { readonly error: { readonly code: string } } }>>;
}

interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

export interface Document {
  readonly openapi: string;
  readonly servers?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const OCTETS = 'application/octet-stream';
/** What is uploaded where an operation takes bytes. */
const UPLOADED = 'bytes of a test';

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

  /** Whether errors can say what they are. */
  get hasAnswerBody(): boolean {
    return this.method !== 'HEAD';
  }

  /** Path parameters as `<segment before it>/{<name>}`, by which fixtures are found. */
  get parameters(): readonly { readonly key: string; readonly name: string }[] {
    const segments = this.path.split('/');
    return segments.flatMap((segment, index) =>
      segment.startsWith('{') ? [{ key: `${segments[index - 1]}/${segment}`, name: segment.slice(1, -1) }] : [],
    );
  }

  /** The query that it insists on: numbers, as small as they may be. */
  get query(): string {
    const needed = (this.described.parameters ?? []).filter((each) => each.in === 'query' && each.required);
    return needed.map(({ name, schema }) => `${name}=${schema.minimum ?? 0}`).join('&');
  }

  get ofOrganization(): boolean {
    return this.path.includes('{organizationId}');
  }

  /** Every success status with its shape. */
  get successes(): readonly { readonly status: number; readonly media: Media | undefined }[] {
    return (
      Object.entries(this.described.responses)
        // 206 is a part of what 200 is.
        .filter(([status]) => status.startsWith('2') && status !== '206')
        .map(([status, response]) => ({ status: Number(status), media: response.content?.['application/json'] }))
    );
  }

  /** The success of a first call: a route that creates may also answer 200 with what is there already. */
  get success(): { readonly status: number; readonly media: Media | undefined } {
    return this.successes.at(-1)!;
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
    return client.send(this.method, path, body, {
      ...(takesKey ? { 'idempotency-key': randomUUID() } : {}),
      // Wrong credentials are counted by address.
      'x-forwarded-for': randomUUID(),
      ...(body === UPLOADED ? { 'content-type': OCTETS } : {}),
      ...headers,
    });
  }
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => new Operation(method, path, described)),
  );
}

export async function documentOf(app: TestApp): Promise<Document> {
  return (await app.anonymous.get('/docs-json')).body as Document;
}

type Person = Awaited<ReturnType<TestApp['person']>>;

interface Fixture {
  /** Makes an entity in the owner's organization and answers its id. */
  make(owner: Person, organizationId: string, app: TestApp, run: StartedRun): Promise<string>;
  /** An id of the right form that names nothing. */
  unknown(): string;
  /** A PUT makes what the caller names, so it has no wrong parent. */
  readonly namedByCaller?: true;
  /** A digest of what `send` uploads, or a fixed word: the same under every parent. */
  readonly namedByContent?: true;
  /** Any text will do as one. */
  readonly anyText?: true;
}

/** What stands for a path parameter. A route with a new parameter needs its line here; every test of this folder then covers it. */
const FIXTURES: Readonly<Record<string, Fixture>> = {
  'organizations/{organizationId}': { make: async (_owner, organizationId) => organizationId, unknown: randomUUID },
  'agent-profiles/{id}': {
    make: async (owner, organizationId) => {
      const profile = { key: `fixture-${Date.now()}`, name: 'Fixture', kind: 'department', department: 'growth' };
      return idOf(await owner.post(`/organizations/${organizationId}/agent-profiles`, profile));
    },
    unknown: randomUUID,
  },
  'members/{subject}': {
    make: async (owner, organizationId, app) => {
      const { subject } = await app.person();
      const { status } = await owner.put(`/organizations/${organizationId}/members/${subject}`, { role: 'owner' });
      if (status !== 200) throw new Error(`No member: ${status}`);
      return subject;
    },
    unknown: () => `token:${randomUUID()}`,
    namedByCaller: true,
  },
  'owner-tokens/{ownerTokenId}': {
    make: async (owner) => idOf(await owner.post('/owner-tokens', { name: 'fixture' })),
    unknown: randomUUID,
  },
  'tasks/{taskRef}': {
    make: async (owner, organizationId) => (await createTask(owner, organizationId)).id,
    unknown: randomUUID,
  },
  'run-requests/{id}': {
    make: async (owner, organizationId) => {
      const { id } = await createTask(owner, organizationId);
      const { body } = await owner.get(`/organizations/${organizationId}/run-requests?taskId=${id}`);
      return body.data[0].id as string;
    },
    unknown: randomUUID,
  },
  // Calls under a lease get work of their own where they are to succeed (`leased-calls.ts`).
  'run-requests/{runRequestId}': { make: async () => randomUUID(), unknown: randomUUID },
  'runs/{runId}': { make: async () => randomUUID(), unknown: randomUUID },
  'workers/{workerId}': { make: async () => `worker-${randomUUID()}`, unknown: randomUUID, anyText: true },
  'runs/{id}': { make: async (_owner, _organizationId, _app, { runId }) => runId, unknown: randomUUID },
  'artifacts/{sha256}': {
    make: async (_owner, organizationId, app, { executionToken }) => {
      const sha256 = createHash('sha256').update(UPLOADED).digest('hex');
      const path = `/internal/agent/organizations/${organizationId}/artifacts/${sha256}`;
      const { status, text } = await app.client(executionToken).put(path, UPLOADED, { 'content-type': OCTETS });
      if (status !== 201) throw new Error(`No artifact: ${text}`);
      return sha256;
    },
    unknown: () => createHash('sha256').update(randomUUID()).digest('hex'),
    namedByContent: true,
  },
  'schedules/{scheduleRef}': {
    make: async (_owner, organizationId, app) => (await createSchedule(app, organizationId)).id,
    unknown: randomUUID,
    // A key is any word.
    anyText: true,
  },
  'durability/{namespace}': { make: async () => 'task', unknown: () => 'chat', namedByContent: true },
  '{namespace}/{key}': {
    make: async (_owner, organizationId, app, { executionToken, taskId }) => {
      const path = `/internal/agent/organizations/${organizationId}/durability/task/${taskId}`;
      const row = { kind: 'draft', payload: {}, expectedVersion: 0 };
      const { status, text } = await app.client(executionToken).put(path, row);
      if (status !== 200) throw new Error(`No durability row: ${text}`);
      return taskId;
    },
    unknown: randomUUID,
  },
  'task-dependencies/{taskId}': {
    make: async (owner, organizationId) => {
      const { id: taskRef } = await createTask(owner, organizationId);
      return (await createTask(owner, organizationId, { dependsOn: [{ taskRef }] })).id;
    },
    unknown: randomUUID,
  },
  // The other end of that task's one dependency.
  '{taskId}/{dependsOnTaskId}': {
    make: async (owner, organizationId) =>
      (await owner.get(`/organizations/${organizationId}/task-dependencies`)).body.data[0].dependsOnTaskId as string,
    unknown: randomUUID,
  },
};

/** What an operation needs of its entity beyond being there, where its example is to succeed. */
const PREPARATIONS: Readonly<Record<string, (app: TestApp, estate: Estate) => Promise<unknown>>> = {
  'POST /organizations/{organizationId}/tasks/{taskRef}/retry': (app, { ids }) =>
    app.db.query(`update task set status = 'failed' where id = $1`, [ids.get('tasks/{taskRef}')]),
  'PATCH /internal/agent/organizations/{organizationId}/schedules/{scheduleRef}': (app, { ids }) =>
    app.db.query(`update schedule set updated_at = $2 where id = $1`, [
      ids.get('schedules/{scheduleRef}'),
      // What the example expects.
      '2026-03-01T09:30:00.000000Z',
    ]),
  // The example creates.
  'PUT /internal/agent/organizations/{organizationId}/durability/{namespace}/{key}': (app, { ids }) =>
    app.db.query(`delete from durability_row where key = $1`, [ids.get('{namespace}/{key}')]),
};

/** Calls an operation as its example shows it, with all that it needs to succeed. */
export async function callAsShown(app: TestApp, estate: Estate, operation: Operation): Promise<Answer> {
  await PREPARATIONS[operation.name]?.(app, estate);
  const { ids = {}, body } = (await LEASED_CALLS[operation.name]?.(app, estate.organizationId)) ?? {};
  const example = operation.body?.example as object | undefined;
  return operation.send(
    estate.callerOf(operation),
    estate.pathOf(operation, ids),
    ...(body ? [{ ...example, ...body }] : []),
  );
}

function idOf({ status, body }: Answer): string {
  if (status >= 300) throw new Error(`No fixture: ${JSON.stringify(body)}`);
  return body.data.id as string;
}

export function fixtureOf(key: string): Fixture {
  const fixture = FIXTURES[key];
  if (!fixture)
    throw new Error(
      `No fixture for the path parameter "${key}": add a line '${key}' to FIXTURES in test/contract/operations.ts that makes one in an organization and answers its id.`,
    );
  return fixture;
}

/** One owner's organization with an entity for every path parameter of the document. */
export class Estate {
  readonly owner: Person;
  readonly organizationId: string;
  readonly ids: ReadonlyMap<string, string>;
  /** A live run of the operator. */
  readonly agent: Client;

  private readonly app: TestApp;

  private constructor(
    app: TestApp,
    owner: Person,
    organizationId: string,
    ids: ReadonlyMap<string, string>,
    agent: Client,
  ) {
    this.app = app;
    this.owner = owner;
    this.organizationId = organizationId;
    this.ids = ids;
    this.agent = agent;
  }

  static async make(app: TestApp, operations: readonly Operation[]): Promise<Estate> {
    const owner = await app.person();
    const organizationId = await organizationOf(owner);
    const run = await startedRun(app, organizationId, { profile: 'operator' });
    // No test of the contract is about its lease.
    await app.db.query(`update run set lease_expires_at = now() + interval '1 hour' where id = $1`, [run.runId]);
    const ids = new Map<string, string>();
    for (const { key } of operations.flatMap(({ parameters }) => parameters))
      if (!ids.has(key)) ids.set(key, await fixtureOf(key).make(owner, organizationId, app, run));
    return new Estate(app, owner, organizationId, ids, app.client(run.executionToken));
  }

  /** Somebody whom the operation lets in here. */
  callerOf({ isPublic, schemes }: Operation): Client {
    if (isPublic) return this.app.anonymous;
    if (schemes.includes('ownerToken')) return this.owner;
    if (schemes.includes('agentServiceToken')) return this.app.service;
    return this.agent;
  }

  /** A client with a genuine token of an execution of this organization, alive or not. */
  execution(): Promise<Client> {
    return this.app.execution({ organizationId: this.organizationId });
  }

  /** Somebody with a good token of a kind that the operation does not take. */
  wrongCallerOf({ schemes }: Operation): Client {
    return schemes.includes('agentServiceToken') ? this.owner : this.app.service;
  }

  /** The operation's path here; `others` replaces single parameters, as they stand in the path. */
  pathOf({ path, parameters, query }: Operation, others: Readonly<Record<string, string>> = {}): string {
    const filled = parameters.reduce(
      (rest, { key, name }) => rest.replace(`{${name}}`, others[name] ?? encodeURIComponent(this.ids.get(key)!)),
      path,
    );
    return query === '' ? filled : `${filled}?${query}`;
  }
}

/** An envelope without what differs from call to call. */
export function withoutMeta({ status, body }: Answer): unknown {
  const { meta: _meta, ...rest } = (body ?? {}) as Record<string, unknown>;
  return { status, ...rest };
}
