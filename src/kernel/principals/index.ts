/**
 * Who may call: owners, trusted agent runtimes and executions, as the guard leaves them on the request.
 *
 * Guarantees: each kind of caller is told apart by `kind`, and carries what its token says and nothing else.
 * Refuses: deciding; `kernel/auth` verifies tokens, `kernel/http/endpoint` says what a route lets in.
 */
export { EXECUTION_KINDS, type ExecutionKind, type Mode, MODES, PROFILE_KINDS, type ProfileKind } from './principal.ts';
export type { ExecutionPrincipal, OwnerPrincipal, Principal, ServicePrincipal } from './principal.ts';
