import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { inBackground } from '../../../kernel/admission/index.ts';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ActionSignalsService } from '../action-signals.service.ts';
import type { Prepared, Sent } from '../action-executors.port.ts';
import { ActionFinishService } from './action-finish.service.ts';
import { ActionReleaseService, type TakenAction } from './action-release.service.ts';
import { BEGIN_SENDING_MS, PREPARE_MS, SEND_MS, UNDERWAY } from './execution.policy.ts';
import { approvedActions } from './execution.queries.ts';
import type { FoundAction } from '../action-sweep.ts';

/** How far this process came with an action: `left` to its lease, so that nothing moves it before that is over. */
type Carried = 'over' | 'left';

/**
 * Carries approved actions out, each at most once: takes it, lets its executor prepare, releases it with a commit before the
 * first byte, sends it at once and writes down what became of it. What this process does not finish is left to the lease.
 */
@Injectable()
export class ActionExecutionService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Actions');
  /** By action, with the organization that it counts for. */
  private readonly underway = new Map<string, { readonly organizationId: string; readonly done: Promise<Carried> }>();
  private readonly stopping = new AbortController();
  private readonly role: Config['role'];
  private readonly looking = new CoalescedWork(() => inBackground(() => this.takeApproved()).catch(this.report));

  constructor(
    private readonly transactions: Transactions,
    private readonly releases: ActionReleaseService,
    private readonly finishing: ActionFinishService,
    private readonly clock: Clock,
    signals: ActionSignalsService,
    { role }: Config,
  ) {
    this.role = role;
    if (role !== 'api') signals.onApproved(() => this.looking.request());
  }

  /** No new ones; waits for those underway, as long as the process lets it. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled([...this.underway.values()].map(({ done }) => done));
  }

  /** Takes what is approved, as far as there are places, and does not wait for it. */
  async takeApproved(): Promise<void> {
    for (;;) {
      const free = UNDERWAY.inProcess - this.underway.size;
      if (free <= 0 || this.stopping.signal.aborted) return;
      const found = await this.transactions.dispatch((run) => run(approvedActions(free, this.busyOrganizations())));
      // Places of one organization end before those of the process: then others are looked for without it.
      if (found.filter((each) => this.begin(each)).length === 0) return;
    }
  }

  /**
   * Takes an approved action for a caller that waits, if there is a place for it, and resolves when this process is done
   * with it: whether it is left to its lease. What another process takes, or nobody yet, the caller finds in its row.
   */
  async carryOut(found: FoundAction): Promise<boolean> {
    if (!this.stopping.signal.aborted) this.begin(found);
    return (await this.underway.get(found.id)?.done) === 'left';
  }

  private begin(found: FoundAction): boolean {
    const { organizationId, id } = found;
    const isFull = this.busyOrganizations().includes(organizationId);
    if (isFull || this.underway.has(id) || this.underway.size >= UNDERWAY.inProcess) return false;
    const done = this.execute(found)
      .catch((error: unknown): Carried => {
        this.report(error);
        return 'left';
      })
      .finally(() => {
        this.underway.delete(id);
        if (this.role !== 'api' && !this.stopping.signal.aborted) this.looking.request();
      });
    this.underway.set(id, { organizationId, done });
    return true;
  }

  private busyOrganizations(): string[] {
    const counts = Map.groupBy(this.underway.values(), ({ organizationId }) => organizationId);
    return [...counts].flatMap(([id, { length }]) => (length >= UNDERWAY.ofOrganization ? [id] : []));
  }

  private async execute(found: FoundAction): Promise<Carried> {
    const token = randomUUID();
    const taken = await this.releases.take(found, token);
    if (!taken) return 'over';
    const prepared = await this.prepare(taken);
    if (!prepared) return 'left';
    const sent = prepared.kind === 'ready' ? await this.releaseAndSend(taken, prepared.prepared) : prepared.sent;
    if (sent) await this.finishing.finish(found, token, sent, this.stopping.signal);
    return 'over';
  }

  /** Undefined where it is left to the lease: the process stops, or nothing could be prepared just now. */
  private async prepare({ action, executor, releasedAtMs }: TakenAction): Promise<Preparation | undefined> {
    if (releasedAtMs !== null) return { kind: 'ready', prepared: undefined };
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(PREPARE_MS)]);
    try {
      const prepared = await executor.prepare!(action, signal);
      if (prepared.kind !== 'later') return preparationOf(prepared);
      this.logger.warn(`The action ${action.id} was left to its lease: ${prepared.reason}`);
      return undefined;
    } catch (error) {
      if (!this.stopping.signal.aborted) this.report(error);
      return undefined;
    }
  }

  private async releaseAndSend(taken: TakenAction, prepared: unknown): Promise<Sent | undefined> {
    if (taken.releasedAtMs !== null) return this.send(taken, taken.releasedAtMs, prepared);
    if (this.stopping.signal.aborted) return undefined;
    const released = await this.releases.release(taken);
    return released && this.send(released, released.releasedAtMs!, prepared);
  }

  private async send({ action, executor }: TakenAction, releasedAtMs: number, prepared: unknown): Promise<Sent> {
    const waitedMs = this.clock.monotonicMs() - releasedAtMs;
    if (waitedMs > BEGIN_SENDING_MS) return { outcome: 'not_executed', error: LATE_START };
    try {
      return await executor.send(action, prepared, AbortSignal.timeout(Math.ceil(SEND_MS - waitedMs)));
    } catch (error) {
      this.report(error);
      return { outcome: 'ambiguous', error: { code: 'send_failed', message: 'Sending failed, and may have arrived.' } };
    }
  }

  private readonly report = (error: unknown): void => {
    // Its organization is gone, or just not active.
    if (error instanceof ApiError) return;
    this.logger.error(`An action was left to its lease: ${(error as Error).message}`, (error as Error).stack);
  };
}

const LATE_START = {
  code: 'sent_too_late',
  message: 'The process stood still behind the release, so nothing was sent.',
};

type Preparation =
  { readonly kind: 'ready'; readonly prepared: unknown } | { readonly kind: 'over'; readonly sent: Sent };

function preparationOf(prepared: Exclude<Prepared<unknown>, { kind: 'later' }>): Preparation {
  switch (prepared.kind) {
    case 'ready':
      return prepared;
    case 'done':
      return { kind: 'over', sent: { outcome: 'succeeded', result: prepared.result } };
    case 'refused':
      return { kind: 'over', sent: { outcome: 'not_executed', error: prepared.error } };
  }
}
