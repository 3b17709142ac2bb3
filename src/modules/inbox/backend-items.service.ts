import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type Actor, actorColumns } from '../organizations/index.ts';
import type {
  ClosedInboxStatus,
  InboxCloser,
  InboxMove,
  InboxPresentation,
  InboxSeverity,
  MessageCloser,
} from './inbox-item.state.ts';
import { hasKey, isOfAction } from './inbox-moves.queries.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';

/** An item that the backend opens for another module. */
export interface BackendItem {
  readonly kind: 'approval' | 'reconciliation' | 'notification';
  readonly severity: InboxSeverity;
  readonly title: string;
  readonly body: string;
  readonly presentation?: Partial<InboxPresentation>;
  readonly taskId: string | null;
  readonly runId: string | null;
  readonly chatId: string | null;
  readonly actionId: string | null;
  readonly expiresAt: string | null;
  /** Unique among the open items of the backend in the organization; an item that is open takes the newest text and counts up. */
  readonly dedupeKey?: string;
}

/** Which open items to close: of an action, or of a key. */
export type BackendItemRef =
  { readonly actionId: string; readonly kind: 'approval' | 'reconciliation' } | { readonly dedupeKey: string };

export interface BackendClosing {
  readonly status: Exclude<ClosedInboxStatus, 'answered'>;
  /** Null for the backend. */
  readonly by: Actor | MessageCloser | null;
  readonly reason: string | null;
}

const MOVES: Readonly<Record<BackendClosing['status'], InboxMove>> = {
  resolved: 'resolve',
  expired: 'expire',
  withdrawn: 'withdraw',
  acknowledged: 'acknowledge',
};

/** Opens and closes the items of other modules, in the transaction of what they tell of. */
@Injectable()
export class BackendItemsService {
  constructor(private readonly items: InboxItemsService) {}

  /** Answers the id of the new item, or of the open one that has its key. */
  open(tx: Tx, item: BackendItem): Promise<string> {
    const { presentation, dedupeKey = null, ...rest } = item;
    return this.items.open(
      tx,
      {
        ...rest,
        purpose: null,
        presentation: { allowFreeText: true, ...presentation },
        openedBy: 'system',
        openedByProfileKey: null,
        turnId: null,
        dedupeScope: dedupeKey === null ? null : tx.organizationId,
        dedupeKey,
      },
      BACKEND,
    );
  }

  /** Closes what is open of it; an item that is closed stays as it is. */
  async close(tx: Tx, ref: BackendItemRef, { status, by, reason }: BackendClosing): Promise<void> {
    const which = 'actionId' in ref ? isOfAction(ref.actionId, ref.kind) : hasKey(tx.organizationId, ref.dedupeKey);
    const closer = by === null || by.kind === 'human' ? by : (actorColumns(by) as InboxCloser);
    const actor = by === null || by.kind === 'human' ? BACKEND : by;
    await this.items.close(tx, which, { move: MOVES[status], by: closer, reason }, actor);
  }
}
