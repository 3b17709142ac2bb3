import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { LeaseMetrics } from '../../../kernel/leases/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TurnErrors } from '../chat.errors.ts';
import { lockTurns } from './turn-ending.queries.ts';
import { type FoundTurn, type Recovery, settleDue, type SettledTurn } from './turn-sweep.queries.ts';

/** Settles turns that no worker moves any more. */
@Injectable()
export class TurnSweepService {
  private readonly lapsed: Addend;

  constructor(
    private readonly transactions: Transactions,
    private readonly signals: ChatSignalsService,
    private readonly activity: ActivityLogService,
    metrics: Metrics,
  ) {
    this.lapsed = metrics.counter(LeaseMetrics.expired, { kind: 'turn' });
  }

  /** Settles the due turns among these, each organization in a transaction of its own; answers their ids. */
  async settle(found: readonly FoundTurn[], recovery?: Recovery): Promise<string[]> {
    const moved: string[] = [];
    for (const [organizationId, turns] of Map.groupBy(found, (turn) => turn.organizationId)) {
      const settled = await this.settleIn(
        organizationId,
        turns.map(({ id }) => id),
        recovery,
      );
      moved.push(...settled.map(({ turnId }) => turnId));
    }
    return moved;
  }

  private async settleIn(
    organizationId: string,
    ids: readonly string[],
    recovery: Recovery | undefined,
  ): Promise<readonly SettledTurn[]> {
    try {
      const [, settled] = await this.transactions.batch(activeAccess(organizationId, TurnErrors.leaseExpired), [
        lockTurns(organizationId, ids),
        settleDue(organizationId, ids, ids.map(newId), recovery),
      ]);
      for (const { chatId, turnId, revision } of settled)
        this.signals.message({ organizationId, chatId, messageId: turnId, revision, delta: null });
      if (settled.some(({ status }) => status !== 'pending')) this.activity.tell(organizationId, settled[0]!.isHeard);
      const ready = settled.filter(({ status, hasWaitingTurns }) => status === 'pending' || hasWaitingTurns);
      for (const _ of ready) this.signals.turnReady(organizationId);
      if (!recovery) this.lapsed.inc(settled.filter(({ reason }) => reason === 'lease').length);
      return settled;
    } catch (error) {
      // The organization was deleted meanwhile.
      if (error instanceof ApiError) return [];
      throw error;
    }
  }
}
