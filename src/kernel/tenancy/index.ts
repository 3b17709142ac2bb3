/**
 * Decides who may enter which organization. A transaction runs in one of three contexts: as a subject outside any
 * organization, in one organization, or across organizations with the dispatch role.
 *
 * Guarantees: membership, role and the organization's status are read in the request's own round trip, so that a
 * removed member or a deleted organization loses access at once on every replica; row-level security then shows only
 * the entered organization, which the tables' policies and the roles' grants enforce whatever a statement asks for.
 * Refuses: to enter without a subject or a confirmation, session state that outlives a transaction, BYPASSRLS.
 */
export {
  activeAccess,
  admitOwner,
  admitWrite,
  confirmedAccess,
  type OrganizationAccess,
  ownerAccess,
  ownerWriteAccess,
  standingAccess,
  type WriteOptions,
} from './access.ts';
export {
  asDispatch,
  asSubject,
  BOOTSTRAP,
  enter,
  enterCounted,
  type EnteredOrganization,
  type Planning,
  requireContext,
  sharing,
} from './contexts.queries.ts';
export { ENTERED, policies, SUBJECT, tenantPolicies } from './policies.ts';
export { type Entrant, requireOpen, requireScope, requireUnlimited } from './rights.ts';
export { administratorsSql, ensureRoles, missingRoles, Roles } from './roles.ts';
