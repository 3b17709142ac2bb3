import { AgentFailure } from '../failure.ts';
import { parseCsv } from '../files/csv.ts';
import { compare } from '../files/graph.ts';
import { type Agent, asJson, type Finished, table, type Work } from './agent.ts';

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
  const returned = orders.filter(({ status }) => status === 'refunded');
  const asked = await askWhatWentWrong(work, ranking, returned);
  if (asked && 'kind' in asked) return asked;
  const total = sum(paid);
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
    ...(asked ? ['## Asked what went wrong', table(['customer', 'order'], [[asked.customer, asked.order]])] : []),
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

const ORDERS = { purpose: 'orders', read: 'list_orders', note: 'note_order', write: 'message_customer' };

interface Asked {
  readonly customer: string;
  readonly order: string;
}

/**
 * Asks the largest customer that gave something back what went wrong, where the organization is connected to its orders: reads
 * which order that was, notes that it asks, and writes to the customer. Where a person has to approve that, the run ends, and
 * the next one makes the same calls again. What cannot be done is left out: the report needs none of it.
 */
async function askWhatWentWrong(
  work: Work,
  ranking: readonly Ranking[],
  returned: readonly Order[],
): Promise<Asked | Finished | undefined> {
  const live = work.connector(ORDERS.purpose);
  const customer = ranking.find((each) => returned.some((order) => order.customer === each.customer))?.customer;
  if (!live || !customer || ![ORDERS.read, ORDERS.note, ORDERS.write].every((tool) => live.offers(tool)))
    return undefined;
  const order = await work.step('refunded', async () => {
    const found = await live.read(ORDERS.read, { customer, status: 'refunded', limit: 1 });
    const [newest] = (found?.orders ?? []) as { readonly order_id: string; readonly note: string }[];
    // Whom we wrote to before is not asked again.
    return newest && !newest.note.includes('wrote: ') ? newest.order_id : null;
  });
  if (order === null) return undefined;
  const acted = [
    await live.act(ORDERS.note, { order_id: order, text: 'We ask what went wrong.' }),
    await live.act(ORDERS.write, { order_id: order, text: `Your ${order} came back to us. What can we do better?` }),
  ];
  const actionIds = acted.flatMap((each) => (each.kind === 'waits' ? [each.actionId] : []));
  if (actionIds.length === 0) return { customer, order };
  return { kind: 'action_wait', summary: `Waits before it asks ${customer} about ${order}`, actionIds };
}

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
