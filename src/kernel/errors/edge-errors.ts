import { defineErrors } from './error-row.ts';

/** Errors that any route may answer, before or around its own code. */
export const EdgeErrors = defineErrors({
  validationFailed: {
    status: 400,
    code: 'validation_failed',
    message: 'The request is invalid; correct what error.issues lists.',
  },
  ownerUnauthorized: {
    status: 401,
    code: 'owner_unauthorized',
    message: 'Send a valid owner token as a bearer token.',
  },
  agentUnauthorized: {
    status: 401,
    code: 'agent_unauthorized',
    message: 'Send a valid agent credential as a bearer token.',
  },
  /**
   * The organization is unknown, is being deleted, or is not the caller's: on purpose the answer does not tell which.
   */
  organizationNotFound: {
    status: 404,
    code: 'organization_not_found',
    message: 'No organization with this id is open to you.',
  },
  routeNotFound: { status: 404, code: 'route_not_found', message: 'There is no route at this path.' },
  notFound: { status: 404, code: 'not_found', message: 'There is nothing with this id here.' },
  methodNotAllowed: {
    status: 405,
    code: 'method_not_allowed',
    message: 'This route does not take this method; use one that the Allow header lists.',
  },
  requestTimeout: {
    status: 408,
    code: 'request_timeout',
    message: 'The request took too long to arrive; send it again.',
  },
  stateConflict: {
    status: 409,
    code: 'state_conflict',
    message: 'The current state does not allow this; read it again.',
  },
  preconditionFailed: {
    status: 412,
    code: 'precondition_failed',
    message: 'It has changed: it no longer matches If-Match; read it again.',
  },
  payloadTooLarge: { status: 413, code: 'payload_too_large', message: 'The body is too large; send less at once.' },
  uriTooLong: { status: 414, code: 'uri_too_long', message: 'The URL is too long; shorten its path or query.' },
  unsupportedMediaType: { status: 415, code: 'unsupported_media_type', message: 'Send the body as application/json.' },
  rangeNotSatisfiable: {
    status: 416,
    code: 'range_not_satisfiable',
    message: 'The range names no byte of the file; Content-Range gives its size.',
  },
  expectationFailed: {
    status: 417,
    code: 'expectation_failed',
    message: 'Send "Expect: 100-continue" or no Expect header.',
  },
  rateLimited: {
    status: 429,
    code: 'rate_limited',
    message: 'Too many failed attempts; try again after Retry-After seconds.',
  },
  headersTooLarge: {
    status: 431,
    code: 'headers_too_large',
    message: 'The request headers are too large; send fewer or shorter ones.',
  },
  internalError: {
    status: 500,
    code: 'internal_error',
    message: 'The service failed; report the request id if this repeats.',
  },
  serviceUnavailable: {
    status: 503,
    code: 'service_unavailable',
    message: 'The service is not available right now; try again later.',
  },
});

/** Statuses whose errors carry the code of the family, on a route of one (`family` of its `@Endpoint`). */
export const FAMILY_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 413, 415]);
