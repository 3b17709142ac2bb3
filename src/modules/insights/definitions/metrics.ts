import { datasetOf } from './datasets.ts';
import type { BuiltinMetric, FormulaNode } from './metric.ts';
import { type Dataset, type Dimension, GRAINS, type MeasurementKind, type Unit } from './vocabulary.ts';

/** A formula as it is written here: measures by their names, sums of them, and one quotient at most. */
type Sum = { readonly plus: readonly string[]; readonly minus?: readonly string[] };

interface MetricFacts {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly unit: Unit;
  readonly kind: MeasurementKind;
  readonly value: Sum;
  /** Of ratios. */
  readonly by?: Sum;
  readonly dimensions?: readonly Dimension[];
}

function metric(dataset: Dataset, { key, name, description, unit, kind, value, by, dimensions = [] }: MetricFacts) {
  const { sourceTimezone, nonOverlappingScopes } = datasetOf(dataset);
  const nodes: FormulaNode[] = [];
  const step = (node: FormulaNode) => nodes.push(node) - 1;
  const total = (names: readonly string[]) => {
    const operands = names.map((measure) => step({ kind: 'measure', measure }));
    return operands.length === 1 ? operands[0]! : step({ kind: 'sum', operands });
  };
  const sum = ({ plus, minus = [] }: Sum) => {
    const left = total(plus);
    return minus.length === 0 ? left : step({ kind: 'subtract', left, right: total(minus) });
  };
  const left = sum(value);
  const root = by ? step({ kind: 'divide', left, right: sum(by) }) : left;
  return {
    dataset,
    key,
    name,
    description,
    unit,
    currency: unit === 'currency',
    measurementKind: kind,
    sourceTimezone,
    calculation: { kind: 'formula', expression: { nodes, root }, nonOverlappingScopes },
    dimensions,
    grains: GRAINS,
  } as const satisfies BuiltinMetric;
}

const GROSS = ['orders.gross', 'renewals.gross'];
const REFUNDED = ['orders.refunded', 'renewals.refunded'];
const WEB_CUTS = ['channel', 'country'] as const;

/** Everything that can be asked for, in the order of the keys. */
export const BUILTIN_METRICS: readonly BuiltinMetric[] = [
  metric('payments', {
    key: 'payments.orders',
    name: 'Orders',
    description: 'Orders that were paid, by the day on which they were placed; refunded ones stay counted.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['orders.count'] },
  }),
  metric('payments', {
    key: 'payments.renewal_revenue',
    name: 'Renewal revenue',
    description: 'Paid invoices of subscriptions but their first, before refunds, tax included.',
    unit: 'currency',
    kind: 'flow',
    value: { plus: ['renewals.gross'] },
  }),
  metric('payments', {
    key: 'payments.gross_revenue',
    name: 'Gross revenue',
    description: 'Paid orders and renewals, before refunds, tax included.',
    unit: 'currency',
    kind: 'flow',
    value: { plus: GROSS },
  }),
  metric('payments', {
    key: 'payments.refunds',
    name: 'Refunds',
    description: 'What was given back, on the day of the last refund of each order or invoice.',
    unit: 'currency',
    kind: 'flow',
    value: { plus: REFUNDED },
  }),
  metric('payments', {
    key: 'payments.net_revenue',
    name: 'Net revenue',
    description: 'Gross revenue less refunds, each on its own day.',
    unit: 'currency',
    kind: 'flow',
    value: { plus: GROSS, minus: REFUNDED },
  }),
  metric('payments', {
    key: 'payments.average_order_value',
    name: 'Average order value',
    description: 'Gross revenue of orders in a currency by the number of orders in it.',
    unit: 'currency',
    kind: 'ratio',
    value: { plus: ['orders.gross'] },
    by: { plus: ['orders.priced'] },
  }),
  metric('payments', {
    key: 'payments.refund_rate',
    name: 'Refund rate',
    description: 'Refunds by gross revenue of the same days, in each currency.',
    unit: 'ratio',
    kind: 'ratio',
    value: { plus: REFUNDED },
    by: { plus: GROSS },
  }),
  metric('payments', {
    key: 'payments.subscriptions',
    name: 'Subscriptions',
    description: 'Subscriptions in each status, as last seen on the day.',
    unit: 'count',
    kind: 'gauge',
    value: { plus: ['subscriptions.subscriptions'] },
    dimensions: ['status'],
  }),
  metric('web', {
    key: 'web.views',
    name: 'Views',
    description: 'Views of pages and screens.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['traffic.screenPageViews'] },
    dimensions: WEB_CUTS,
  }),
  metric('web', {
    key: 'web.events',
    name: 'Events',
    description: 'Events of every name.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['traffic.eventCount'] },
    dimensions: WEB_CUTS,
  }),
  metric('web', {
    key: 'web.key_events',
    name: 'Key events',
    description: 'Events that the property marks as key events.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['traffic.keyEvents'] },
    dimensions: WEB_CUTS,
  }),
  metric('web', {
    key: 'web.purchases',
    name: 'Purchases',
    description: 'Purchases that the property saw.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['traffic.transactions'] },
    dimensions: WEB_CUTS,
  }),
  metric('web', {
    key: 'web.revenue',
    name: 'Purchase revenue',
    description: 'Revenue of purchases that the property saw, in its currency.',
    unit: 'currency',
    kind: 'flow',
    value: { plus: ['traffic.purchaseRevenue'] },
  }),
  metric('web', {
    key: 'web.active_users',
    name: 'Active users',
    description: 'Distinct users, an estimate of the provider for each period; periods do not add up.',
    unit: 'count',
    kind: 'distinct',
    value: { plus: ['audience.activeUsers'] },
  }),
  metric('web', {
    key: 'web.new_users',
    name: 'New users',
    description: 'Users seen for the first time, counted by the provider for each period.',
    unit: 'count',
    kind: 'distinct',
    value: { plus: ['audience.newUsers'] },
  }),
  metric('web', {
    key: 'web.sessions',
    name: 'Sessions',
    description: 'Sessions, counted by the provider for each period.',
    unit: 'count',
    kind: 'distinct',
    value: { plus: ['audience.sessions'] },
  }),
  metric('web', {
    key: 'web.engagement_rate',
    name: 'Engagement rate',
    description: 'Engaged sessions by sessions.',
    unit: 'ratio',
    kind: 'ratio',
    value: { plus: ['audience.engagedSessions'] },
    by: { plus: ['audience.sessions'] },
  }),
  metric('web', {
    key: 'web.key_events_per_session',
    name: 'Key events per session',
    description: 'Key events by sessions.',
    unit: 'ratio',
    kind: 'ratio',
    value: { plus: ['traffic.keyEvents'] },
    by: { plus: ['audience.sessions'] },
  }),
  metric('documents', {
    key: 'documents.created',
    name: 'Documents created',
    description: 'Documents by the day on which they were created, of those that are still there.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['created.created'] },
  }),
  metric('keys', {
    key: 'kv.value',
    name: 'Value of a key',
    description: 'The number that a key held, as last seen on the day.',
    unit: 'number',
    kind: 'gauge',
    value: { plus: ['keys.value'] },
    dimensions: ['key'],
  }),
  metric('keys', {
    key: 'kv.size',
    name: 'Size of a collection',
    description: 'The entries that a collection held, as last seen on the day.',
    unit: 'count',
    kind: 'gauge',
    value: { plus: ['keys.size'] },
    dimensions: ['key'],
  }),
  metric('conversations', {
    key: 'support.conversations_created',
    name: 'Conversations begun',
    description: 'Conversations by the day on which they began.',
    unit: 'count',
    kind: 'flow',
    value: { plus: ['created.conversations_created'] },
  }),
  metric('conversations', {
    key: 'support.conversations_open',
    name: 'Open conversations',
    description: 'Conversations that are not resolved, as last seen on the day.',
    unit: 'count',
    kind: 'gauge',
    value: { plus: ['open.conversations_open'] },
  }),
  metric('conversations', {
    key: 'support.conversations_waiting',
    name: 'Waiting conversations',
    description: 'Open conversations that wait for an answer, as last seen on the day.',
    unit: 'count',
    kind: 'gauge',
    value: { plus: ['open.conversations_waiting'] },
  }),
];

const BY_KEY = new Map(BUILTIN_METRICS.map((each) => [each.key, each]));

export function metricNamed(key: string): BuiltinMetric | undefined {
  return BY_KEY.get(key);
}

/** The measures of a formula, by the names that its steps use, each once. */
export function measureNamesOf({ calculation }: Pick<BuiltinMetric, 'calculation'>): readonly string[] {
  return [...new Set(calculation.expression.nodes.flatMap((node) => (node.kind === 'measure' ? [node.measure] : [])))];
}
