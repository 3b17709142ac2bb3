/**
 * Guarantees: a route lets in exactly the schemes that its `@Endpoint` names, read from the Authorization header only, and
 * owners only by a token with the scope that it names.
 * Whether the execution behind a capability lives is asked in the request's own round trip, of the module that registered with
 * `LiveExecutions`.
 * Refuses: routes without a spec, tokens in query or body, and to say of a token that is not known here why it is not.
 */
export { AuthModule } from './auth.module.ts';
export { Capabilities, CAPABILITY_SECONDS, type ExecutionClaims } from './capabilities.ts';
export {
  type BoundTo,
  type HeldChatTurn,
  type HeldExecution,
  type HeldTaskRun,
  LiveExecutions,
} from './live-executions.port.ts';
export type { ExecutionState } from './live-executions.queries.ts';
export { FailedAttempts } from './failed-attempts.ts';
export { GuardedReaders } from './guarded-readers.ts';
export type { ReaderAccess } from './lost-accesses.queries.ts';
export { requireProvider } from './oidc/index.ts';
export { OwnerIdentities, TOKEN_PREFIX } from './owner-identities.ts';
export { AgentCaller, Caller, Execution, Gateway, Owner, RuntimeCaller } from './principal.decorators.ts';
export {
  EXECUTION_KINDS,
  type ExecutionKind,
  type ExecutionPrincipal,
  type GatewayPrincipal,
  type OwnerPrincipal,
  type Principal,
  type ProfileKind,
  type ServicePrincipal,
} from '../principals/index.ts';
