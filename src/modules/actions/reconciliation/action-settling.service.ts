import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ACTIONS_BACKEND, ActionEndingService } from '../action-ending.service.ts';
import { type ActionExecutor, ActionExecutors, type ActionToSend, type Look } from '../action-executors.port.ts';
import { ActionErrors } from '../action.errors.ts';
import type { FoundAction } from '../action-sweep.ts';
import { endOf } from '../execution/action-outcome.ts';
import { toSend } from '../execution/action-to-send.ts';
import { dueLook, noteLook } from './reconciliation.queries.ts';
import { LOOK_MS, secondsToNextLook } from './settle.policy.ts';

interface BegunLook extends Look {
  readonly executor: ActionExecutor;
  readonly action: ActionToSend;
}

/** Looks with the provider what became of ambiguous actions, where their executor can, and ends those that are certain. */
@Injectable()
export class ActionSettlingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executors: ActionExecutors,
    private readonly endings: ActionEndingService,
  ) {}

  /** Looks once; nobody else looks before the next time. */
  async settle(found: FoundAction, stopping: AbortSignal): Promise<void> {
    const look = await this.begin(found);
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(LOOK_MS)]);
    const answer = await look?.executor.settle?.(look.action, signal, { isLast: look.isLast });
    if (!answer) return;
    await this.inOrganization(found, async (tx) => {
      const held = await this.endings.lockSent(tx, found.id);
      // A person was first.
      if (held?.action.status !== 'reconciliation_required') return;
      await this.endings.end(tx, held, { ...endOf(answer), actor: ACTIONS_BACKEND });
    });
  }

  private begin(found: FoundAction): Promise<BegunLook | undefined> {
    const { organizationId, id } = found;
    return this.inOrganization(found, async (tx) => {
      const held = await this.endings.lockSent(tx, id);
      const [due] = held ? await tx.rows(dueLook(organizationId, id)) : [];
      if (!held || !due) return undefined;
      const nextInSeconds = secondsToNextLook(due.looks);
      await tx.rows(noteLook(organizationId, id, nextInSeconds));
      const executor = this.executors.of(held.action);
      return executor && { executor, action: toSend(organizationId, held.action), isLast: nextInSeconds === null };
    });
  }

  private inOrganization<T>({ organizationId }: FoundAction, work: Parameters<typeof this.transactions.through<T>>[1]) {
    return this.transactions.through(activeAccess(organizationId, ActionErrors.notFound, 'ordinary'), work);
  }
}
