import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { GuardedReaders, OwnerIdentities, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import type { StreamedEvents } from '../../../kernel/http/index.ts';
import {
  answersSince,
  changedChats,
  type AnswerRow,
  latestAnswer,
  latestExchange,
  type Seen,
} from './chat-events.queries.ts';
import { ChatFeed } from './chat-feed.ts';
import { framesFrom, positionOf, parseLastEventId } from './chat-frames.ts';
import { ChatReader, type ReaderStart } from './chat-reader.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { ChatErrors } from '../chat.errors.ts';

/**
 * Milliseconds between checks of followed chats for changes that no signal told, and for readers who lost their access.
 */
const CHECK_INTERVAL_MS = 2_000;

/** The event streams of chats: one feed for each chat that has a reader in this process. */
@Injectable()
export class ChatEventsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ChatEvents');
  private readonly feeds = new Map<string, ChatFeed>();
  private readonly checks = new CoalescedWork(() => this.check());
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly signals: ChatSignalsService,
    private readonly identities: OwnerIdentities,
  ) {}

  onApplicationBootstrap(): void {
    this.signals.onMessage((signal) => this.feeds.get(keyOf(signal))?.receive(signal));
    this.signals.onDeleted((chat) => this.feeds.get(keyOf(chat))?.end('the chat was deleted'));
    this.signals.onGap(() => this.checks.request());
    this.timer = setInterval(() => this.checks.request(), CHECK_INTERVAL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Follows a chat from the event that the client saw last, or from its latest answer. */
  async follow(
    owner: OwnerPrincipal,
    organizationId: string,
    chatId: string,
    lastEventId: string | undefined,
  ): Promise<StreamedEvents> {
    const { subject, tokenId, expiresAt } = owner;
    const seen = parseLastEventId(lastEventId);
    const feed = this.feedOf(organizationId, chatId);
    const reader = new ChatReader(feed, { organizationId: feed.organizationId, subject, tokenId, expiresAt });
    feed.join(reader);
    try {
      const latest = latestAnswer(organizationId, chatId, seen);
      const [row] = await this.reads.inOrganization(owner, organizationId, latest);
      if (!row) throw new ApiError(ChatErrors.notFound);
      const standing = row.id === null ? undefined : positionOf(row);
      return {
        begin: (stream) => feed.admit(reader, stream, startFrom(seen, row), standing),
        abandon: () => feed.leave(reader),
      };
    } catch (error) {
      feed.leave(reader);
      throw error;
    }
  }

  private feedOf(organizationId: string, chatId: string): ChatFeed {
    const key = keyOf({ organizationId, chatId });
    const known = this.feeds.get(key);
    if (known) return known;
    const feed = new ChatFeed(organizationId, chatId, {
      read: (seen) => this.read(organizationId, chatId, seen),
      forget: (which) => {
        if (this.feeds.get(key) === which) this.feeds.delete(key);
      },
    });
    this.feeds.set(key, feed);
    return feed;
  }

  /** Reads once for all readers of a chat, each of whom has entered the organization. */
  private async read(organizationId: string, chatId: string, seen: Seen | undefined): Promise<AnswerRow[]> {
    const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
    const messages = seen ? answersSince(organizationId, chatId, seen) : latestExchange(organizationId, chatId);
    const rows = await this.reads.through(access, messages);
    if (rows.length === 0) throw new ApiError(ChatErrors.notFound);
    return rows;
  }

  /** One round trip for all chats and all readers of this process. */
  private async check(): Promise<void> {
    const feeds = [...this.feeds.values()].filter(({ standing }) => standing);
    if (feeds.length === 0) return;
    const readers = new GuardedReaders(
      feeds.flatMap((feed) => [...feed.members]),
      this.identities,
    );
    try {
      const [changed, lost] = await this.transactions.dispatchBatch([
        changedChats(feeds.map(({ organizationId, chatId, standing }) => ({ organizationId, chatId, ...standing! }))),
        readers.lost(),
      ]);
      for (const { place, gone, messageId, revision } of changed)
        if (gone) feeds[place - 1]!.end('the chat was deleted');
        else feeds[place - 1]!.expect({ messageId: messageId!, revision });
      readers.endThose(lost);
    } catch (error) {
      this.logger.warn(`followed chats were not checked: ${(error as Error).message}`);
    }
  }
}

function keyOf({ organizationId, chatId }: { readonly organizationId: string; readonly chatId: string }): string {
  return `${organizationId} ${chatId}`;
}

/** Resumes exactly where a client was, if it saw a revision of the answer that is still the latest. */
function startFrom(
  seen: { readonly messageId: string; readonly revision: number } | undefined,
  row: AnswerRow,
): ReaderStart {
  if (row.id === null) return { position: undefined, frames: [] };
  const isOfIt = seen !== undefined && seen.messageId === row.id && seen.revision <= row.revision;
  const position = isOfIt ? { ...positionOf(row), revision: seen.revision } : undefined;
  return { position, frames: framesFrom(position, [row]) };
}
