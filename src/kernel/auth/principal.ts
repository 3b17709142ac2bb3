/** An owner, or a client that acts for one. */
export interface OwnerPrincipal {
  readonly kind: 'owner';
  /** `token:<uuid>` or `bootstrap`. */
  readonly subject: string;
  /** How the activity log names them. */
  readonly name: string;
  /** When the token that they call with expires; null when it never does. */
  readonly expiresAt: string | null;
}

/** A trusted agent runtime. */
export interface ServicePrincipal {
  readonly kind: 'service';
}

export type Principal = OwnerPrincipal | ServicePrincipal;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, set by the guard. Absent on public routes. */
    principal?: Principal;
  }
}
