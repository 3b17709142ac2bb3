/**
 * Guarantees: a token of the deployment's OpenID provider is an owner's only after its signature was checked with a key
 * that the provider publishes, and its issuer, audience, lifetime and kind with the configuration; while the keys are not
 * known, the answer is 503 and never an identity.
 * Refuses: keys and addresses that a token brings along, symmetric and unsigned tokens, and requests to the provider for
 * each forged token.
 */
export { OidcTokens, type VerifiedOwner } from './oidc-tokens.ts';
export { requireProvider } from './require-provider.ts';
