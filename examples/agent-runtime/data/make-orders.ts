import { writeFileSync } from 'node:fs';

/**
 * Makes `orders.csv`: 320 orders of a company that sells a hosted service, always the same ones. The companies are
 * invented and use `.example`, which cannot be registered. Run it with `node
 * examples/agent-runtime/data/make-orders.ts`.
 */
const COMPANIES = [
  ['Kestrel Foods', 'kestrel-foods', 'DE'],
  ['Harbour & Pine, Ltd.', 'harbour-pine', 'GB'],
  ['Northwind Optics', 'northwind-optics', 'NO'],
  ['Atelier "Lumen"', 'atelier-lumen', 'FR'],
  ['Blue Quarry Stone', 'blue-quarry', 'IE'],
  ['Copperfield Tools', 'copperfield-tools', 'GB'],
  ['Delta Freight', 'delta-freight', 'NL'],
  ['Evergreen Clinics', 'evergreen-clinics', 'SE'],
  ['Fjord Logistics', 'fjord-logistics', 'NO'],
  ['Granite Payroll', 'granite-payroll', 'CH'],
  ['Hollow Oak Furniture', 'hollow-oak', 'DK'],
  ['Indigo Print', 'indigo-print', 'PT'],
  ['Juniper Labs', 'juniper-labs', 'FI'],
  ['Kiln & Clay', 'kiln-clay', 'ES'],
  ['Larkspur Travel', 'larkspur-travel', 'IT'],
  ['Meridian Schools', 'meridian-schools', 'AT'],
  ['Nutmeg Kitchens', 'nutmeg-kitchens', 'BE'],
  ['Orchard Insurance', 'orchard-insurance', 'DE'],
  ['Pebble Games', 'pebble-games', 'PL'],
  ['Quince Market', 'quince-market', 'CZ'],
  ['Riverbend Energy', 'riverbend-energy', 'DE'],
  ['Saltmarsh Studios', 'saltmarsh-studios', 'GB'],
  ['Thistle Outdoor', 'thistle-outdoor', 'IE'],
  ['Umber Design', 'umber-design', 'NL'],
  ['Verdant Farms', 'verdant-farms', 'FR'],
  ['Willow Dental', 'willow-dental', 'SE'],
  ['Yarrow Textiles', 'yarrow-textiles', 'PT'],
  ['Zephyr Cycles', 'zephyr-cycles', 'DK'],
] as const;
const PRODUCTS = [
  ['Starter plan', 19_00, 8],
  ['Team plan', 79_00, 20],
  ['Scale plan', 249_00, 12],
  ['Extra worker', 35_00, 30],
  ['Support hours', 95_00, 6],
  ['Workshop, on site', 1_450_00, 1],
] as const;
const CHANNELS = ['website', 'website', 'partner', 'sales', 'referral'] as const;
const NOTES = [
  '',
  '',
  '',
  '',
  'renewal',
  'paid by card',
  'said "as agreed", see offer',
  'two cost centres:\nA and B',
] as const;
const ORDERS = 320;
const HEADER =
  'order_id,ordered_on,customer,contact,country,channel,product,quantity,unit_price,discount_percent,status,note';

/** A small generator with a fixed seed (mulberry32): numbers in [0, 1) that are the same on every machine. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeOrders(): string {
  const next = numbers(20_261_127);
  const pick = <T>(from: readonly T[], power = 1): T => from[Math.floor(next() ** power * from.length)]!;
  const quote = (field: string | number): string => {
    const text = String(field);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const days = Array.from({ length: ORDERS }, () => Math.floor(next() * 181)).sort((a, b) => a - b);
  const rows = days.map((day, index) => {
    // A few companies order most, as in reality.
    const [company, domain, country] = pick(COMPANIES, 2.2);
    const [product, cents, most] = pick(PRODUCTS, 1.2);
    const fate = next();
    return [
      `ORD-${String(index + 1).padStart(4, '0')}`,
      new Date(Date.UTC(2026, 4, 1 + day)).toISOString().slice(0, 10),
      company,
      `orders@${domain}.example`,
      country,
      pick(CHANNELS),
      product,
      1 + Math.floor(next() * most),
      `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
      pick([0, 0, 0, 5, 10, 15]),
      fate < 0.05 ? 'refunded' : fate < 0.09 ? 'cancelled' : 'paid',
      pick(NOTES),
    ];
  });
  return `${[HEADER, ...rows.map((row) => row.map(quote).join(','))].join('\n')}\n`;
}

if (import.meta.main) writeFileSync(new URL('orders.csv', import.meta.url), makeOrders());
