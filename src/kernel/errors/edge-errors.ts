import { defineErrors } from './error-row.ts';

/** Errors that any route may answer before or around its own code. */
export const EdgeErrors = defineErrors({
  validationFailed: { status: 400, code: 'validation_failed', message: 'The request is not valid.' },
  ownerUnauthorized: { status: 401, code: 'owner_unauthorized', message: 'A valid owner token is required.' },
  agentUnauthorized: { status: 401, code: 'agent_unauthorized', message: 'A valid agent credential is required.' },
  /** Unknown, being deleted, or not the caller's: indistinguishable on purpose. */
  organizationNotFound: { status: 404, code: 'organization_not_found', message: 'There is no such organization.' },
  routeNotFound: { status: 404, code: 'route_not_found', message: 'There is no such route.' },
  notFound: { status: 404, code: 'not_found', message: 'There is no such entity.' },
  methodNotAllowed: { status: 405, code: 'method_not_allowed', message: 'The route does not take this method.' },
  requestTimeout: { status: 408, code: 'request_timeout', message: 'The request did not arrive in time.' },
  stateConflict: { status: 409, code: 'state_conflict', message: 'The state does not permit this.' },
  preconditionFailed: { status: 412, code: 'precondition_failed', message: 'It is not what If-Match names any more.' },
  payloadTooLarge: { status: 413, code: 'payload_too_large', message: 'The body is too large.' },
  uriTooLong: { status: 414, code: 'uri_too_long', message: 'The address is too long.' },
  unsupportedMediaType: { status: 415, code: 'unsupported_media_type', message: 'The body must be application/json.' },
  rangeNotSatisfiable: { status: 416, code: 'range_not_satisfiable', message: 'There are no such bytes to send.' },
  expectationFailed: { status: 417, code: 'expectation_failed', message: 'Only "Expect: 100-continue" is understood.' },
  rateLimited: { status: 429, code: 'rate_limited', message: 'Too many failed attempts; try again later.' },
  headersTooLarge: { status: 431, code: 'headers_too_large', message: 'The request headers are too large.' },
  internalError: { status: 500, code: 'internal_error', message: 'Something went wrong on our side.' },
  serviceUnavailable: { status: 503, code: 'service_unavailable', message: 'The service is not available right now.' },
});
