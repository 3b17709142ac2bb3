import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels } from '@nestjs/swagger';
import type { ExecutionKind, Mode, ProfileKind, Scope } from '../../principals/index.ts';
import type { ErrorRow } from '../../errors/index.ts';

/** The bearer schemes: the words that `auth` uses, and their names in the OpenAPI document. */
export const SCHEMES = {
  owner: 'ownerToken',
  service: 'agentServiceToken',
  execution: 'agentExecutionCapability',
  gateway: 'integrationGatewayCapability',
} as const;
export type Scheme = keyof typeof SCHEMES;

/** The executions that a route admits; a property that is absent is not checked. */
export interface ExecutionsAllowed {
  readonly kinds?: readonly ExecutionKind[];
  readonly profileKinds?: readonly ProfileKind[];
  /** Checked for task runs; a chat turn has no mode. */
  readonly modes?: readonly Mode[];
  /** Of the profile; one without a department is of none of them. */
  readonly departments?: readonly string[];
}

/** Limit of a JSON body whose route sets no other. */
export const JSON_LIMIT_BYTES = 1024 * 1024;

/** What a route answers with; it names exactly one. */
interface Answers {
  /** Class of `data` in the envelope; `list` wraps it in an array and adds `pagination`, `array` only wraps it. */
  readonly returns: Type;
  /** The handler returns a `ByteAnswer`, which is sent as a file without the envelope. For GET and HEAD. */
  readonly bytes: true;
  /** The handler returns a `Picture`, which is shown in place, or none, 204; what either means. For GET and HEAD. */
  readonly picture: { readonly message: string; readonly none: string };
  /** The class of each kind's data; the handler returns `StreamedEvents`. For GET. */
  readonly events: Readonly<Record<string, Type>>;
  /**
   * The handler returns a `StreamedAnswer`, sent as it comes, as one of these media types; errors, of the edge too, are one
   * line of plain text.
   */
  readonly stream: { readonly types: readonly string[]; readonly message: string };
  /** The handler returns text, which is sent as it is, as this media type. For GET. */
  readonly text: { readonly type: string; readonly example: string };
  /** The handler returns a `Page`, which a person's browser shows or follows, what it means, and the page of an error. */
  readonly page: { readonly message: string; readonly ofError: (error: PageError) => string };
  /** The class of a JSON document that the handler returns, sent without the envelope, and how long anybody may keep it. */
  readonly document: { readonly type: Type; readonly maxAgeSeconds: number };
  /**
   * The body is one JSON-RPC message, and the handler returns a `JsonRpcAnswer`; its errors, of the edge too, are JSON-RPC
   * errors that keep their status. For POST.
   */
  readonly jsonRpc: { readonly request: object; readonly response: object };
}

/** What the page of an error may say. */
export interface PageError {
  readonly status: number;
  readonly requestId: string;
}

type Answer<Form extends keyof Answers> = Form extends keyof Answers
  ? Pick<Answers, Form> & Partial<Record<Exclude<keyof Answers, Form>, undefined>>
  : never;

/** Everything about an endpoint but its code; guard, documents, envelope and errors all read this. */
export type EndpointSpec = EndpointFacts &
  (
    | Answer<Exclude<keyof Answers, 'events'>>
    // With an example of an event's id, for the documents.
    | (Answer<'events'> & { readonly eventId: string })
  );

interface EndpointFacts {
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call; several schemes are tried in order, and any one is enough. `scraper` is whom the configuration lets
   * read metrics.
   */
  readonly auth: 'public' | 'scraper' | Scheme | readonly Scheme[];
  /**
   * What the route does, for which an owner's token needs this scope and its member the role; every route for owners names
   * one, GET and HEAD `read`. On a route for executions, what a chat turn does on behalf of the person whose message it
   * answers: the token that posted the message must have had the scope. A route for what is the execution's own names none.
   */
  readonly scope?: Scope;
  /**
   * Which executions, where `auth` has `execution` or `gateway`; all by default. Others are refused as a forged token is.
   */
  readonly execution?: ExecutionsAllowed;
  readonly list?: boolean;
  readonly array?: boolean;
  /** Success status; 200 by default. */
  readonly status?: number;
  /** `message` of the success envelope. */
  readonly message?: string;
  /** For routes that create: the message of the 200 that answers `new Existing(…)`. */
  readonly existing?: string;
  /** For routes that may leave something unfinished: the message of the 202 that answers `new Accepted(…)`. */
  readonly accepted?: string;
  readonly errors?: readonly ErrorRow[];
  /** Whether the answer may be a `Warned`, whose warnings are in `meta`. */
  readonly warns?: boolean;
  /** Whether the answer is kept, and `meta` says since when it is known to differ (`Written`). */
  readonly restates?: boolean;
  /** Every 400, 404, 409, 413 and 415 of the route carries `request_failed`, the contract's code for this family. */
  readonly family?: 'request_failed';
  /**
   * Most bytes of the body; 1 MiB of JSON by default. For a stream only its declared length is checked; the handler
   * counts what arrives.
   */
  readonly bodyLimitBytes?: number;
  /** The body is `application/octet-stream` and reaches the handler as a stream (`@BodyStream()`). */
  readonly raw?: boolean;
  /** Of a `raw` route: the one media type of its body in place of bytes; the body may come compressed with gzip then. */
  readonly media?: string;
  /** The body is `application/x-www-form-urlencoded`, as a page's form sends it, and nothing else. */
  readonly form?: boolean;
  /**
   * Replaces text that cannot be stored (NUL, lone surrogates, bytes that are not UTF-8) by U+FFFD instead of refusing
   * it: for calls whose data the caller cannot send again.
   */
  readonly mendsText?: boolean;
  /** Name of the operation in generated clients, where the names of controller and method do not suit. */
  readonly operationId?: string;
  /** Whether the route takes an `Idempotency-Key`, and whether it requires one. */
  readonly idempotencyKey?: 'required' | 'optional';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The `@Endpoint` of the matched route; absent on `/docs*` and where no route matches. */
    endpoint?: EndpointSpec;
  }
}

const SPEC = Symbol('endpoint');

/** Declares a route. A route without it stops the start. */
export function Endpoint(spec: EndpointSpec): MethodDecorator {
  const remember: MethodDecorator = (_target, _key, descriptor) => {
    Reflect.defineMetadata(SPEC, spec, descriptor.value as object);
  };
  return applyDecorators(
    remember,
    RouteConfig({ endpoint: spec }),
    HttpCode(spec.status ?? 200),
    ApiExtraModels(...shapesOf(spec)),
  );
}

function shapesOf({ returns, events, document }: EndpointSpec): Type[] {
  return [...(returns ? [returns] : []), ...(document ? [document.type] : []), ...Object.values(events ?? {})];
}

/** The spec of a handler; undefined if it has none. */
export function endpointOf(handler: object): EndpointSpec | undefined {
  return Reflect.getMetadata(SPEC, handler) as EndpointSpec | undefined;
}

/** The schemes of a route, in the order in which they are tried; none where the caller is no principal. */
export function schemesOf({ auth }: EndpointSpec): readonly Scheme[] {
  if (auth === 'public' || auth === 'scraper') return [];
  return typeof auth === 'string' ? [auth] : auth;
}

/** The id of an operation in the documents and generated clients. */
export function operationIdOf(controller: { readonly name: string }, handler: { readonly name: string }): string {
  return endpointOf(handler)?.operationId ?? defaultOperationId(controller.name, handler.name);
}

/** `TasksController.list` is `tasks.list`, and `TasksAgentController.list`, for executions, `agent.tasks.list`. */
function defaultOperationId(controller: string, method: string): string {
  const [, name = '', forAgents] = /^(.*?)(Agent)?(?:Runtime)?Controller$/.exec(controller) ?? [];
  const resource = name.charAt(0).toLowerCase() + name.slice(1);
  return `${forAgents ? 'agent.' : ''}${resource}.${method}`;
}
