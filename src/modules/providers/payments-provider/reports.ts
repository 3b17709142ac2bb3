import type {
  ProviderAccess,
  ProviderNet,
  Report,
  ReportEntry,
  ReportItem,
  ReportPage,
  ReportRequest,
} from '../../integrations/index.ts';
import { failed, type JsonObject } from '../wire/index.ts';
import { LARGEST_PAGE, PaymentsClient, type Row } from './client.ts';
import { majorUnits } from './money.ts';
import { STORE_ID } from './manifest.ts';
import { requireEach } from './reads.ts';
import { type RowType, SUBSCRIPTION_STATUSES } from './resources.ts';
import type { PaymentsSettings } from './settings.ts';

type Request = ReportRequest<PaymentsSettings>;

/** What was paid, whether or not it was given back since. */
const PAID: ReadonlySet<unknown> = new Set(['paid', 'refunded', 'partial_refund']);

/** How rows of a list become entries of days. */
interface DailyRows {
  readonly key: string;
  readonly type: RowType;
  readonly measures: readonly string[];
  readonly counts: (attributes: JsonObject) => boolean;
  readonly entries: (attributes: JsonObject, day: string, timezone: string) => readonly ReportEntry[];
}

/**
 * Orders by the day on which they were placed. A refund falls on the day of `refunded_at`: of two partial refunds on different
 * days both fall on the later one, since nothing else is told.
 */
const ORDERS: DailyRows = {
  key: 'orders',
  type: 'orders',
  measures: ['count', 'gross', 'priced', 'refunded'],
  counts: ({ status }) => PAID.has(status),
  entries: (attributes, day, timezone) => {
    const currency = currencyOf(attributes);
    return [
      { measure: 'count', period: day, value: '1' },
      ...(currency === undefined ? [] : [{ measure: 'priced', period: day, currency, value: '1' }]),
      ...moneyEntries(attributes, day, timezone),
    ];
  },
};

/** Invoices of subscriptions but the first, which belongs to the order that began it. */
const RENEWALS: DailyRows = {
  key: 'renewals',
  type: 'subscription-invoices',
  measures: ['gross', 'refunded'],
  counts: ({ status, billing_reason: reason }) => PAID.has(status) && reason !== 'initial',
  entries: moneyEntries,
};

/** Walks a list, the newest first, until its rows are older than the window; page 1 once more at the end, for what came meanwhile. */
function dailyReport({ key, type, measures, counts, entries }: DailyRows): Report<PaymentsSettings> {
  return {
    key,
    version: 1,
    measures,
    next: async (request, access, net) => {
      const { page, isLast } = checkpointOf(request);
      const { resource, from, to, timezone } = request;
      const found = await storePage(request, access, net, type, { page, size: LARGEST_PAGE });
      const days = found.rows.map(({ attributes }) => dayOf(attributes['created_at'], timezone));
      const items = found.rows.flatMap(({ id, attributes }, index): ReportItem[] => {
        const day = days[index]!;
        if (day < from || day >= to) return [];
        return [{ key: id, entries: counts(attributes) ? entries(attributes, day, timezone) : [] }];
      });
      requireMode(found.rows, resource.environment);
      if (isLast) return { items, checkpoint: null };
      const oldest = days.at(-1);
      const isOver = oldest === undefined || oldest < from || found.last <= page;
      if (!isOver) return { items, checkpoint: { page: page + 1 }, wholeFrom: dayAfter(oldest) };
      return { items, checkpoint: page === 1 ? null : { page: 1, isLast: true } };
    },
  };
}

/** How many subscriptions are in each status now: the total of a list of one, a status at a time. */
const SUBSCRIPTIONS: Report<PaymentsSettings> = {
  key: 'subscriptions',
  version: 1,
  measures: ['subscriptions'],
  next: async (request, access, net): Promise<ReportPage> => {
    const { page } = checkpointOf(request);
    const status = SUBSCRIPTION_STATUSES[page - 1]!;
    const found = await storePage(request, access, net, 'subscriptions', { page: 1, size: 1, filters: { status } });
    if (found.rows.some(({ attributes }) => attributes['status'] !== status))
      throw failed('bad_answer', { status: 200 });
    requireMode(found.rows, request.resource.environment);
    const entry = { measure: 'subscriptions', period: dayBefore(request.to), cut: status, value: String(found.total) };
    return {
      items: [{ key: status, entries: [entry] }],
      checkpoint: page < SUBSCRIPTION_STATUSES.length ? { page: page + 1 } : null,
    };
  },
};

export const REPORTS: readonly Report<PaymentsSettings>[] = [dailyReport(ORDERS), dailyReport(RENEWALS), SUBSCRIPTIONS];

function checkpointOf({ checkpoint }: Request): { readonly page: number; readonly isLast: boolean } {
  return { page: Number(checkpoint?.['page'] ?? 1), isLast: checkpoint?.['isLast'] === true };
}

async function storePage(
  { resource: { resourceId } }: Request,
  { secret }: ProviderAccess,
  net: ProviderNet,
  type: RowType,
  { page, size, filters = {} }: { page: number; size: number; filters?: Readonly<Record<string, string>> },
) {
  const client = new PaymentsClient(secret, net);
  const all = { ...filters, [STORE_ID]: resourceId };
  const found = await client.list(type, { page, size, filters: all, isLarge: size > 1 });
  requireEach(found, STORE_ID, resourceId);
  return found;
}

/** Test and live figures are never mixed. */
function requireMode(rows: readonly Row[], environment: string): void {
  const other = environment === 'live' ? true : environment === 'test' ? false : undefined;
  if (other !== undefined && rows.some(({ attributes }) => attributes['test_mode'] === other))
    throw failed('bad_answer', { status: 200 });
}

function moneyEntries(attributes: JsonObject, day: string, timezone: string): readonly ReportEntry[] {
  const currency = currencyOf(attributes);
  if (currency === undefined) return [{ measure: 'gross', period: day, value: null, reason: 'missing_value' }];
  const { total, refunded_amount: refunded, refunded_at: at } = attributes;
  const gross = { measure: 'gross', period: day, currency, ...majorUnits(total, currency) };
  if (refunded === 0 || refunded === null || refunded === undefined) return [gross];
  const isDated = typeof at === 'string';
  const value = isDated ? majorUnits(refunded, currency) : ({ value: null, reason: 'missing_value' } as const);
  return [gross, { measure: 'refunded', period: isDated ? dayOf(at, timezone) : day, currency, ...value }];
}

function currencyOf({ currency }: JsonObject): string | undefined {
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : undefined;
}

/** The day of an instant in a timezone, as an ISO date. */
function dayOf(instant: unknown, timezone: string): string {
  if (typeof instant !== 'string') throw failed('bad_answer', { status: 200 });
  let at: Temporal.Instant;
  try {
    at = Temporal.Instant.from(instant);
  } catch {
    throw failed('bad_answer', { status: 200 });
  }
  return at.toZonedDateTimeISO(timezone).toPlainDate().toString();
}

function dayAfter(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
}

function dayBefore(day: string): string {
  return Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();
}
