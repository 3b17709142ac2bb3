import { setImmediate as immediate } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { Bus } from '../bus/index.ts';
import { type Statement, Transactions, type Tx, withAfterCommit } from '../database/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { standingAccess } from '../tenancy/index.ts';
import { insertEvent, organizationsWithEvents, type OutboxRow, takeEvent } from './outbox.queries.ts';

/**
 * What a module does about an event, in the transaction that removes it. It may run again where that did not commit, so
 * nothing leaves the process in it.
 */
type OutboxHandler = (tx: Tx, event: OutboxRow) => Promise<void>;

const RECORDED = 'outbox.recorded';
/** Processes are told of new events at most once in this time. */
const TOLD_EVERY_MS = 20;
/** Organizations that are looked up at once. */
const ORGANIZATIONS = 100;
/** Events of an organization in a row, before the next one has its turn. */
const IN_A_ROW = 20;
/** Pause of an event whose handler failed; others go on meanwhile. */
const REST_MS = 60_000;

/** Hands events to their handlers: each once as far as the database is concerned, whenever a process dies. */
@Injectable()
export class Outbox implements OnApplicationShutdown {
  private readonly logger = new Logger('Outbox');
  private readonly handlers = new Map<string, OutboxHandler>();
  /** Events whose handlers failed, with the time until which they rest here. */
  private readonly resting = new Map<string, number>();
  private readonly wakers: (() => void)[] = [];
  private telling: NodeJS.Timeout | undefined;
  private isTellingAgain = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly bus: Bus,
    config: Config,
  ) {
    if (config.role === 'api') return;
    bus.subscribe(RECORDED, () => {
      for (const wake of this.wakers) wake();
    });
  }

  onApplicationShutdown(): void {
    clearTimeout(this.telling);
  }

  handle(kind: string, handler: OutboxHandler): void {
    this.handlers.set(kind, handler);
  }

  /** Records an event with the change that it follows from; its commit wakes the handlers. */
  event(organizationId: string, kind: string, payload: object): Statement {
    return withAfterCommit(insertEvent(organizationId, newId(), kind, payload), () => this.recorded());
  }

  /** Tells the processes that handle events of new ones; call it after their commit. */
  recorded(): void {
    if (this.telling) {
      this.isTellingAgain = true;
      return;
    }
    this.bus.publish(RECORDED, {});
    this.telling = setTimeout(() => {
      this.telling = undefined;
      if (!this.isTellingAgain) return;
      this.isTellingAgain = false;
      this.recorded();
    }, TOLD_EVERY_MS).unref();
  }

  /** Calls this where there are new events, if this process handles any. */
  onRecorded(wake: () => void): void {
    this.wakers.push(wake);
  }

  /** Handles what there is, organization by organization, each some events in turn. */
  async handleAll(signal: AbortSignal): Promise<void> {
    const kinds = [...this.handlers.keys()];
    const now = performance.now();
    for (const [id, untilMs] of this.resting) if (untilMs < now) this.resting.delete(id);
    let isMore = kinds.length > 0;
    while (isMore && !signal.aborted) {
      isMore = false;
      let behind: string | null = null;
      do {
        const [found]: { organizationId: string }[][] = await this.transactions.dispatchBatch([
          organizationsWithEvents(kinds, behind, ORGANIZATIONS),
        ]);
        for (const { organizationId } of found) {
          if (signal.aborted) return;
          for (const kind of kinds) if (await this.handleSome(organizationId, kind, signal)) isMore = true;
        }
        behind = found.length === ORGANIZATIONS ? found.at(-1)!.organizationId : null;
      } while (behind !== null);
    }
  }

  /** Whether there may be more of them. */
  private async handleSome(organizationId: string, kind: string, signal: AbortSignal): Promise<boolean> {
    for (let nth = 0; nth < IN_A_ROW; nth += 1) {
      if (signal.aborted || !(await this.handleOne(organizationId, kind))) return false;
      await immediate();
    }
    return true;
  }

  private async handleOne(organizationId: string, kind: string): Promise<boolean> {
    const handler = this.handlers.get(kind)!;
    let taken: OutboxRow | undefined;
    try {
      await this.transactions.through(standingAccess(organizationId, EdgeErrors.organizationNotFound), async (tx) => {
        [taken] = await tx.rows(takeEvent(organizationId, kind, [...this.resting.keys()]));
        if (taken) await handler(tx, taken);
      });
    } catch (error) {
      // Its events go with an organization that is being deleted.
      if (error instanceof ApiError && error.row === EdgeErrors.organizationNotFound) return false;
      if (!taken) throw error;
      this.resting.set(taken.id, performance.now() + REST_MS);
      this.logger.error(`the event ${taken.id} (${kind}) waits a minute: ${(error as Error).message}`, error);
    }
    return taken !== undefined;
  }
}
