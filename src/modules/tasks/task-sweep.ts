import { Logger } from '@nestjs/common';
import { activeEntry, type Statement, type Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { TaskErrors } from './task.errors.ts';

/** How many tasks a look across organizations finds at most. */
export const SWEEP_BATCH = 100;

export interface FoundTask {
  readonly organizationId: string;
  readonly id: string;
}

interface Sweep {
  /** Runs under the dispatch role. */
  readonly find: Statement<FoundTask>;
  readonly move: (tx: Tx, found: FoundTask) => Promise<void>;
}

/**
 * Finds tasks across organizations and moves each in its own organization, in a transaction of its own, until a look
 * finds none that it has not tried. The move looks again under the task's lock: the finder only proposes.
 */
export async function sweepTasks(
  transactions: Transactions,
  signal: AbortSignal,
  { find, move }: Sweep,
): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const found = await transactions.dispatch((run) => run(find));
    const fresh = found.filter(({ id }) => !tried.has(id));
    if (fresh.length === 0) return;
    for (const each of fresh) {
      if (signal.aborted) return;
      tried.add(each.id);
      try {
        await transactions.through(activeEntry(each.organizationId, TaskErrors.notFound), (tx) => move(tx, each));
      } catch (error) {
        // It moved on meanwhile, or its organization did. Anything else must not hold up the others.
        if (!(error instanceof ApiError))
          new Logger('Tasks').error(`A sweep failed at task ${each.id}`, (error as Error).stack);
      }
    }
  }
}
