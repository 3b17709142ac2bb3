import { conflict } from '../../integrations/index.ts';
import { answerOf, firstDocument, textOf, textsOf } from '../documents.ts';
import { OauthIssues } from '../oauth.errors.ts';
import { unavailable } from '../unavailable.ts';
import { type BearerChallenge, bearerChallenge } from './bearer-challenge.ts';
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

/** The first request of the protocol, and one that needs a token where any does. */
const INITIALIZE = requestOf('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'service-integration', version: '1' },
});
const LIST = requestOf('tools/list', {});

/** Asks a server without a token, and reads its metadata where it has some. An outage never chooses another issuer. */
export async function protectedResource(endpoint: URL, get: typeof fetch): Promise<ProtectedResource> {
  const { isOpen, challenge } = await withoutToken(endpoint, get);
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

/**
 * Whether a server asks for a token, and how. Some greet everybody and ask only before they show their tools.
 */
async function withoutToken(
  endpoint: URL,
  get: typeof fetch,
): Promise<{ readonly isOpen: boolean; readonly challenge: BearerChallenge | undefined }> {
  const greeted = await answerOf(get, endpoint.href, INITIALIZE);
  const isOpen = await isOpenAnswer(greeted);
  if (!isOpen && greeted.status !== 401) throw unavailable();
  if (!isOpen) return { isOpen, challenge: challengeOf(greeted) };
  const listed = await answerOf(get, endpoint.href, LIST);
  await listed.body?.cancel();
  return { isOpen: listed.status !== 401, challenge: challengeOf(listed) };
}

function challengeOf({ headers }: Response): BearerChallenge | undefined {
  return bearerChallenge(headers.get('www-authenticate'));
}

function requestOf(method: string, params: object) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
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
