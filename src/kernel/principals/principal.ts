/** An owner, or a client that acts for one. */
export interface OwnerPrincipal {
  readonly kind: 'owner';
  /** `token:<uuid>`, `oidc:<issuer>|<sub>` or `bootstrap`. */
  readonly subject: string;
  /** The name in the activity log. */
  readonly name: string;
  /** The id of a personal token; null for other tokens. */
  readonly tokenId: string | null;
  /** When the token expires; null for never. */
  readonly expiresAt: string | null;
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
export interface ExecutionPrincipal {
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

export type Principal = OwnerPrincipal | ServicePrincipal | ExecutionPrincipal;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, set by the guard. Absent on public routes. */
    principal?: Principal;
  }
}
