/**
 * Speaks with the code host. Guarantees: nothing but named headers goes along, each request has a connection of its own, and
 * the token is that of the one repository. Refuses: redirects, retries, and any other host.
 */
export { type HostAccess, type HostAnswer, HostFailure, GitHostService } from './git-host.service.ts';
export { asRefusal, requireAnswer } from './host-refusals.ts';
export { type HostRepository, RepositoryHostService } from './repository-host.service.ts';
