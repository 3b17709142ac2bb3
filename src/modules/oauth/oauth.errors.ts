import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';
import { OAUTH } from './oauth.policy.ts';

export const OauthErrors = defineErrors({
  tooManyStarts: {
    status: 409,
    code: 'state_conflict',
    message: `${OAUTH.mostLive} people are connecting this just now, as many as may at once: try again in ${OAUTH.stateMinutes} minutes.`,
  },
});

/** Why a connector cannot be authorized. */
export const OauthIssues = defineIssues({
  resourceMismatch: {
    code: 'resource_mismatch',
    message: 'The server names itself in its metadata by an address that does not cover its endpoint.',
  },
  noAuthorizationNeeded: {
    code: 'no_authorization_needed',
    message: 'The server answers without authorization: connect it without a credential.',
  },
  noAuthorizationMetadata: {
    code: 'no_authorization_metadata',
    message: 'The server does not say where it is authorized: connect it with a key instead.',
  },
  issuerMismatch: {
    code: 'issuer_mismatch',
    message: 'The authorization server calls itself by another address than the server names.',
  },
  unsafeServer: {
    code: 'unsafe_authorization_server',
    message: 'The authorization server lacks what keeps an authorization safe: codes with PKCE by S256.',
  },
  noClient: {
    code: 'no_client',
    message: 'This service has no client at the authorization server: its operator can add one to MCP_OAUTH_CLIENTS.',
  },
});
