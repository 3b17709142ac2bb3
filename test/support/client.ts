import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { LightMyRequestResponse } from 'fastify';
import type { Entrant } from '../../src/kernel/tenancy/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** What answers the calls; it may still have to start. */
interface Server {
  readonly app: NestFastifyApplication;
}

/** A caller of the API in the process, with one credential or none. */
export class Client {
  constructor(
    private readonly server: Server,
    private readonly credential?: string,
  ) {}

  get token(): string | undefined {
    return this.credential;
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }
  put(path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    return this.send('PUT', path, body, headers);
  }
  patch(path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    return this.send('PATCH', path, body, headers);
  }
  delete(path: string, headers?: Headers): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** `body` is sent as JSON; a string, bytes and a stream are sent as they stand. */
  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const response = await this.server.app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isRaw(body) ? body : JSON.stringify(body) }),
    });
    return answerOf(`${method} ${path}`, response, response.body);
  }

  /** The head of an event stream and what came with it, from a client that goes away then; or all of a refusal. */
  async peek(path: string, headers: Headers = {}): Promise<Answer> {
    const response = await this.server.app.inject({
      url: path,
      headers: { ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }), ...headers },
      payloadAsStream: true,
    });
    const stream = response.stream();
    const isStream = response.headers['content-type'] === 'text/event-stream';
    const content = isStream ? whatCame(stream) : await text(stream);
    if (isStream) response.raw.res.destroy();
    return answerOf(path, response, content);
  }
}

/** A person with a personal token of their own, once somebody has given them one. */
export class Person extends Client {
  private given: { readonly token: string; readonly subject: string; readonly id: string } | undefined;

  /** Has the administrator give the token. */
  async receiveToken(administrator: Client, name: string): Promise<void> {
    const { status, text: answer, body } = await administrator.post('/owner-tokens', { name });
    if (status !== 201) throw new Error(`No person: ${answer}`);
    this.given = body.data;
  }

  override get token(): string {
    return this.personal.token;
  }
  get subject(): string {
    return this.personal.subject;
  }
  get tokenId(): string {
    return this.personal.id;
  }

  private get personal() {
    if (!this.given) throw new Error('This person has no token before the first hook of the tests has run.');
    return this.given;
  }
}

/** Somebody who may do everything, as the data layer takes a caller. */
export function entrant(subject: string): Entrant {
  return { subject, organizationIds: null, scope: 'settings' };
}

function whatCame(stream: Readable): string {
  let came = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) came += String(chunk);
  return came;
}

function answerOf(call: string, { statusCode, headers }: LightMyRequestResponse, content: string): Answer {
  if (content.includes('CANARY')) throw new Error(`A secret came out of ${call}.`);
  const isJson = (headers['content-type'] ?? '').includes('application/json');
  return { status: statusCode, headers, text: content, body: isJson ? JSON.parse(content) : undefined };
}

function isRaw(body: unknown): body is string | Buffer | Readable {
  return typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable;
}

/** Company details that no other test has. */
export function company(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const name = `Company ${randomUUID()}`;
  return { name, website: 'https://acme.example', timezone: 'Europe/Berlin', defaultCurrency: 'EUR', ...overrides };
}

export function createOrganization(
  client: Client,
  overrides: Record<string, unknown> = {},
  key: string = randomUUID(),
): Promise<Answer> {
  return client.post('/organizations', company(overrides), { 'idempotency-key': key });
}

/** The id of a new organization of this caller. */
export async function organizationOf(client: Client, overrides: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await createOrganization(client, overrides);
  if (status !== 201) throw new Error(`No organization: ${JSON.stringify(body)}`);
  return body.data.organization.id as string;
}
