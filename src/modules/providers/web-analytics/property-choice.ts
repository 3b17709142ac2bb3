import { failed } from '../wire/index.ts';
import type { AnalyticsClient, PropertySummary } from './client.ts';

const PAGE_SIZE = 200;
const MOST_PAGES = 10;
const MOST_OPTIONS = 500;

export interface PropertyChoice {
  readonly items: readonly PropertySummary[];
  /** Whether there are more than these. */
  readonly truncated: boolean;
}

/** What the person who authorized may choose from, each property once. */
export async function propertyChoice(client: AnalyticsClient): Promise<PropertyChoice> {
  const items = new Map<string, PropertySummary>();
  const tokens = new Set<string>();
  let token: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { summaries, next } = await client.summaries(PAGE_SIZE, token);
    for (const each of summaries) items.set(each.propertyId, each);
    if (items.size > MOST_OPTIONS) break;
    if (next === undefined) return { items: [...items.values()], truncated: false };
    // A list that leads back to itself never ends.
    if (tokens.has(next)) throw failed('bad_answer', { status: 200 });
    tokens.add(next);
    token = next;
  }
  return { items: [...items.values()].slice(0, MOST_OPTIONS), truncated: true };
}
