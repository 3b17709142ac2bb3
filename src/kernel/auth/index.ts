/**
 * Guarantees: a route lets in exactly the schemes that its `@Endpoint` names, read from the Authorization header only.
 * Refuses: routes without a spec, tokens in query or body, and telling a wrong kind of token from a forged one.
 */
export { AuthModule } from './auth.module.ts';
export { OwnerIdentities, TOKEN_PREFIX } from './owner-identities.ts';
export { Owner } from './owner.decorator.ts';
export type { OwnerPrincipal, Principal } from './principal.ts';
