import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels } from '@nestjs/swagger';
import type { ExecutionKind, Mode, ProfileKind } from '../../principals/index.ts';
import type { ErrorRow } from '../../errors/index.ts';

/** The bearer schemes by the word that `auth` uses, with the names that the documents show. */
export const SCHEMES = {
  owner: 'ownerToken',
  service: 'agentServiceToken',
  execution: 'agentExecutionCapability',
} as const;
export type Scheme = keyof typeof SCHEMES;

/** The executions that a route lets in; what is left out is not asked. */
export interface ExecutionsAllowed {
  readonly kinds?: readonly ExecutionKind[];
  readonly profileKinds?: readonly ProfileKind[];
  /** Of task runs; a chat turn has no mode. */
  readonly modes?: readonly Mode[];
}

/** Of a JSON body whose route does not say otherwise. */
export const JSON_LIMIT_BYTES = 1024 * 1024;

/** Everything about an endpoint that is not its code: guard, documents, envelope and errors all read this. */
export type EndpointSpec = EndpointFacts & (EnvelopedAnswer | BytesAnswer | EventsAnswer);

interface EnvelopedAnswer {
  /** Shape of `data`; `list` wraps it in an array and adds `pagination`, `array` only wraps it. */
  readonly returns: Type;
  readonly bytes?: undefined;
  readonly events?: undefined;
}

interface BytesAnswer {
  /** The handler returns a `ByteAnswer`, which is served as a file and not in the envelope. For GET and HEAD. */
  readonly bytes: true;
  readonly returns?: undefined;
  readonly events?: undefined;
}

interface EventsAnswer {
  /** The handler returns `StreamedEvents`; the shape of each kind's data. For GET. */
  readonly events: Readonly<Record<string, Type>>;
  /** An id as events carry it, for the documents. */
  readonly eventId: string;
  readonly returns?: undefined;
  readonly bytes?: undefined;
}

interface EndpointFacts {
  readonly summary: string;
  readonly description?: string;
  /** Who may call; of several schemes any is accepted, tried in order. */
  readonly auth: 'public' | Scheme | readonly Scheme[];
  /** Which executions, where `auth` has `execution`: others are refused as a forged token is. All unless said. */
  readonly execution?: ExecutionsAllowed;
  readonly list?: boolean;
  readonly array?: boolean;
  /** Success status; 200 unless said. */
  readonly status?: number;
  /** `message` of the success envelope. */
  readonly message?: string;
  /** For routes that create: the message of the 200 with which they answer `new Existing(…)`. */
  readonly existing?: string;
  readonly errors?: readonly ErrorRow[];
  /** Every 400, 404, 409, 413 and 415 of the route carries `request_failed` (the contract's family of that name). */
  readonly family?: 'request_failed';
  /** Bytes of the body at most; 1 MiB of JSON unless said. Of a stream by the length that it declares: the handler counts. */
  readonly bodyLimitBytes?: number;
  /** The body is `application/octet-stream` and reaches the handler as a stream (`@BodyStream()`). */
  readonly raw?: boolean;
  /**
   * Text that cannot be stored (NUL, lone surrogates, bytes that are not UTF-8) is replaced (U+FFFD) instead of refused: for
   * calls whose refusal would lose what the caller cannot say again.
   */
  readonly mendsText?: boolean;
  /** Name of the operation in generated clients, where controller and method do not say it well. */
  readonly operationId?: string;
  /** Whether the route takes an `Idempotency-Key`, and whether it insists. */
  readonly idempotencyKey?: 'required' | 'optional';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What `@Endpoint` said of the route that was matched; absent on `/docs*` and where no route matches. */
    endpoint?: EndpointSpec;
  }
}

const SPEC = Symbol('endpoint');

/** Declares a route. A route without it fails at boot. */
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

function shapesOf({ returns, events }: EndpointSpec): Type[] {
  return returns ? [returns] : Object.values(events ?? {});
}

/** The spec of a handler, or undefined where the handler carries none. */
export function endpointOf(handler: object): EndpointSpec | undefined {
  return Reflect.getMetadata(SPEC, handler) as EndpointSpec | undefined;
}

/** The schemes of a guarded route, in the order in which they are tried. */
export function schemesOf({ auth }: EndpointSpec): readonly Scheme[] {
  if (auth === 'public') return [];
  return typeof auth === 'string' ? [auth] : auth;
}

/** The id of an operation in the documents and generated clients. */
export function operationIdOf(controller: { readonly name: string }, handler: { readonly name: string }): string {
  return endpointOf(handler)?.operationId ?? defaultOperationId(controller.name, handler.name);
}

/** `OrganizationsController.list` is `organizationsList`. */
export function defaultOperationId(controller: string, method: string): string {
  const family = controller.replace(/Controller$/, '');
  return family.charAt(0).toLowerCase() + family.slice(1) + method.charAt(0).toUpperCase() + method.slice(1);
}
