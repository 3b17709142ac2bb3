import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './child.ts';
import type { Cluster } from './cluster.ts';
import type { Random } from './random.ts';

/** The faults of one round of the deck. */
const FAULTS = {
  killWorker: 8,
  pauseWorker: 3,
  killApi: 3,
  pauseApi: 2,
  crashDatabase: 1,
  freezeSession: 1,
  cutSession: 2,
  jumpClock: 2,
} as const;
type Fault = keyof typeof FAULTS;

const MEAN_GAP_MS = 700;
const LONGEST_JUMP_MS = 10 * 60_000;

export type Faults = Readonly<Record<Fault, number>>;

/** Causes faults one after the other, at the times and in the order that the seed decides. */
export class Chaos {
  readonly done: Record<Fault, number>;
  private readonly cluster: Cluster;
  private readonly random: Random;
  private deck: Fault[] = [];

  constructor(cluster: Cluster, random: Random) {
    this.cluster = cluster;
    this.random = random;
    this.done = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 0])) as Record<Fault, number>;
  }

  get kills(): number {
    return this.done.killWorker + this.done.killApi;
  }

  async rage(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const fault = this.draw();
      if (await this.cause(fault)) this.done[fault] += 1;
      await wait(this.random.gap(MEAN_GAP_MS));
    }
    // Frozen processes continue when their time is over.
    for (const api of this.cluster.apis) api.tell({ offsetMs: 0 });
  }

  /** Draws faults like cards from a shuffled deck, so that a short run has all of them too. */
  private draw(): Fault {
    if (this.deck.length === 0) {
      const cards = Object.entries(FAULTS).flatMap(([name, count]) => Array<Fault>(count).fill(name as Fault));
      this.deck = this.random.shuffled(cards);
    }
    return this.deck.pop()!;
  }

  /** Causes a fault; returns whether it happened. */
  private async cause(fault: Fault): Promise<boolean> {
    const { apis, workers } = this.cluster;
    const child = (of: readonly Child[]) => this.random.pick(of);
    switch (fault) {
      case 'killWorker':
        return child(workers).kill();
      case 'pauseWorker':
        return child(workers).pause(this.random.between(200, 6_000));
      case 'killApi':
        return child(apis).kill();
      case 'pauseApi':
        return child(apis).pause(this.random.between(200, 4_000));
      case 'jumpClock':
        // Only one of the two processes ever; the clock of the other one is right.
        apis[0]!.tell({ offsetMs: Math.round(this.random.between(-LONGEST_JUMP_MS, LONGEST_JUMP_MS)) });
        return true;
      case 'crashDatabase':
        // The server ends all sessions when one dies, and recovers from its log as after its own crash.
        return this.onSession((pid) => void process.kill(pid, 'SIGKILL'));
      case 'freezeSession':
        return this.onSession((pid) => this.freeze(pid, this.random.between(200, 2_500)));
      case 'cutSession':
        return this.onSession((pid) => this.cluster.cutSession(pid));
    }
  }

  private async onSession(action: (pid: number) => void | Promise<void>): Promise<boolean> {
    try {
      const [pid] = await this.cluster.sessions();
      if (pid === undefined) return false;
      await action(pid);
      return true;
    } catch {
      // The database is away, or the session has ended.
      return false;
    }
  }

  private freeze(pid: number, forMs: number): void {
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => {
      try {
        process.kill(pid, 'SIGCONT');
      } catch {
        // The process ended meanwhile.
      }
    }, forMs);
  }
}
