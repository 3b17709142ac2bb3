import { unavailable } from './unavailable.ts';

/** Statuses that say that nothing is there; every other failure says nothing, so nothing else is tried. */
const ABSENT = new Set([404, 405, 410]);

export type JsonObject = Readonly<Record<string, unknown>>;

/** The first document that is there; 503 where an address does not say whether it has one. */
export async function firstDocument(get: typeof fetch, addresses: readonly string[]): Promise<JsonObject | undefined> {
  for (const address of addresses) {
    const response = await answerOf(get, address, { headers: { accept: 'application/json' } });
    if (response.status === 200) return objectIn(response);
    await response.body?.cancel();
    if (!ABSENT.has(response.status)) throw unavailable();
  }
  return undefined;
}

/** An answer, whatever its status; 503 where there is none. */
export async function answerOf(get: typeof fetch, address: string, init: RequestInit): Promise<Response> {
  try {
    return await get(address, init);
  } catch {
    throw unavailable();
  }
}

async function objectIn(response: Response): Promise<JsonObject> {
  try {
    const value: unknown = JSON.parse(await response.text());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Cut, too long, or no JSON.
  }
  throw unavailable();
}

export function textOf(document: JsonObject, name: string): string | undefined {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a list; undefined where there is no list. */
export function textsOf(document: JsonObject, name: string): readonly string[] | undefined {
  const value = document[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}
