import { conflict, IntegrationIssues } from '../../integrations/index.ts';
import { firstDocument, type JsonObject, textOf, textsOf } from '../documents.ts';
import { OauthIssues } from '../oauth.errors.ts';
import { unavailable } from '../unavailable.ts';
import { issuerMetadataAddresses } from './metadata-addresses.ts';

/** An authorization server, as its metadata describe it. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** How clients may prove themselves at the token endpoint. */
  readonly authMethods: readonly string[] | undefined;
  /** Whether its answers name it (RFC 9207). */
  readonly namesItself: boolean;
  /** Whether a client may be known by the address of its metadata. */
  readonly readsClientDocuments: boolean;
}

/** Approves an address; where it does not, the connection ends there. */
export type Approves = (address: string) => boolean;

const LONGEST_ISSUER = 500;

/** Reads the metadata of an issuer, which must be those of exactly this one, safe, and at approved origins. */
export async function issuerMetadata(issuer: string, get: typeof fetch, approves: Approves): Promise<IssuerMetadata> {
  requireApproved(issuer, approves);
  const url = new URL(issuer);
  if (url.search || url.hash || issuer.length > LONGEST_ISSUER) throw conflict(OauthIssues.issuerMismatch);
  const document = await firstDocument(get, issuerMetadataAddresses(url));
  if (!document) throw conflict(OauthIssues.noAuthorizationMetadata);
  if (textOf(document, 'issuer') !== issuer) throw conflict(OauthIssues.issuerMismatch);
  const metadata = metadataIn(document, issuer);
  requireSafe(document);
  const { authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint } = metadata;
  for (const address of [authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint])
    if (address !== undefined) requireApproved(address, approves);
  return metadata;
}

function metadataIn(document: JsonObject, issuer: string): IssuerMetadata {
  const authorizationEndpoint = textOf(document, 'authorization_endpoint');
  const tokenEndpoint = textOf(document, 'token_endpoint');
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) throw unavailable();
  return {
    issuer,
    authorizationEndpoint,
    tokenEndpoint,
    registrationEndpoint: textOf(document, 'registration_endpoint'),
    revocationEndpoint: textOf(document, 'revocation_endpoint'),
    scopes: textsOf(document, 'scopes_supported'),
    authMethods: textsOf(document, 'token_endpoint_auth_methods_supported'),
    namesItself: document.authorization_response_iss_parameter_supported === true,
    readsClientDocuments: document.client_id_metadata_document_supported === true,
  };
}

function requireSafe(document: JsonObject): void {
  const types = textsOf(document, 'response_types_supported');
  const challenges = textsOf(document, 'code_challenge_methods_supported');
  if (!challenges?.includes('S256') || types?.includes('code') === false) throw conflict(OauthIssues.unsafeServer);
}

/** 409 `origin_not_approved`, which names the origin so that an operator can judge it. */
export function requireApproved(address: string, approves: Approves): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && !url.username && !url.password && !url.hash && approves(address)) return;
  const origin = url && /^https?:$/.test(url.protocol) ? url.origin : 'an address that is none of the web';
  throw conflict(
    IntegrationIssues.originNotApproved,
    `The deployment does not approve ${origin}, where the connector is authorized; ask its operator.`,
  );
}
