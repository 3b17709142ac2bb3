/**
 * Guarantees: a request leaves only by https, only to public addresses that were checked, and on a connection of its own
 * to exactly these; every redirect is judged anew; time, bytes, headers and the number of requests at once are bounded.
 * Refuses: private and special addresses in every spelling, blocked domains, compressed answers, proxies of the
 * environment, credentials for another origin than they were given for. Exceptions are the origins that the deployment
 * itself configures, and local peers in trials. A driver that opens its sockets by itself gets servers that were judged, and
 * one of the places.
 */
export { Egress } from './egress.ts';
export { EgressFailure, egressFailureOf, egressFetch, type FetchOptions } from './egress-fetch.ts';
export { egressSockets, type EgressSockets } from './egress-sockets.ts';
export { EgressModule } from './egress.module.ts';
export type { EgressAnswer, EgressRequest, EgressResult, Refusal } from './egress-request.ts';
export type { NamedServer, NamedServices } from './routes.ts';
