import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { inBackground } from '../../../kernel/admission/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ACTIONS_BACKEND, ActionEndingService, factChanged, type HeldAction } from '../action-ending.service.ts';
import { ActionStandingService } from '../action-standing.service.ts';
import { type FoundAction, reportSweep, SWEEP_LIMIT } from '../action-sweep.ts';
import { ActionErrors } from '../action.errors.ts';
import type { ActionError } from '../action.state.ts';
import { heldAction } from '../actions.queries.ts';
import {
  type ChangedTarget,
  type DueReason,
  isDue,
  pendingActions,
  pendingActionsOf,
} from './action-expiry.queries.ts';

const OVER: Readonly<Record<DueReason, ActionError>> = {
  undecided: { code: 'undecided', message: 'Nobody decided in time.' },
  untaken: { code: 'untaken', message: 'No executor took it within a day of its approval.' },
};

const START: FoundAction = { organizationId: FIRST_UUID, id: FIRST_UUID };
/** Pending actions that one sweep compares, so that its cost does not grow with them; the next one continues there. */
const COMPARED = 1_000;

/**
 * Expires actions that wait too long, or whose facts changed. Nothing depends on it for safety, since approving, taking and
 * releasing compare the facts themselves; it tells people and tasks in time.
 */
@Injectable()
export class ActionExpiryService implements BeforeApplicationShutdown {
  private comparedTo = START;
  private readonly underway = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly transactions: Transactions,
    private readonly endings: ActionEndingService,
    private readonly standings: ActionStandingService,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.underway);
  }

  /** Expires an action whose time is over. */
  expireDue({ organizationId, id }: FoundAction, reason: DueReason): Promise<void> {
    return this.inOrganization(organizationId, async (tx) => {
      const held = await this.endings.lock(tx, id);
      const due = held ? await tx.rows(isDue(organizationId, id, reason)) : [];
      if (held && due.length > 0) await this.expire(tx, held, OVER[reason]);
    });
  }

  /**
   * Tells of a change in its transaction: what pends on it expires right after the commit. A sweep finds what a process that
   * dies in between leaves.
   */
  changed(tx: Tx, target: ChangedTarget): void {
    const { organizationId } = tx;
    tx.afterCommit(() => {
      const work = inBackground(() => this.expireChangedOf(organizationId, target)).catch(reportSweep(organizationId));
      this.underway.add(work);
      void work.finally(() => this.underway.delete(work));
    });
  }

  /** Compares pending actions with what they are bound to, some in each sweep. */
  async compare(signal: AbortSignal): Promise<void> {
    for (let compared = 0; compared < COMPARED; compared += SWEEP_LIMIT) {
      const after = this.comparedTo;
      const found = await this.transactions.dispatch((run) => run(pendingActions(after, SWEEP_LIMIT)));
      for (const [organizationId, actions] of Map.groupBy(found, (each) => each.organizationId)) {
        if (signal.aborted) return;
        const ids = actions.map(({ id }) => id);
        await this.expireChanged(organizationId, ids).catch(reportSweep(organizationId));
      }
      this.comparedTo = found.length < SWEEP_LIMIT ? START : found.at(-1)!;
      if (found.length < SWEEP_LIMIT) return;
    }
  }

  private async expireChangedOf(organizationId: string, target: ChangedTarget): Promise<void> {
    let after = FIRST_UUID;
    for (;;) {
      const ids = await this.inOrganization(organizationId, async (tx) =>
        (await tx.rows(pendingActionsOf(organizationId, target, after, SWEEP_LIMIT))).map(({ id }) => id),
      );
      await this.expireChanged(organizationId, ids);
      if (ids.length < SWEEP_LIMIT || this.stopping.signal.aborted) return;
      after = ids.at(-1)!;
    }
  }

  /** Expires those that changed, each behind its locks, where it is looked at again. */
  private async expireChanged(organizationId: string, ids: readonly string[]): Promise<void> {
    const changed = await this.inOrganization(organizationId, async (tx) => {
      const found: string[] = [];
      for (const id of ids) {
        const [action] = await tx.rows(heldAction(organizationId, id));
        if (action && (await this.standings.of(tx, action)).changed !== null) found.push(id);
      }
      return found;
    });
    for (const id of changed)
      await this.inOrganization(organizationId, async (tx) => {
        const held = await this.endings.lock(tx, id);
        if (!held || !isPending(held)) return;
        const { changed: fact } = await this.standings.of(tx, held.action);
        if (fact !== null) await this.expire(tx, held, factChanged(fact));
      });
  }

  private expire(tx: Tx, held: HeldAction, error: ActionError): Promise<void> {
    return this.endings.end(tx, held, { move: 'expire', error, actor: ACTIONS_BACKEND });
  }

  private inOrganization<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transactions.through(activeAccess(organizationId, ActionErrors.notFound, 'ordinary'), work);
  }
}

function isPending({ action: { status } }: HeldAction): boolean {
  return status === 'awaiting_approval' || status === 'approved';
}
