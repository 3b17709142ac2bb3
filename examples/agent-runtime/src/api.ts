import { setTimeout as wait } from 'node:timers/promises';
import type { paths } from './api-types.ts';
import { causeOf, type Outage } from './outage.ts';

type Method = 'get' | 'post' | 'put' | 'delete';
type OperationOf<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;
type Part<O, K extends 'path' | 'query'> = O extends { parameters: { [key in K]?: infer T extends object } }
  ? T
  : never;
type Body<O> = O extends { requestBody: { content: { 'application/json': infer T } } } ? T : never;
type Answer<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201 | 202)] : never;
export type Data<M extends Method, P extends keyof paths> =
  Answer<OperationOf<M, P>> extends { content: { 'application/json': { data: infer D } } } ? D : never;

export type Claim = Data<'post', '/internal/run-requests/claim'>[number];
export type Started = Data<'post', '/internal/run-requests/{runRequestId}/start'>;
export type LogEntry = Body<OperationOf<'post', '/internal/runs/{runId}/logs'>>['entries'][number];
export type Result = Body<OperationOf<'post', '/internal/runs/{runId}/complete'>>['output']['result'];
export type StagedOutcome = Body<
  OperationOf<'put', '/internal/agent/organizations/{organizationId}/execution/outcome'>
>;
export type OpenItem = Body<OperationOf<'post', '/internal/agent/organizations/{organizationId}/inbox'>>;
export type ProposeAction = Body<OperationOf<'post', '/internal/agent/organizations/{organizationId}/actions'>>;
export type PublishKnowledge = Body<OperationOf<'post', '/internal/agent/organizations/{organizationId}/knowledge'>>;
export type KnowledgeRecord = Data<'get', '/internal/agent/organizations/{organizationId}/knowledge'>['items'][number];
/** A record with all of it, as a single read shows it. */
export type WholeRecord = Data<'get', '/internal/agent/organizations/{organizationId}/knowledge/{knowledgeId}'>;
export type Learned = Data<'get', '/organizations/{organizationId}/learning'>[number];
export type Turn = Data<'post', '/internal/chat-turns/claim'>[number];
export type TurnState = Data<'post', '/internal/chat-turns/{turnId}/complete'>;
export type Task = Data<'get', '/internal/agent/organizations/{organizationId}/tasks/{taskRef}'>;
type Manifest = Data<'get', '/internal/agent/organizations/{organizationId}/execution'>;
export type WorkManifest = Extract<Manifest, { kind: 'task_run' }>;
export type ChatManifest = Extract<Manifest, { kind: 'chat_turn' }>;

type PlanOutcome = Extract<StagedOutcome, { kind: 'planned' }>;
/** The only operation of a plan that is used here. */
export type CreateTask = Extract<PlanOutcome['operations'][number], { kind: 'create_task' }>;

interface Options<O> {
  readonly path?: Part<O, 'path'>;
  readonly query?: Part<O, 'query'>;
  readonly body?: Body<O>;
  readonly bytes?: Uint8Array;
  readonly token?: string;
  readonly idempotencyKey?: string;
  /** How long one attempt may take, where that is not as for most calls. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** An answer below 500 as it came. */
export interface Forwarded {
  readonly status: number;
  readonly text: string;
  readonly contentType: string | null;
}

/** The same without types. */
type AnyOptions = Omit<Options<unknown>, 'path' | 'query' | 'body'> & {
  path?: unknown;
  query?: unknown;
  body?: unknown;
};

/** An error answer. `code` is the contract's; `issue` is the first of the issues, which tells more. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly issue: string | undefined;
  /** For people. */
  readonly reason: string;

  constructor(status: number, code: string, issue: string | undefined, reason: string) {
    super(`${status} ${code}${issue ? ` (${issue})` : ''}: ${reason}`);
    this.status = status;
    this.code = code;
    this.issue = issue;
    this.reason = reason;
  }
}

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;
/** Timeout of a call, longer than the longest poll. */
const ANSWER_LIMIT_MS = 45_000;

/**
 * The HTTP API, typed by the OpenAPI document. Repeats a call unchanged, until its signal aborts it, if its answer was
 * lost or the service could not be reached. Every call of this runtime can be repeated, because it carries the same run
 * id, request key, offset or digest each time.
 */
export class Api {
  readonly baseUrl: string;
  private readonly token: string;
  private readonly outage: Outage | undefined;

  constructor(baseUrl: string, token: string, outage?: Outage) {
    this.baseUrl = baseUrl;
    this.token = token;
    this.outage = outage;
  }

  async call<M extends Method, P extends keyof paths>(
    method: M,
    path: P,
    options: Options<OperationOf<M, P>> = {},
  ): Promise<Data<M, P>> {
    const text = await this.send(method, path, options);
    try {
      return (JSON.parse(text) as { data: Data<M, P> }).data;
    } catch {
      throw new Refused(200, 'no_json', undefined, 'the answer is no JSON');
    }
  }

  /** The bytes of an artifact, as text. */
  text<P extends keyof paths>(path: P, options: Options<OperationOf<'get', P>>): Promise<string> {
    return this.send('get', path, options);
  }

  /** For a client of another protocol that sends by itself: repeats a request as any other call. */
  async forward(path: string, init: RequestInit, limitMs: number, signal: AbortSignal): Promise<Forwarded> {
    return this.repeated(new URL(this.baseUrl + path), init, limitMs, signal);
  }

  private async send(method: Method, path: string, options: AnyOptions): Promise<string> {
    const { signal, bytes, body, idempotencyKey } = options;
    const init = {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${options.token ?? this.token}`,
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        ...(bytes
          ? { 'content-type': 'application/octet-stream' }
          : body
            ? { 'content-type': 'application/json' }
            : {}),
      },
      body: bytes ? Buffer.from(bytes) : body ? JSON.stringify(body) : null,
    };
    const limitMs = options.limitMs ?? ANSWER_LIMIT_MS;
    const { status, text } = await this.repeated(this.url(path, options), init, limitMs, signal);
    if (status < 400) return text;
    throw refusal(status, text);
  }

  private async repeated(url: URL, init: RequestInit, limitMs: number, signal?: AbortSignal): Promise<Forwarded> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      signal?.throwIfAborted();
      const limit = AbortSignal.timeout(limitMs);
      try {
        const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit });
        const text = await response.text();
        const { status } = response;
        if (status < 500 && status !== 429) {
          this.outage?.answered();
          return { status, text, contentType: response.headers.get('content-type') };
        }
        this.outage?.failed(`it answers ${status}`, 0);
      } catch (error) {
        signal?.throwIfAborted();
        // The service cannot be reached or the answer was lost.
        this.outage?.failed(causeOf(error), limit.aborted ? limitMs : 0);
      }
      await wait(retryMs * (0.5 + Math.random()), undefined, signal ? { signal } : {});
    }
  }

  private url(path: string, { path: parts, query }: AnyOptions): URL {
    const values = parts as Record<string, string>;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!));
    const url = new URL(this.baseUrl + filled);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    return url;
  }
}

/** The refusal that the text of an answer says. */
export function refusal(status: number, text: string): Refused {
  const { message, error } = parsed(text);
  return new Refused(status, error?.code ?? 'unknown', error?.issues?.[0]?.code, message ?? 'the answer is no JSON');
}

function parsed(text: string): { message?: string; error?: { code: string; issues?: { code: string }[] } } {
  try {
    return JSON.parse(text) as ReturnType<typeof parsed>;
  } catch {
    return {};
  }
}

/** Whether the lease has ended, so that the service ignores further calls of this run. */
export function leaseIsOver(error: unknown): boolean {
  return error instanceof Refused && error.code === 'run_lease_expired';
}
