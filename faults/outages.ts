import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

const CUTS = 20;
const RESTARTS = 5;
const WRITERS = 16;
/** The time after which everything must work as before. */
const MENDED_MS = 1_000;
const LOOK_MS = 1_500;
const HOLD_LIMIT_MS = 3_000;
/** More than one organization's share of the connections. */
const CALLS_AN_ORGANIZATION = 8;

export interface OutageReport {
  readonly cuts: number;
  readonly restarts: number;
  /** Calls that failed during the outages, which they may. */
  readonly failedMeanwhile: number;
  /** Calls that failed although they began a second after the last outage; none may. */
  readonly failedAfter: number;
  /** Most connections of all API processes in use at once, before and after. */
  readonly connectionsBefore: number;
  readonly connectionsAfter: number;
}

interface Written {
  readonly beganAt: number;
  readonly ok: boolean;
}

/**
 * Repeatedly ends all sessions of the service and restarts the database, during many writes of owners. No other fault
 * happens meanwhile, so that a second after the last one no call has a reason to fail.
 */
export class Outages {
  private readonly cluster: Cluster;
  private readonly token: string;
  private readonly organizationIds: readonly string[];
  private next = 0;

  constructor(cluster: Cluster, token: string, organizationIds: readonly string[]) {
    this.cluster = cluster;
    this.token = token;
    this.organizationIds = organizationIds;
  }

  async cause(): Promise<OutageReport> {
    await this.cluster.untilReady();
    const connectionsBefore = await this.connectionsAtWork();
    const over = new AbortController();
    const written: Written[] = [];
    const writers = Array.from({ length: WRITERS }, () => this.write(written, over.signal));
    for (let cut = 0; cut < CUTS; cut += 1) {
      await wait(100);
      await this.cluster.cutAllSessions();
    }
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await wait(200);
      await this.cluster.restartDatabase();
    }
    const mendedAt = performance.now() + MENDED_MS;
    await wait(MENDED_MS + LOOK_MS);
    over.abort();
    await Promise.all(writers);
    const failed = written.filter(({ ok }) => !ok);
    return {
      cuts: CUTS,
      restarts: RESTARTS,
      failedMeanwhile: failed.filter(({ beganAt }) => beganAt < mendedAt).length,
      failedAfter: failed.filter(({ beganAt }) => beganAt >= mendedAt).length,
      connectionsBefore,
      connectionsAfter: await this.connectionsAtWork(),
    };
  }

  private async write(written: Written[], until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const beganAt = performance.now();
      written.push({ beganAt, ok: await this.rename() });
    }
  }

  /**
   * Runs a transaction of entities on a separate row, in one organization after the other, by one process after the
   * other.
   */
  private async rename(): Promise<boolean> {
    const { bases } = this.cluster;
    const at = this.next++;
    const organizationId = this.organizationIds[Math.floor(at / bases.length) % this.organizationIds.length]!;
    const answer = await fetch(`${bases[at % bases.length]!}/organizations/${organizationId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Faults ${at}` }),
    }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.ok === true;
  }

  /** Blocks all writes and counts the waiting sessions: as many as there are connections for them. */
  private async connectionsAtWork(): Promise<number> {
    let most = 0;
    const calls: Promise<boolean>[] = [];
    await this.cluster.holdingUp('organization', async (countWaiting) => {
      const count = CALLS_AN_ORGANIZATION * this.organizationIds.length * this.cluster.bases.length;
      for (let call = 0; call < count; call += 1) calls.push(this.rename());
      const deadline = performance.now() + HOLD_LIMIT_MS;
      while (performance.now() < deadline) {
        most = Math.max(most, await countWaiting());
        await wait(50);
      }
    });
    await Promise.all(calls);
    return most;
  }
}
