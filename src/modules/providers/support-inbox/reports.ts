import type { GivenSecret, Report, ReportPage, ReportRequest } from '../../integrations/index.ts';
import { type Conversation, conversationsOf, keypairOf, PAGE } from './client.ts';
import type { SupportSettings } from './settings.ts';

/** Of one reading. */
const MOST_PAGES = 40;

type Request = ReportRequest<SupportSettings>;

/** Conversations by the day on which they began. */
const CREATED: Report<SupportSettings> = {
  key: 'created',
  version: 1,
  measures: ['conversations_created'],

  async next(request, { secret }, net): Promise<ReportPage> {
    const page = pageOf(request);
    const [from, until] = [startOf(request.from, request), startOf(request.to, request)];
    const query = {
      per_page: String(PAGE),
      include_empty: '1',
      order_date_created: '1',
      filter_date_start: from.toString(),
      filter_date_end: until.toString(),
    };
    const keypair = keypairOf(secret as GivenSecret);
    const found = await conversationsOf(request.settings.websiteId, page, query, keypair, net);
    const inside = found.filter(
      ({ createdAt }) => createdAt >= from.epochMilliseconds && createdAt < until.epochMilliseconds,
    );
    const items = inside.map((conversation) => ({
      key: conversation.sessionId,
      entries: [{ measure: 'conversations_created', period: dayOf(conversation, request), value: '1' }],
    }));
    if (found.length === 0) return { items, checkpoint: null };
    if (page < MOST_PAGES) return { items, checkpoint: { page: page + 1 } };
    // The newest come first: the day of the last one seen is not read whole.
    const [oldest] = found.map((each) => dayOf(each, request)).toSorted();
    const wholeFrom = Temporal.PlainDate.from(oldest!).add({ days: 1 }).toString();
    return { items, checkpoint: null, wholeFrom };
  },
};

/** Conversations that are not resolved now, and those of them that wait for an answer. */
const OPEN: Report<SupportSettings> = {
  key: 'open',
  version: 1,
  measures: ['conversations_open', 'conversations_waiting'],

  async next(request, { secret }, net): Promise<ReportPage> {
    const page = pageOf(request);
    const query = { per_page: String(PAGE), filter_not_resolved: '1' };
    const keypair = keypairOf(secret as GivenSecret);
    const found = await conversationsOf(request.settings.websiteId, page, query, keypair, net);
    const open = countIn(request, 'open') + found.length;
    const waiting = countIn(request, 'waiting') + found.filter(({ isWaiting }) => isWaiting).length;
    if (found.length > 0 && page < MOST_PAGES) return { items: [], checkpoint: { page: page + 1, open, waiting } };
    const isWhole = found.length === 0;
    const period = Temporal.PlainDate.from(request.to).subtract({ days: 1 }).toString();
    const slot = (measure: string, count: number) =>
      isWhole
        ? { measure, period, value: String(count) }
        : ({ measure, period, value: null, reason: 'truncated' } as const);
    const entries = [slot('conversations_open', open), slot('conversations_waiting', waiting)];
    return { items: [{ key: 'open', entries }], checkpoint: null };
  },
};

export const REPORTS: readonly Report<SupportSettings>[] = [CREATED, OPEN];

function pageOf({ checkpoint }: Request): number {
  return typeof checkpoint?.['page'] === 'number' ? checkpoint['page'] : 1;
}

function countIn({ checkpoint }: Request, name: string): number {
  return typeof checkpoint?.[name] === 'number' ? checkpoint[name] : 0;
}

function startOf(day: string, { timezone }: Request): Temporal.Instant {
  return Temporal.PlainDate.from(day).toZonedDateTime(timezone).toInstant();
}

function dayOf({ createdAt }: Conversation, { timezone }: Request): string {
  return Temporal.Instant.fromEpochMilliseconds(createdAt).toZonedDateTimeISO(timezone).toPlainDate().toString();
}
