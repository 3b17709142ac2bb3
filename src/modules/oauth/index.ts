/**
 * How connectors are authorized at other services, and how their tokens stay fresh. Written with statements: callbacks,
 * confirmations and refreshes are fenced moves of one row.
 */
export { OAuthClient } from './mcp/oauth-client.entity.ts';
export { OauthModule } from './oauth.module.ts';
export { OAuthState } from './states/oauth-state.entity.ts';
