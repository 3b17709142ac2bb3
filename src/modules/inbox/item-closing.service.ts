import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid, issueAt } from '../../kernel/errors/index.ts';
import type { Actor } from '../organizations/index.ts';
import { lockForEnd, type LockedTasks, TaskBlockersService, TaskCancellationService } from '../tasks/index.ts';
import { InboxAnswered } from './inbox-answered.port.ts';
import type { InboxItemDto } from './inbox-item.dto.ts';
import { InboxErrors, InboxIssues } from './inbox-item.errors.ts';
import { OPERATOR_OPTIONS } from './inbox-item.policy.ts';
import type { InboxCloser, InboxPresentation, ResponseChannel } from './inbox-item.state.ts';
import { InboxItemsService } from './inbox-items.service.ts';
import { isItem, type KnownItem, knownItem, type LockedItem, lockItem } from './inbox-moves.queries.ts';

/** On whose behalf an item is closed. */
export interface Responder {
  /** Whom the activity log names. */
  readonly actor: Actor;
  readonly by: InboxCloser;
  readonly channel: ResponseChannel;
  /** The message that says so. */
  readonly messageId: string | null;
  /** When it was posted; it cannot be about what is newer. */
  readonly postedAt: string | null;
}

/** Finds out who responds, and locks what must not end before the commit: behind tasks, before the item. */
export type HoldResponder = (tx: Tx) => Promise<Responder>;

/** Closes items for people, each once: the first commit wins, and what waits for it goes on in the same transaction. */
@Injectable()
export class ItemClosingService {
  constructor(
    private readonly items: InboxItemsService,
    private readonly blockers: TaskBlockersService,
    private readonly cancellation: TaskCancellationService,
    private readonly answered: InboxAnswered,
  ) {}

  /** Records the response to a question; the same text again answers with what is recorded. */
  async respond(tx: Tx, id: string, text: string, hold: HoldResponder): Promise<InboxItemDto> {
    const known = await this.known(tx, id);
    if (known.kind !== 'question') throw new ApiError(InboxErrors.noQuestion);
    const isOperator = known.openedBy === 'system';
    const cancels = isOperator && text === OPERATOR_OPTIONS.cancel.id;
    const waiting = known.purpose === 'task' ? known.taskId : null;
    const locked = waiting === null ? undefined : await this.lockWaiting(tx, waiting, cancels);
    const responder = await hold(tx);
    const item = await lockedItem(tx, id);
    if (item.status === 'answered' && item.response!.text === text) return this.items.read(tx, id);
    requireOpen(item, responder);
    const optionId = optionOf(item.presentation, text);
    await this.items.close(
      tx,
      isItem(id),
      {
        move: 'answer',
        by: responder.by,
        reason: null,
        response: {
          text,
          optionId,
          respondedBy: responder.by,
          channel: responder.channel,
          messageId: responder.messageId,
        },
      },
      responder.actor,
    );
    if (waiting === null) await this.tell(tx, known, item, { text, optionId });
    else if (cancels) await this.cancellation.cancel(tx, waiting, { actor: responder.actor });
    else {
      const blocker = { kind: isOperator ? 'operator' : 'handoff', inboxItemId: id } as const;
      await this.blockers.remove(tx, locked!, waiting, blocker, { freshAttempts: isOperator });
    }
    return this.items.read(tx, id);
  }

  /** Closes a notification that a person has seen. */
  async acknowledge(tx: Tx, id: string, hold: HoldResponder): Promise<InboxItemDto> {
    const { kind } = await this.known(tx, id);
    if (kind !== 'notification') throw new ApiError(InboxErrors.noNotification);
    const responder = await hold(tx);
    requireOpen(await lockedItem(tx, id), responder);
    await this.items.close(tx, isItem(id), { move: 'acknowledge', by: responder.by, reason: null }, responder.actor);
    return this.items.read(tx, id);
  }

  private async known(tx: Tx, id: string): Promise<KnownItem> {
    const [known] = await tx.rows(knownItem(tx.organizationId, id));
    if (!known) throw new ApiError(InboxErrors.notFound);
    return known;
  }

  /** What the answer may move, locked before the item: a cancelled task goes with its tree. */
  private async lockWaiting(tx: Tx, taskId: string, cancels: boolean): Promise<LockedTasks | undefined> {
    if (!cancels) return lockForEnd(tx, [taskId]);
    await this.cancellation.lock(tx, taskId);
    return undefined;
  }

  private async tell(
    tx: Tx,
    { purpose, taskId }: KnownItem,
    { id, runId, openedByProfileKey }: LockedItem,
    response: { readonly text: string; readonly optionId: string | null },
  ): Promise<void> {
    await this.answered.answered(tx, {
      inboxItemId: id,
      purpose: purpose!,
      taskId,
      runId,
      profileKey: openedByProfileKey,
      response,
    });
  }
}

async function lockedItem(tx: Tx, id: string): Promise<LockedItem> {
  const [item] = await tx.rows(lockItem(tx.organizationId, id));
  if (!item) throw new ApiError(InboxErrors.notFound);
  return item;
}

function requireOpen({ status, hasExpired, updatedAt }: LockedItem, { postedAt, channel }: Responder): void {
  if (status !== 'open' || hasExpired) throw new ApiError(InboxErrors.notOpen);
  if (channel === 'chat' && (postedAt === null || updatedAt >= postedAt))
    throw new ApiError(InboxErrors.newerThanMessage, {
      issues: [issueAt('inboxItemId', EdgeIssues.newerThanMessage)],
    });
}

/** The option whose id a text is; 400 for another text where only options count. */
function optionOf({ options, allowFreeText }: InboxPresentation, text: string): string | null {
  if (options?.some(({ id }) => id === text)) return text;
  if (!allowFreeText) throw invalid('response', InboxIssues.unknownOption);
  return null;
}
