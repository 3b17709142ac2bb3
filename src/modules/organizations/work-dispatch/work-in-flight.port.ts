import type { Tx } from '../../../kernel/database/index.ts';

interface Counts {
  readonly queuedRunRequests: number;
  readonly runningRuns: number;
}

/** Something that holds work of organizations. */
export interface WorkHolder {
  /** What waits and what runs, read in the caller's transaction. */
  workInFlight(tx: Tx): Promise<Partial<Counts>>;
}

/** Port: declared here, implemented by the modules that queue and run work (`tasks` and `runs`). */
export class WorkInFlight {
  private readonly holders: WorkHolder[] = [];

  register(holder: WorkHolder): void {
    this.holders.push(holder);
  }

  async count(tx: Tx): Promise<Counts> {
    const total = { queuedRunRequests: 0, runningRuns: 0 };
    for (const holder of this.holders) {
      const { queuedRunRequests = 0, runningRuns = 0 } = await holder.workInFlight(tx);
      total.queuedRunRequests += queuedRunRequests;
      total.runningRuns += runningRuns;
    }
    return total;
  }
}
