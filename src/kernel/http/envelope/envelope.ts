import type { FastifyRequest } from 'fastify';
import { isoNow } from '../../clock/index.ts';
import { type ApiError, EdgeErrors, type ErrorRow, FAMILY_STATUSES, type Issue } from '../../errors/index.ts';
import { traceIdOf } from '../../tracing/index.ts';
import type { EndpointSpec } from '../endpoint/index.ts';

/** `meta` of every envelope. `timestamp` is ISO 8601 in UTC. */
export interface Meta {
  readonly timestamp: string;
  readonly requestId?: string;
  readonly traceId?: string;
  /** What of the input counted for nothing, on routes that warn. */
  readonly warnings?: readonly Issue[];
}

/** The position of a page in its list. A cursor names a neighbouring page; null where there is none. */
export interface Pagination {
  readonly cursor: string | null;
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

export interface SuccessEnvelope {
  readonly success: true;
  readonly statusCode: number;
  readonly message: string;
  readonly data: unknown;
  readonly pagination?: Pagination;
  readonly meta: Meta;
}

export interface ErrorEnvelope {
  readonly success: false;
  readonly statusCode: number;
  readonly message: string;
  readonly error: { readonly code: string; readonly issues?: readonly Issue[] };
  readonly meta: Meta;
}

/** Makes `meta` for a request; without one (the connection broke before a request was read) only the time is known. */
export function metaOf(request?: Pick<FastifyRequest, 'headers' | 'id' | 'traced'>): Meta {
  const timestamp = isoNow();
  if (!request) return { timestamp };
  const traceId = traceIdOf(request);
  return { timestamp, requestId: request.id, ...(traceId === undefined ? {} : { traceId }) };
}

/** Errors of the edge about a body that no handler has seen; a route may have its own codes for them. */
const BODY_ROWS: ReadonlySet<ErrorRow> = new Set([EdgeErrors.payloadTooLarge, EdgeErrors.unsupportedMediaType]);

/** The error codes of a route: one code for a whole family, or its own code for a status. */
type Named = Pick<EndpointSpec, 'family' | 'errors'>;

/** Makes the error envelope, with the codes of the route if there is one. */
export function errorEnvelope(error: ApiError, meta: Meta, route: Named = {}): ErrorEnvelope {
  return {
    success: false,
    statusCode: error.row.status,
    message: error.message,
    error: {
      code: codeOf(error.row, route),
      ...(error.issues?.length ? { issues: error.issues } : {}),
    },
    meta,
  };
}

/** The word of an error on a route. */
export function codeOf(row: ErrorRow, { family, errors = [] }: Named = {}): string {
  if (family && FAMILY_STATUSES.has(row.status)) return family;
  const own = BODY_ROWS.has(row) ? errors.find(({ status }) => status === row.status) : undefined;
  return (own ?? row).code;
}
