import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { GuardedReaders, OwnerIdentities, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { Reads, type Statement, Transactions } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import type { StreamedEvents } from '../../../kernel/http/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { ActivitySignalsService } from '../activity/activity-signals.service.ts';
import { ActivityClustersService } from './activity-clusters.service.ts';
import type { ActivityEventQuery } from './activity-event.dto.ts';
import { parseEventId } from './activity-event-id.ts';
import {
  changedLogs,
  currentCluster,
  endOfLog,
  entriesAfter,
  entriesWithin,
  type LogEnd,
  type LoggedEntry,
  type SeenEntry,
  TRANSACTIONS_OF_CLUSTER,
} from './activity-events.queries.ts';
import { ActivityFeed, type ReaderStart, standingOf } from './activity-feed.ts';
import type { Position } from './activity-position.ts';
import { ActivityReader } from './activity-reader.ts';
import type { FoundEntries } from './log-page.ts';

/** Milliseconds between looks at followed logs for entries that no signal told, and for readers who lost their access. */
const CHECK_INTERVAL_MS = 2_000;

/** The event streams of organizations: one feed for each organization that has a reader in this process. */
@Injectable()
export class ActivityEventsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ActivityEvents');
  private readonly feeds = new Map<string, ActivityFeed>();
  private readonly checks = new CoalescedWork(() => this.check());
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly signals: ActivitySignalsService,
    private readonly identities: OwnerIdentities,
    private readonly clusters: ActivityClustersService,
  ) {}

  onApplicationBootstrap(): void {
    this.signals.onChanged((organizationId) => this.feeds.get(organizationId)?.expectNews());
    this.signals.onGap(() => this.checks.request());
    this.timer = setInterval(() => this.checks.request(), CHECK_INTERVAL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Follows the log from the event that the client saw last, or from its end. */
  async follow(
    owner: OwnerPrincipal,
    organizationId: string,
    wanted: ActivityEventQuery,
    lastEventId: string | undefined,
  ): Promise<StreamedEvents> {
    const { subject, tokenId, expiresAt } = owner;
    const seen = parseEventId(lastEventId);
    const feed = this.feedOf(organizationId);
    const reader = new ActivityReader(
      feed,
      { organizationId: feed.organizationId, subject, tokenId, expiresAt },
      wanted,
    );
    feed.join(reader);
    try {
      const end = await this.endOf((query) => this.reads.inOrganization(owner, organizationId, query), feed, seen);
      const start = startFrom(lastEventId, seen, end);
      return {
        begin: (stream) => feed.admit(reader, stream, start, standingOf(end)),
        abandon: () => feed.leave(reader),
      };
    } catch (error) {
      feed.leave(reader);
      throw error;
    }
  }

  private feedOf(organizationId: string): ActivityFeed {
    const id = organizationId.toLowerCase();
    const known = this.feeds.get(id);
    if (known) return known;
    const read = <Row>(query: Statement<Row>) =>
      this.reads.through(standingAccess(id, EdgeErrors.organizationNotFound), query);
    const feed: ActivityFeed = new ActivityFeed(id, {
      after: async (position, limit, until) => found(await read(entriesAfter(id, position, limit, until))),
      within: async (position, limit) => found(await read(entriesWithin(id, position, limit))),
      end: () => this.endOf(read, feed, undefined),
      forget: (which) => {
        if (this.feeds.get(id) === which) this.feeds.delete(id);
      },
    });
    this.feeds.set(id, feed);
    this.signals.follow([id]);
    return feed;
  }

  /** Where the log ends, in the cluster that it is in now. */
  private async endOf(
    read: (query: Statement<LogEnd>) => Promise<LogEnd[]>,
    { organizationId }: ActivityFeed,
    seen: Position | undefined,
  ): Promise<LogEnd> {
    const [end] = await read(endOfLog(organizationId, seen));
    if (end!.cluster !== null) return end!;
    await this.clusters.current();
    const [again] = await read(endOfLog(organizationId, seen));
    return again!;
  }

  /** One round trip for all logs and all readers of this process. */
  private async check(): Promise<void> {
    const feeds = [...this.feeds.values()].filter(({ position }) => position);
    if (feeds.length === 0) return;
    this.signals.follow(feeds.map(({ organizationId }) => organizationId));
    const members = feeds.flatMap((feed) => [...feed.members]);
    for (const reader of members) if (reader.hasStalled()) reader.cut();
    const readers = new GuardedReaders(members, this.identities);
    try {
      const [[cluster], changed, lost] = await this.transactions.dispatchBatch([
        currentCluster(),
        changedLogs(feeds.map(({ organizationId, position }) => ({ organizationId, position: position! }))),
        readers.lost(),
      ]);
      readers.endThose(lost);
      for (const { place } of changed) feeds[place - 1]!.expectNews();
      const number = cluster?.number ?? (await this.clusters.current());
      for (const feed of feeds) await feed.moveTo(number);
    } catch (error) {
      this.logger.warn(`followed activity was not checked: ${(error as Error).message}`);
    }
  }
}

function found(rows: readonly SeenEntry[]): FoundEntries<LoggedEntry> {
  return { rows: rows.filter((row) => row.id !== null), open: rows[0]?.open ?? [] };
}

/** Resumes exactly where a client was, if the log still has what it saw last; else begins at the end, and says why. */
function startFrom(lastEventId: string | undefined, seen: Position | undefined, end: LogEnd): ReaderStart {
  if (lastEventId === undefined || lastEventId === '') return { reason: 'started' };
  if (!seen) return { reason: 'unknown_position' };
  const first = end.cluster! * TRANSACTIONS_OF_CLUSTER;
  const isOfCluster = seen.next >= first && seen.next < first + TRANSACTIONS_OF_CLUSTER;
  if (!isOfCluster) return { reason: 'unknown_position' };
  if (end.isKnown && seen.next <= (end.newest ?? 0) + 1) return { resumeAt: seen };
  const isBehind = end.oldest === null || (seen.next <= end.oldest && !end.isFirst);
  return { reason: isBehind ? 'behind_retention' : 'unknown_position' };
}
