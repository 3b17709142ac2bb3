import type { AuthorizationServer } from './authorization-server.ts';
import type { ConnectorRow } from '../integrations/index.ts';

/** A connector that an owner wants to authorize, as it stands. */
export interface AskingConnector {
  readonly row: ConnectorRow;
  /** Of the credential that it has; null without. */
  readonly issuer: string | null;
  readonly grantedScopes: readonly string[];
}

/** How a connector is to be authorized: with whom, as whom, for what. */
export type PlannedAuthorization = PlannedOAuth2 | PlannedOAuth1;

export interface PlannedOAuth2 {
  readonly protocol: 'oauth2';
  readonly server: AuthorizationServer;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  /** Of a client that was registered. */
  readonly clientSecret: string | null;
  /** Whether an ID token shall say who authorizes. */
  readonly asksIdentity: boolean;
  /** Parameters that only this server knows. */
  readonly more: Readonly<Record<string, string>>;
}

export interface PlannedOAuth1 {
  readonly protocol: 'oauth1';
  readonly server: AuthorizationServer;
  readonly requestToken: { readonly key: string; readonly secret: string };
  /** The state that the callback carries beside the token. */
  readonly ownState: string;
}
