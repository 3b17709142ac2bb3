import { Logger } from '@nestjs/common';
import type { Statement, Transactions, Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { TaskErrors } from '../task.errors.ts';

/** Tasks that one statement finds across organizations. */
export const SWEEP_LIMIT = 100;

export interface FoundTask {
  readonly organizationId: string;
  readonly id: string;
}

interface Sweep {
  /** Runs under the dispatch role. */
  readonly find: Statement<FoundTask>;
  /** How many tasks one transaction moves; one by default. */
  readonly perTransaction?: number;
  readonly move: (tx: Tx, ids: readonly string[]) => Promise<void>;
}

/**
 * Finds tasks across organizations and moves them organization by organization, several in a transaction, until the
 * finder answers none that was not tried. The finder only proposes: the move looks again under the tasks' locks. Tries
 * each task alone where several together fail, so that one does not hold up the others.
 */
export async function sweepTasks(
  transactions: Transactions,
  signal: AbortSignal,
  { find, perTransaction = 1, move }: Sweep,
): Promise<void> {
  const tried = new Set<string>();
  const moveAll = (organizationId: string, ids: readonly string[]) =>
    transactions.through(activeAccess(organizationId, TaskErrors.notFound), (tx) => move(tx, ids));
  for (;;) {
    const found = await transactions.dispatch((run) => run(find));
    const fresh = found.filter(({ id }) => !tried.has(id));
    if (fresh.length === 0) return;
    for (const { organizationId, ids } of groupedByOrganization(fresh, perTransaction)) {
      if (signal.aborted) return;
      for (const id of ids) tried.add(id);
      await moveAll(organizationId, ids).catch(async () => {
        for (const id of ids) if (!signal.aborted) await moveAll(organizationId, [id]).catch(reportSweep(id));
      });
    }
  }
}

function groupedByOrganization(
  found: readonly FoundTask[],
  perTransaction: number,
): { organizationId: string; ids: string[] }[] {
  return [...Map.groupBy(found, ({ organizationId }) => organizationId)].flatMap(([organizationId, tasks]) =>
    Array.from({ length: Math.ceil(tasks.length / perTransaction) }, (_, part) => ({
      organizationId,
      ids: tasks.slice(part * perTransaction, (part + 1) * perTransaction).map(({ id }) => id),
    })),
  );
}

/** Logs failures of a sweep, but not refusals: the task, or its organization, has moved on meanwhile. */
export function reportSweep(id: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiError)) new Logger('Tasks').error(`A sweep failed at ${id}`, (error as Error).stack);
  };
}
