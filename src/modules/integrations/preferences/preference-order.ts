import type { PreferenceOrder } from './preferences.queries.ts';

/** The order with a connector behind the others of each of its purposes; the same object where it is everywhere already. */
export function withConnector(order: PreferenceOrder, key: string, purposes: readonly string[]): PreferenceOrder {
  const missing = purposes.filter((purpose) => !keysOf(order, purpose).includes(key));
  if (missing.length === 0) return order;
  return { ...order, ...Object.fromEntries(missing.map((purpose) => [purpose, [...keysOf(order, purpose), key]])) };
}

/** The order without a connector; the same object where it has none of it. */
export function withoutConnector(order: PreferenceOrder, key: string): PreferenceOrder {
  if (!Object.values(order).some((keys) => keys.includes(key))) return order;
  const left = Object.entries(order).map(([purpose, keys]) => [purpose, keys.filter((each) => each !== key)] as const);
  return Object.fromEntries(left.filter(([, keys]) => keys.length > 0));
}

/** The keys of a purpose, which may be any word. */
export function keysOf(order: PreferenceOrder, purpose: string): readonly string[] {
  return Object.hasOwn(order, purpose) ? order[purpose]! : [];
}
