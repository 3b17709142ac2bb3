import { ApiError, EdgeErrors, EdgeIssues, unauthorized } from '../errors/index.ts';
import type { OwnerIdentity, Scope } from '../principals/index.ts';

/** An owner as far as it matters for entering an organization, and what it is about to do there. */
export interface Entrant {
  readonly subject: string;
  readonly organizationIds: readonly string[] | null;
  readonly scope: Scope;
}

/** Refuses what the token may not do anywhere. */
export function requireScope({ scopes }: Pick<OwnerIdentity, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope)) throw outOfScope(`lacks the scope "${scope}", which this takes`);
}

/** Refuses an organization of which the token is no member, in the words for one that does not exist. */
export function requireOpen({ organizationIds }: Entrant, organizationId: string): void {
  if (organizationIds && !organizationIds.includes(organizationId.toLowerCase()))
    throw new ApiError(EdgeErrors.organizationNotFound);
}

/** Refuses what reaches beyond the organizations to which the token is limited. */
export function requireUnlimited({ organizationIds }: Entrant): void {
  if (organizationIds) throw outOfScope('is limited to some organizations, and this makes another one');
}

/** The 401 for what the token, or the role of its member, does not permit. */
export function outOfScope(message: string): ApiError {
  return unauthorized(EdgeErrors.ownerUnauthorized, EdgeIssues.notInScope, message);
}
