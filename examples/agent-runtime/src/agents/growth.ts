import { AgentFailure } from '../failure.ts';
import { parseCsv } from '../files/csv.ts';
import { compare } from '../files/graph.ts';
import { type Agent, asJson, table } from './agent.ts';

export interface Order {
  readonly id: string;
  readonly month: string;
  readonly customer: string;
  readonly domain: string;
  readonly channel: string;
  readonly product: string;
  readonly status: string;
  /** Integer cents, because sums of decimals would depend on the order of the rows. */
  readonly cents: number;
}

export interface Ranking {
  readonly rank: number;
  readonly customer: string;
  readonly domain: string;
  readonly orders: number;
  readonly revenueCents: number;
  readonly shareBasisPoints: number;
  readonly cumulativeBasisPoints: number;
}

/** Reports which customers, products and channels the paid orders come from. */
export const growth: Agent = async (work) => {
  const path = work.inputs.find((each) => each.endsWith('.csv'));
  if (!path) throw new AgentFailure('input_missing', 'The task names no CSV file of orders', 'config');
  const orders = await work.step('orders', async () => readOrders(await work.read(path), path));
  const paid = orders.filter(({ status }) => status === 'paid');
  const ranking = await work.step('ranking', () => rankCustomers(paid));
  const vital = ranking.filter(({ cumulativeBasisPoints, shareBasisPoints }) => {
    return cumulativeBasisPoints - shareBasisPoints < 8_000;
  });
  const total = sum(paid);
  const returned = orders.filter(({ status }) => status === 'refunded');
  const summary =
    `${paid.length} paid orders of ${ranking.length} customers bring ${euros(total)}; ` +
    `${vital.length} customers make up 80 % of it. ${returned.length} orders (${euros(sum(returned))}) were refunded.`;
  const report = [
    '# Where the revenue comes from',
    summary,
    '## Largest customers',
    table(
      ['#', 'customer', 'orders', 'revenue', 'share', 'cumulative'],
      ranking
        .slice(0, 10)
        .map((each) => [
          each.rank,
          each.customer,
          each.orders,
          euros(each.revenueCents),
          percent(each.shareBasisPoints),
          percent(each.cumulativeBasisPoints),
        ]),
    ),
    ...(['month', 'product', 'channel'] as const).flatMap((key) => [
      `## By ${key}`,
      table([key, 'orders', 'revenue'], groupRows(paid, key)),
    ]),
  ].join('\n\n');
  return {
    kind: 'completed',
    summary,
    deliveries: [
      { kind: 'department-report', name: 'growth-report.md', mediaType: 'text/markdown', text: `${report}\n` },
      { kind: 'customer-ranking', name: 'customer-ranking.json', mediaType: 'application/json', text: asJson(ranking) },
    ],
  };
};

export function readOrders(text: string, name: string): Order[] {
  return parseCsv(text, name).map((row, index) => {
    const bad = (field: string): never => {
      const found = JSON.stringify(row[field] ?? null);
      throw new AgentFailure('csv_bad_value', `${name}, order ${index + 1}: ${field} is ${found}`, 'config');
    };
    const number = (field: string): number => (/^\d+$/.test(row[field] ?? '') ? Number(row[field]) : bad(field));
    const price = /^(\d+)\.(\d\d)$/.exec(row.unit_price ?? '') ?? bad('unit_price');
    if (!/^\d{4}-\d\d-\d\d$/.test(row.ordered_on ?? '')) bad('ordered_on');
    if (!['paid', 'refunded', 'cancelled'].includes(row.status ?? '')) bad('status');
    for (const field of ['order_id', 'customer', 'contact', 'channel', 'product']) if (!row[field]) bad(field);
    const gross = number('quantity') * (Number(price[1]) * 100 + Number(price[2]));
    return {
      id: row.order_id!,
      month: row.ordered_on!.slice(0, 7),
      customer: row.customer!,
      domain: row.contact!.split('@')[1] ?? bad('contact'),
      channel: row.channel!,
      product: row.product!,
      status: row.status!,
      cents: Math.round((gross * (100 - number('discount_percent'))) / 100),
    };
  });
}

export function rankCustomers(orders: readonly Order[]): Ranking[] {
  const total = sum(orders);
  let cumulative = 0;
  return [...Map.groupBy(orders, ({ customer }) => customer)]
    .map(([customer, own]) => ({ customer, domain: own[0]!.domain, orders: own.length, revenueCents: sum(own) }))
    .sort((a, b) => b.revenueCents - a.revenueCents || compare(a.customer, b.customer))
    .map(({ customer, domain, orders, revenueCents }, index) => {
      cumulative += revenueCents;
      return {
        rank: index + 1,
        customer,
        domain,
        orders,
        revenueCents,
        shareBasisPoints: Math.round((revenueCents * 10_000) / total),
        cumulativeBasisPoints: Math.round((cumulative * 10_000) / total),
      };
    });
}

function groupRows(orders: readonly Order[], key: 'month' | 'product' | 'channel'): (string | number)[][] {
  return [...Map.groupBy(orders, (order) => order[key])]
    .map(([name, own]) => ({ name, own, cents: sum(own) }))
    .sort((a, b) => (key === 'month' ? compare(a.name, b.name) : b.cents - a.cents || compare(a.name, b.name)))
    .map(({ name, own, cents }) => [name, own.length, euros(cents)]);
}

const sum = (orders: readonly Order[]): number => orders.reduce((total, { cents }) => total + cents, 0);

export function euros(cents: number): string {
  return `€${String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, ',')}.${String(cents % 100).padStart(2, '0')}`;
}

const percent = (basisPoints: number): string => `${(basisPoints / 100).toFixed(1)} %`;
