import type {
  ProviderAccess,
  ProviderNet,
  Report,
  ReportItem,
  ReportPage,
  ReportRequest,
} from '../../integrations/index.ts';
import { failed, isObject } from '../wire/index.ts';
import type { ClusterSession } from './cluster-clients.ts';
import { driver, MAJORITY, REPORT_MS } from './driver.ts';
import { countedByDay, explainPipeline, indexesOf, leadsWith } from './inspection.ts';
import { judgePlan } from './plan-judge.ts';
import { plainValue } from './plain-values.ts';
import type { DocumentDbSettings } from './settings.ts';

const DAY_MS = 86_400_000;
/** Days of one query. */
const MOST_DAYS = 31;
const NEEDS_INDEX = { reason: 'needs_index' } as const;

type Use = <T>(access: ProviderAccess, net: ProviderNet, work: (session: ClusterSession) => Promise<T>) => Promise<T>;

/** What the next page begins with. */
interface Checkpoint {
  readonly day: string;
  /** The first day that the database keeps whole, where it removes old documents by itself. */
  readonly keptFrom: string | null;
}

/**
 * How many documents were created on each day in UTC, of those that are still there. A day without any is zero, because its
 * whole range was counted; what fails counts nothing.
 */
export function createdReport(use: Use): Report<DocumentDbSettings> {
  return {
    key: 'created',
    version: 1,
    measures: ['created'],
    next: (request, access, net) => use(access, net, (session) => nextPage(request, session)),
  };
}

async function nextPage(
  { settings, resource, from, to, checkpoint }: ReportRequest<DocumentDbSettings>,
  session: ClusterSession,
): Promise<ReportPage> {
  const { databaseName, reporting } = settings;
  const collection = resource.name;
  const field = reporting?.creationFields[collection];
  if (field === undefined) throw failed('rejected', { sent: false, reason: 'needs_settings' });
  const before = checkpoint as Checkpoint | null;
  const keptFrom = before ? before.keptFrom : await keptFromOf(session, databaseName, collection, field);
  const first = [before?.day ?? from, keptFrom ?? from].toSorted().at(-1)!;
  const wholeFrom = keptFrom !== null && keptFrom > from ? { wholeFrom: keptFrom } : {};
  if (first >= to) return { items: [], checkpoint: null, ...wholeFrom };
  const days = daysFrom(first, to);
  const end = days.at(-1)! + DAY_MS;
  const counts = await countsOf(session, databaseName, collection, field, new Date(days[0]!), new Date(end));
  const next: Checkpoint | null = dayOf(end) < to ? { day: dayOf(end), keptFrom } : null;
  return {
    items: days.map((day): ReportItem => {
      const period = dayOf(day);
      return { key: period, entries: [{ measure: 'created', period, value: counts.get(period) ?? '0' }] };
    }),
    checkpoint: next && { ...next },
    ...wholeFrom,
  };
}

/** A question how it is served, and the count by the index that serves it, without a look at any document. */
async function countsOf(
  session: ClusterSession,
  databaseName: string,
  collection: string,
  field: string,
  from: Date,
  to: Date,
): Promise<ReadonlyMap<string, string>> {
  const { BSON } = await driver();
  const pipeline = countedByDay(field, from, to);
  const explained = await session.ask((client) =>
    explainPipeline(client, databaseName, collection, pipeline, undefined),
  );
  const verdict = judgePlan(explained, { isFiltered: true, isLimited: false });
  if (!verdict.isServed || !verdict.index?.isCovered || verdict.index.isMultiKey !== false)
    throw failed('rejected', NEEDS_INDEX);
  const hint = verdict.index.name;
  const rows = await session.ask(
    (client) =>
      client
        .db(databaseName)
        .collection(collection)
        .aggregate([...pipeline], { ...MAJORITY, hint, maxTimeMS: REPORT_MS, signal: session.signal })
        .toArray(),
    true,
  );
  return new Map(
    rows.map((row) => {
      const { _id: day, n } = row as { readonly _id: unknown; readonly n: unknown };
      const count = plainValue(n, BSON);
      const exact = isObject(count) ? count['$numberLong'] : count;
      if (!(day instanceof Date) || !/^\d+$/.test(String(exact))) throw failed('bad_answer');
      return [dayOf(day.getTime()), String(exact)];
    }),
  );
}

/** Where an index on the field alone lets documents expire: the first day of which none can be gone. */
async function keptFromOf(
  session: ClusterSession,
  databaseName: string,
  collection: string,
  field: string,
): Promise<string | null> {
  const indexes = await indexesOf(session, databaseName, collection);
  const expiring = indexes
    .filter((index) => index.keys.length === 1 && leadsWith(index, field))
    .flatMap(({ expireAfterSeconds }) => expireAfterSeconds ?? []);
  if (expiring.length === 0) return null;
  return dayOf(Date.now() - Math.min(...expiring) * 1_000 + DAY_MS);
}

function daysFrom(first: string, to: string): readonly number[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  const count = Math.min(Math.round((Date.parse(`${to}T00:00:00Z`) - start) / DAY_MS), MOST_DAYS);
  return Array.from({ length: count }, (_, index) => start + index * DAY_MS);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
