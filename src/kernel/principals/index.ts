/**
 * The callers: owners, trusted agent runtimes and executions, as the guard sets them on the request.
 *
 * Guarantees: `kind` tells the kinds of callers apart; a principal carries what its token says and nothing else.
 * Refuses: decisions; `kernel/auth` verifies tokens, `kernel/http/endpoint` declares whom a route admits.
 */
export {
  EXECUTION_KINDS,
  type ExecutionKind,
  GATEWAY_ACCESSES,
  type Mode,
  MODES,
  PROFILE_KINDS,
  type ProfileKind,
} from './principal.ts';
export type {
  ExecutionIdentity,
  ExecutionPrincipal,
  GatewayIdentity,
  GatewayPrincipal,
  Identity,
  OwnerIdentity,
  OwnerPrincipal,
  Principal,
  ServicePrincipal,
} from './principal.ts';
export { MEMBER_ROLES, type MemberRole, roleFor, type Scope, SCOPES } from './scope.ts';
