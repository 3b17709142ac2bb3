import type { KeyObject } from 'node:crypto';
import {
  ApprovedOrigins,
  ConfigError,
  type McpClient,
  type McpOAuth1Client,
  type McpOAuth2Client,
} from './values/index.ts';
import type { Settings } from './settings.ts';

/** Where connectors may lie, and as whom the deployment is known there. Never logged, because clients have secrets. */
export interface IntegrationsConfig {
  readonly approvedOrigins: ApprovedOrigins;
  readonly oauth2Clients: readonly McpOAuth2Client[];
  readonly oauth1Clients: readonly McpOAuth1Client[];
  /** Whether the service registers itself where it has no client. */
  readonly registers: boolean;
  /** Domains behind a dot, below which key-value stores lie. */
  readonly keyValueHosts: readonly string[];
  /** As which roles in cloud accounts are assumed. */
  readonly cloudIdentity: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly workspaceClient: { readonly clientId: string; readonly clientSecret: string } | undefined;
  /** Domains with a dot before them, below which clusters of document databases lie. */
  readonly documentDbHosts: readonly string[];
  /** The app whose installations are connected; undefined where there are tokens of people only. */
  readonly codeHostApp: { readonly id: string; readonly key: KeyObject } | undefined;
  /** Who plays the code host in a trial; undefined for the host itself. */
  readonly codeHostLocalOrigin: string | undefined;
  /** Where a browser goes after a callback; undefined for a page of the service. */
  readonly returnUrl: string | undefined;
}

/** Addresses in the clear, which only a trial's local peers may have. */
export function integrationFaults(settings: Settings): ConfigError[] {
  const given = [
    ['INTEGRATION_APPROVED_ORIGINS', settings.INTEGRATION_APPROVED_ORIGINS],
    ['MCP_OAUTH_CLIENTS', settings.MCP_OAUTH_CLIENTS.flatMap(addressesOf)],
  ] as const;
  const inTheClear = (address: string) =>
    address.startsWith('http:') && !settings.EGRESS_LOCAL_PEERS.includes(new URL(address).origin);
  return given
    .filter(([, addresses]) => addresses.some(inTheClear))
    .map(([name]) => new ConfigError(name, 'has an address that begins with http: and is not of EGRESS_LOCAL_PEERS'));
}

/** One half of a client. */
export function workspaceFaults(settings: Settings): ConfigError[] {
  const { WORKSPACE_OAUTH_CLIENT_ID: id, WORKSPACE_OAUTH_CLIENT_SECRET: secret } = settings;
  if (id !== undefined && secret === undefined)
    return [new ConfigError('WORKSPACE_OAUTH_CLIENT_SECRET', 'is required when WORKSPACE_OAUTH_CLIENT_ID is set')];
  if (id === undefined && secret !== undefined)
    return [new ConfigError('WORKSPACE_OAUTH_CLIENT_ID', 'is required when WORKSPACE_OAUTH_CLIENT_SECRET is set')];
  return [];
}

/** One half of an app, and another host than a peer of a trial, of which deployments have none. */
export function codeHostFaults(settings: Settings): ConfigError[] {
  const { CODE_HOST_APP_ID: id, CODE_HOST_APP_KEY: key, CODE_HOST_LOCAL_ORIGIN: origin } = settings;
  if (origin !== undefined && !settings.EGRESS_LOCAL_PEERS.includes(origin))
    return [new ConfigError('CODE_HOST_LOCAL_ORIGIN', 'is none of EGRESS_LOCAL_PEERS')];
  if (id !== undefined && key === undefined)
    return [new ConfigError('CODE_HOST_APP_KEY', 'is required when CODE_HOST_APP_ID is set')];
  if (id === undefined && key !== undefined)
    return [new ConfigError('CODE_HOST_APP_ID', 'is required when CODE_HOST_APP_KEY is set')];
  return [];
}

/** One half of a key pair. */
export function cloudFaults(settings: Settings): ConfigError[] {
  const halves = ['CLOUD_ACCOUNT_ACCESS_KEY_ID', 'CLOUD_ACCOUNT_SECRET_ACCESS_KEY'] as const;
  const missing = halves.filter((name) => settings[name] === undefined);
  return missing.length === 1
    ? [new ConfigError(missing[0]!, 'is required because the other half of the key pair is set')]
    : [];
}

export function integrationsOf(settings: Settings): IntegrationsConfig {
  const { WORKSPACE_OAUTH_CLIENT_ID: clientId, WORKSPACE_OAUTH_CLIENT_SECRET: clientSecret } = settings;
  const { CODE_HOST_APP_ID: appId, CODE_HOST_APP_KEY: appKey } = settings;
  const { CLOUD_ACCOUNT_ACCESS_KEY_ID: accessKeyId, CLOUD_ACCOUNT_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const clients = settings.MCP_OAUTH_CLIENTS;
  return {
    approvedOrigins: new ApprovedOrigins(settings.INTEGRATION_APPROVED_ORIGINS),
    oauth2Clients: clients.filter((client) => client.kind === 'oauth2'),
    oauth1Clients: clients.filter((client) => client.kind === 'oauth1'),
    registers: settings.MCP_OAUTH_REGISTRATION,
    keyValueHosts: settings.KEY_VALUE_HOSTS,
    cloudIdentity: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    workspaceClient: clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret },
    documentDbHosts: settings.DOCUMENT_DB_HOSTS,
    codeHostApp: appId === undefined || appKey === undefined ? undefined : { id: appId, key: appKey },
    codeHostLocalOrigin: settings.CODE_HOST_LOCAL_ORIGIN,
    returnUrl: settings.OAUTH_RETURN_URL,
  };
}

function addressesOf(client: McpClient): readonly string[] {
  if (client.kind === 'oauth2') return [client.issuer];
  return [client.origin, client.requestTokenUrl, client.authorizationUrl, client.accessTokenUrl];
}
