/**
 * Who may speak Git here, with which repository. Guarantees: a capability reaches the repositories of its own connector, as
 * the authority of connectors says now. Refuses: deciding what is fetched or pushed.
 */
export { type GitAccess, GitAccessService } from './git-access.service.ts';
