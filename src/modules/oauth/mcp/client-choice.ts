import type { McpOAuth2Client } from '../../../config/index.ts';
import { CLIENT_AUTH_METHODS, type AuthorizationClient } from '../authorization-server.ts';
import type { IssuerMetadata } from './issuer-metadata.ts';

/** As whom the service shall go to an issuer, before any registration: `undefined` is nobody. */
export type ClientChoice =
  | { readonly kind: 'known'; readonly client: AuthorizationClient }
  | { readonly kind: 'register'; readonly address: string }
  | undefined;

interface Choices {
  readonly deployment: readonly McpOAuth2Client[];
  /** The address of the service's own metadata document; undefined where it has none. */
  readonly documentAddress: string | undefined;
  readonly registers: boolean;
}

/** The deployment's client, else the service's metadata document, else a registration. */
export function clientChoice(
  metadata: IssuerMetadata,
  { deployment, documentAddress, registers }: Choices,
): ClientChoice {
  const configured = deployment.find(({ issuer }) => issuer === metadata.issuer);
  if (configured) return known('deployment', configured.clientId, configured.authMethod);
  if (metadata.readsClientDocuments && documentAddress !== undefined) return known('document', documentAddress, 'none');
  if (!registers || metadata.registrationEndpoint === undefined) return undefined;
  return { kind: 'register', address: metadata.registrationEndpoint };
}

function known(
  source: AuthorizationClient['source'],
  clientId: string,
  authMethod: AuthorizationClient['authMethod'],
): ClientChoice {
  return { kind: 'known', client: { source, clientId, authMethod, registrationId: null } };
}

/** Of several issuers the one that the connector used, else the first with a client of the deployment, else the first. */
export function issuerChoice(
  issuers: readonly string[],
  used: string | null,
  deployment: readonly McpOAuth2Client[],
): string {
  const mine = new Set(deployment.map(({ issuer }) => issuer));
  return issuers.find((issuer) => issuer === used) ?? issuers.find((issuer) => mine.has(issuer)) ?? issuers[0]!;
}

/** How the service proves itself where it registers: as strongly as the issuer takes it. */
export function registeredMethod(supported: readonly string[] | undefined): AuthorizationClient['authMethod'] {
  const strongest = ['client_secret_basic', 'client_secret_post', 'none'] as const;
  // What an issuer takes that does not say it (RFC 8414).
  const taken = supported ?? ['client_secret_basic'];
  return strongest.find((method) => taken.includes(method)) ?? 'client_secret_basic';
}

/** The method that a registration was answered with; undefined for one that the service does not speak. */
export function answeredMethod(
  method: string | undefined,
  hasSecret: boolean,
): AuthorizationClient['authMethod'] | undefined {
  const said = method ?? (hasSecret ? 'client_secret_basic' : 'none');
  const spoken = CLIENT_AUTH_METHODS.find((each) => each === said);
  return spoken === undefined || hasSecret || spoken === 'none' ? spoken : undefined;
}
