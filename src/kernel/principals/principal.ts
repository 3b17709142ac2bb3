/** An owner, or a client that acts for one. */
export interface OwnerPrincipal {
  readonly kind: 'owner';
  /** `token:<uuid>` or `bootstrap`. */
  readonly subject: string;
  /** How the activity log names them. */
  readonly name: string;
  /** The token that they call with; null for the bootstrap token. */
  readonly tokenId: string | null;
  /** When it expires; null when it never does. */
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

/** One run or chat turn, as its token says; whether it still lives only the database knows (`LiveExecutions`). */
export interface ExecutionPrincipal {
  readonly kind: 'execution';
  readonly organizationId: string;
  readonly agentProfileId: string;
  readonly profileKey: string;
  readonly profileKind: ProfileKind;
  /** Of a profile of kind `department`, else null. */
  readonly department: string | null;
  readonly execution: ExecutionKind;
  /** The run's or the turn's id. */
  readonly executionId: string;
  /** Of a task run; null in a chat turn. */
  readonly mode: Mode | null;
  /** Of the lease: a later holder of the same execution has a higher one. */
  readonly generation: number;
  /** ISO 8601 in UTC with six digits; compared with the database's clock only. */
  readonly expiresAt: string;
}

export type Principal = OwnerPrincipal | ServicePrincipal | ExecutionPrincipal;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, set by the guard. Absent on public routes. */
    principal?: Principal;
  }
}
