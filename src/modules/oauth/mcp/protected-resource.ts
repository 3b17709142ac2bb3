import { conflict } from '../../integrations/index.ts';
import { answerOf, firstDocument, textOf, textsOf } from '../documents.ts';
import { OauthIssues } from '../oauth.errors.ts';
import { unavailable } from '../unavailable.ts';
import { bearerChallenge } from './bearer-challenge.ts';
import { coversEndpoint, ownResource, resourceMetadataAddresses } from './metadata-addresses.ts';

/** What an MCP server says of how it is authorized. */
export interface ProtectedResource {
  /** What tokens are asked for, letter for letter. */
  readonly resource: string;
  /** The authorization servers that it names; without metadata its own origin. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly challengedScope: string | undefined;
}

/** The first request of the protocol, which servers answer before or after they ask for a token. */
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'service-integration', version: '1' },
  },
});

/** Asks a server without a token, and reads its metadata where it has some. An outage never chooses another issuer. */
export async function protectedResource(endpoint: URL, get: typeof fetch): Promise<ProtectedResource> {
  const response = await answerOf(get, endpoint.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: INITIALIZE,
  });
  const isOpen = await isOpenAnswer(response);
  if (!isOpen && response.status !== 401) throw unavailable();
  const challenge = bearerChallenge(response.headers.get('www-authenticate'));
  const metadata = await firstDocument(get, resourceMetadataAddresses(endpoint, challenge?.resourceMetadata));
  if (!metadata && isOpen) throw conflict(OauthIssues.noAuthorizationNeeded);
  const resource = metadata ? textOf(metadata, 'resource') : ownResource(endpoint);
  if (resource === undefined || !coversEndpoint(resource, endpoint)) throw conflict(OauthIssues.resourceMismatch);
  const issuers = (metadata && textsOf(metadata, 'authorization_servers')) ?? [];
  return {
    resource,
    issuers: issuers.length > 0 ? issuers : [endpoint.origin],
    scopes: metadata && textsOf(metadata, 'scopes_supported'),
    challengedScope: challenge?.scope,
  };
}

/** Whether a server works without a token; one of a newer revision refuses the request, though in the protocol's words. */
async function isOpenAnswer(response: Response): Promise<boolean> {
  if (response.status !== 400) {
    await response.body?.cancel();
    return response.ok;
  }
  try {
    const message: unknown = JSON.parse(await response.text());
    return typeof message === 'object' && message !== null && 'jsonrpc' in message && 'error' in message;
  } catch {
    return false;
  }
}
