import { Injectable } from '@nestjs/common';
import type { Sql, Tx } from '../../kernel/database/index.ts';
import { ActivityLogService, type Actor } from '../organizations/index.ts';
import type { ActivityVerb } from '../organizations/index.ts';
import type { InboxItemDto } from './inbox-item.dto.ts';
import type { InboxMove } from './inbox-item.state.ts';
import { type ClosedItem, closeItems, type Closing, type NewInboxItem, openItem } from './inbox-moves.queries.ts';
import { inboxItem } from './inbox.queries.ts';

/** Who acts where nobody called. */
export const BACKEND: Actor = { kind: 'system', name: 'inbox' };

/** What the log tells of a move. An item that is resolved with its action leaves it to the action's own entries. */
const VERBS: Readonly<Record<InboxMove, ActivityVerb | null>> = {
  answer: 'inbox_item.answered',
  acknowledge: 'inbox_item.acknowledged',
  resolve: null,
  expire: 'inbox_item.expired',
  withdraw: 'inbox_item.withdrawn',
};

/** Opens and closes items, each with its entry in the activity log. */
@Injectable()
export class InboxItemsService {
  constructor(private readonly activity: ActivityLogService) {}

  /** Answers the id of the new item, or of the open one that has its key. */
  async open(tx: Tx, item: NewInboxItem, actor: Actor): Promise<string> {
    const [opened] = await tx.rows(openItem(tx.organizationId, item));
    const { id, occurrences } = opened!;
    if (occurrences === 1)
      await this.activity.record(tx, {
        actor,
        verb: 'inbox_item.opened',
        subject: { kind: 'inbox_item', id, label: item.title },
        details: detailsOf(item),
      });
    return id;
  }

  /** An item that is there, as the transaction sees it. */
  async read(tx: Tx, id: string): Promise<InboxItemDto> {
    const [item] = await tx.rows(inboxItem(tx.organizationId, id));
    return item!;
  }

  /** Closes the open items of a condition on `i`; answers them. */
  async close(tx: Tx, which: Sql, closing: Closing, actor: Actor): Promise<readonly ClosedItem[]> {
    const closed = await tx.rows(closeItems(tx.organizationId, which, closing));
    const verb = VERBS[closing.move];
    if (verb !== null && closed.length > 0)
      await tx.batch(
        closed.flatMap((item) =>
          this.activity.entry(tx, {
            actor,
            verb,
            subject: { kind: 'inbox_item', id: item.id, label: item.title },
            details: { ...detailsOf(item), ...(closing.reason === null ? {} : { reason: closing.reason }) },
          }),
        ),
      );
    return closed;
  }
}

/** What concerns an item, where it concerns something. */
function detailsOf({ kind, taskId, chatId, actionId }: Pick<ClosedItem, 'kind' | 'taskId' | 'chatId' | 'actionId'>) {
  return {
    kind,
    ...(taskId === null ? {} : { taskId }),
    ...(chatId === null ? {} : { chatId }),
    ...(actionId === null ? {} : { actionId }),
  };
}
