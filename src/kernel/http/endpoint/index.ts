/**
 * Guarantees: guard, documents, envelope and edge read one declaration of a route, `@Endpoint`; a route without it
 * stops the start of the process.
 * Refuses: two operations under one id, and telling routes for agents from routes for owners by anything but their
 * path.
 */
export {
  Endpoint,
  endpointOf,
  type EndpointSpec,
  type ExecutionsAllowed,
  JSON_LIMIT_BYTES,
  operationIdOf,
  type Scheme,
  SCHEMES,
  schemesOf,
} from './endpoint.ts';
export { requireEndpoints } from './require-endpoints.ts';
export { unauthorizedAt, unauthorizedIn } from './unauthorized.ts';
