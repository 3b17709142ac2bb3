import type { GivenSecret, ProviderNet } from '../../integrations/index.ts';
import { ask, failed, isObject, type JsonObject, requireShape } from '../wire/index.ts';
import { SUPPORT_HOST } from './manifest.ts';

/** Who asks: a keypair, and what it was made for. */
export interface Keypair {
  readonly identifier: string;
  readonly key: string;
  readonly tier: 'website' | 'plugin';
}

/** Of a conversation all that is ever read. */
export interface Conversation {
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly isWaiting: boolean;
}

/** Conversations a page, as the provider's own example has it. */
export const PAGE = 50;

export function keypairOf(secret: GivenSecret): Keypair {
  const { identifier = '', key = '', tier } = secret;
  return { identifier, key, tier: tier === 'plugin' ? 'plugin' : 'website' };
}

/** Headers of every request, over MCP too. */
export function headersOf({ identifier, key, tier }: Keypair): Readonly<Record<string, string>> {
  return {
    authorization: `Basic ${Buffer.from(`${identifier}:${key}`).toString('base64')}`,
    'x-crisp-tier': tier,
  };
}

/** What the website is called, of which the keypair must be. */
export async function websiteName(websiteId: string, keypair: Keypair, net: ProviderNet): Promise<string> {
  const { data, status } = await get(`/v1/website/${websiteId}`, keypair, net);
  requireShape(isObject(data) && isWebsite(data, websiteId), { status });
  const { name } = data;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : websiteId;
}

/** One page of conversations, from 1; an empty one is behind the last. Nothing personal is taken of them. */
export async function conversationsOf(
  websiteId: string,
  page: number,
  query: Readonly<Record<string, string>>,
  keypair: Keypair,
  net: ProviderNet,
): Promise<readonly Conversation[]> {
  const path = `/v1/website/${websiteId}/conversations/${page}`;
  const { data, status } = await get(path, keypair, net, query);
  requireShape(Array.isArray(data), { status });
  return data.map((each: unknown) => {
    requireShape(isObject(each) && isWebsite(each, websiteId), { status });
    const { session_id: sessionId, created_at: createdAt, waiting_since: waitingSince } = each;
    requireShape(typeof sessionId === 'string' && sessionId.length <= 200, { status });
    requireShape(Number.isSafeInteger(createdAt), { status });
    return {
      sessionId,
      createdAt: createdAt as number,
      isWaiting: typeof waitingSince === 'number' && waitingSince > 0,
    };
  });
}

async function get(
  path: string,
  keypair: Keypair,
  net: ProviderNet,
  query: Readonly<Record<string, string>> = {},
): Promise<{ readonly data: unknown; readonly status: number }> {
  const url = new URL(path, `https://${SUPPORT_HOST}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { body, status } = await ask(net, { method: 'GET', url, headers: headersOf(keypair) });
  if (!isObject(body) || body['error'] !== false) throw failed('bad_answer', { status });
  return { data: body['data'], status };
}

function isWebsite({ website_id: id }: JsonObject, websiteId: string): boolean {
  return typeof id === 'string' && id.toLowerCase() === websiteId;
}
