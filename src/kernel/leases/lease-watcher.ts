import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { type Statement, Transactions } from '../database/index.ts';
import { type Addend, Metrics } from '../metrics/index.ts';
import { LeaseMetrics } from './lease.metrics.ts';
import { addKinds, type LeaseKind, noteRenewable } from './lease-watch.queries.ts';

/** One kind of lease, as its module registers it. */
interface Watched {
  readonly kind: LeaseKind;
  readonly leaseSeconds: number;
  /** Renews for one period the leases that an outage affected (`outageThatEnds`); returns a row for each. */
  readonly renew: Statement;
}

/** Notes per shortest lease; six may be lost before half of it has passed. */
const NOTES_PER_LEASE = 12;

/**
 * Tells outages of the service from those of its workers. Every process that takes heartbeats notes in the database
 * that it could take them. While the newest note is older than half a lease, no heartbeat can have arrived anywhere,
 * and no lease lapses (`isUnlapsed`). The first note after such a gap renews all leases that were held for one more
 * period, in the same transaction, so that a crash leaves neither or both. A process that only runs jobs takes no
 * heartbeats and notes nothing, so nothing expires while no other process runs.
 *
 * A note is one round trip and one commit, so a process that stops in the middle of it leaves nothing locked.
 */
@Injectable()
export class LeaseWatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Leases');
  private readonly watched: Watched[] = [];
  private readonly renewed = new Map<LeaseKind, Addend>();
  private timer: NodeJS.Timeout | undefined;
  private noting: Promise<void> | undefined;
  private known = false;
  private failing = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  register(watched: Watched): void {
    this.watched.push(watched);
    this.renewed.set(watched.kind, this.metrics.counter(LeaseMetrics.renewed, { kind: watched.kind }));
  }

  /** Writes the first note before the first heartbeat arrives. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role === 'worker' || this.watched.length === 0) return;
    await this.tick();
    const shortest = Math.min(...this.watched.map(({ leaseSeconds }) => leaseSeconds));
    this.timer = setInterval(() => void this.tick(), (shortest * 1_000) / NOTES_PER_LEASE).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.noting;
  }

  /** Writes a note now. */
  async note(): Promise<void> {
    const kinds = this.watched.map(({ kind }) => kind);
    const seconds = this.watched.map(({ leaseSeconds }) => leaseSeconds);
    const added = this.known ? [] : [addKinds(kinds, seconds)];
    const sets = await this.transactions.dispatchBatch([
      ...added,
      noteRenewable(kinds, seconds),
      ...this.watched.map(({ renew }) => renew),
    ]);
    this.known = true;
    const renewed = sets.slice(added.length + 1).map(({ length }, index) => ({ kind: kinds[index]!, leases: length }));
    for (const { kind, leases } of renewed) this.renewed.get(kind)!.inc(leases);
    for (const { kind, leases } of renewed)
      if (leases > 0) this.logger.warn(`after an outage, ${leases} leases of kind "${kind}" got one more period`);
  }

  private async tick(): Promise<void> {
    if (this.noting) return;
    this.noting = this.note().then(
      () => void (this.failing = false),
      (error: Error) => {
        if (!this.failing) this.logger.warn(`cannot note that leases can be renewed: ${error.message}`);
        this.failing = true;
      },
    );
    await this.noting;
    this.noting = undefined;
  }
}
