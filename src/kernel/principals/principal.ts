import type { Scope } from './scope.ts';

/** Whose a token is, and what it may do; its subject’s memberships decide the rest. */
export interface OwnerIdentity {
  readonly kind: 'owner';
  /** `token:<uuid>`, `oidc:<issuer>|<sub>` or `bootstrap`. */
  readonly subject: string;
  /** The name in the activity log. */
  readonly name: string;
  /** The id of a personal token; null for other tokens. */
  readonly tokenId: string | null;
  /** When the token expires; null for never. */
  readonly expiresAt: string | null;
  readonly scopes: readonly Scope[];
  /** The organizations of which the token is a member, if its subject is; null for all of the subject's. */
  readonly organizationIds: readonly string[] | null;
}

/** An owner, or a client that acts for one, at a route. */
export interface OwnerPrincipal extends OwnerIdentity {
  /** What the route does. The token has this scope; whether the member's role permits it, the database tells. */
  readonly scope: Scope;
}

/** A trusted agent runtime. */
export interface ServicePrincipal {
  readonly kind: 'service';
}

export const EXECUTION_KINDS = ['task_run', 'chat_turn'] as const;
export type ExecutionKind = (typeof EXECUTION_KINDS)[number];

export const PROFILE_KINDS = ['operator', 'chat', 'department'] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

export const MODES = ['plan', 'execute', 'verify'] as const;
export type Mode = (typeof MODES)[number];

/** One run or chat turn, as its token says; only the database knows whether it is still alive (`LiveExecutions`). */
export interface ExecutionIdentity {
  readonly kind: 'execution';
  readonly organizationId: string;
  readonly agentProfileId: string;
  readonly profileKey: string;
  readonly profileKind: ProfileKind;
  /** The department of a profile of kind `department`, otherwise null. */
  readonly department: string | null;
  readonly execution: ExecutionKind;
  /** The run's or the turn's id. */
  readonly executionId: string;
  /** The mode of a task run; null for a chat turn. */
  readonly mode: Mode | null;
  /** The generation of the lease; a later holder of the same execution has a higher one. */
  readonly generation: number;
  /** ISO 8601 in UTC with six digits; compared only with the database's clock. */
  readonly expiresAt: string;
}

/** An execution at a route. */
export interface ExecutionPrincipal extends ExecutionIdentity {
  /**
   * What the route does on behalf of the person whose message a turn answers: the token that posted the message must have
   * this scope (`LiveExecutions`). Null where it is the execution's own.
   */
  readonly scope: Scope | null;
}

/** What an execution may do by a capability: call the tools that only read, or all that it was given. */
export const GATEWAY_ACCESSES = ['read', 'write'] as const;
export type GatewayAccess = (typeof GATEWAY_ACCESSES)[number];

/** One execution at one integration, as its token says; whether both still stand only the database knows. */
export interface GatewayIdentity {
  readonly kind: 'gateway';
  /** Expires when the token does. */
  readonly execution: ExecutionIdentity;
  readonly integrationId: string;
  /** The organization's when the token was made. */
  readonly authorizationEpoch: number;
  readonly access: GatewayAccess;
}

/** An execution at one integration, at a route. */
export interface GatewayPrincipal extends GatewayIdentity {
  readonly execution: ExecutionPrincipal;
}

/** Whose a token is, before the route is looked at. */
export type Identity = OwnerIdentity | ServicePrincipal | ExecutionIdentity | GatewayIdentity;

export type Principal = OwnerPrincipal | ServicePrincipal | ExecutionPrincipal | GatewayPrincipal;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose the token is, set before the body is read. Absent on public routes. */
    identity?: Identity;
    /** The caller, set by the guard once the route admits it. Absent on public routes. */
    principal?: Principal;
  }
}
