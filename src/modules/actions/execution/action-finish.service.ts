import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ACTIONS_BACKEND, ActionEndingService } from '../action-ending.service.ts';
import type { Sent } from '../action-executors.port.ts';
import { ActionErrors } from '../action.errors.ts';
import { ActionMetrics } from '../action.metrics.ts';
import { endOf } from './action-outcome.ts';
import { boundedResult } from './bounded-result.ts';
import { ActionParkingService } from './action-parking.service.ts';
import { noteObserved } from './execution.queries.ts';
import type { FoundAction } from '../action-sweep.ts';

/** Tries again to write down what a provider answered while the database is away; behind the lease it counts no more. */
const RETRY_AFTER_MS = 1_000;
const MOST_TRIES = 120;

/** Writes down what became of actions that were sent. */
@Injectable()
export class ActionFinishService {
  private readonly logger = new Logger('Actions');
  private readonly outcomes: Readonly<Record<Sent['outcome'], Addend>>;

  constructor(
    private readonly transactions: Transactions,
    private readonly endings: ActionEndingService,
    private readonly parking: ActionParkingService,
    metrics: Metrics,
  ) {
    const outcome = (name: Sent['outcome']) => metrics.counter(ActionMetrics.sent, { outcome: name });
    this.outcomes = {
      succeeded: outcome('succeeded'),
      failed: outcome('failed'),
      not_executed: outcome('not_executed'),
      ambiguous: outcome('ambiguous'),
    };
  }

  /** Finishes under the token of its executor, as soon as the database takes it. */
  async finish(found: FoundAction, token: string, sent: Sent, signal: AbortSignal): Promise<void> {
    this.outcomes[sent.outcome].inc();
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.write(found, token, sent);
      } catch (error) {
        // Its organization is gone, and the action with it.
        if (error instanceof ApiError) return;
        if (tries === MOST_TRIES || signal.aborted) throw error;
        if (tries === 1) this.logger.warn(`The outcome of ${found.id} is written later: ${(error as Error).message}`);
        await wait(RETRY_AFTER_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private write({ organizationId, id }: FoundAction, token: string, sent: Sent): Promise<void> {
    return this.transactions.through(activeAccess(organizationId, ActionErrors.notFound, 'ordinary'), async (tx) => {
      const held = await this.endings.lockSent(tx, id);
      if (!held) return;
      const { status, executorToken } = held.action;
      const isMine = status === 'executing' && executorToken === token;
      if (sent.outcome === 'ambiguous') return isMine ? this.parking.park(tx, held, sent.error) : undefined;
      if (isMine) return this.endings.end(tx, held, { ...endOf(sent), actor: ACTIONS_BACKEND });
      await tx.rows(noteObserved(organizationId, id, observedOf(sent)));
    });
  }
}

/** A definite answer as it is noted where it counts no more. */
function observedOf(sent: Exclude<Sent, { outcome: 'ambiguous' }>): object {
  if (sent.outcome !== 'succeeded') return sent;
  return { outcome: sent.outcome, result: boundedResult(sent.result) };
}
