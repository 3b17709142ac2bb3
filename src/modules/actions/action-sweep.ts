import { Logger } from '@nestjs/common';
import { sql, type Statement, type Transactions } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';

export interface FoundAction {
  readonly organizationId: string;
  readonly id: string;
}

/** Actions that one statement finds across organizations. */
export const SWEEP_LIMIT = 100;
export const FOUND_LIMIT = sql.raw(String(SWEEP_LIMIT));

/**
 * Finds actions across organizations and moves each in a transaction of its own, until the finder answers none that was not
 * tried; `atOnce` of them at a time. The finder only proposes: the move looks again under the locks. One that fails does not
 * hold up the others.
 */
export async function sweepActions(
  transactions: Transactions,
  signal: AbortSignal,
  find: Statement<FoundAction>,
  move: (found: FoundAction) => Promise<unknown>,
  { atOnce = 1 } = {},
): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const found = (await transactions.dispatch((run) => run(find))).filter(({ id }) => !tried.has(id));
    if (found.length === 0) return;
    for (let from = 0; from < found.length && !signal.aborted; from += atOnce) {
      const some = found.slice(from, from + atOnce);
      for (const { id } of some) tried.add(id);
      await Promise.all(some.map((each) => move(each).catch(reportSweep(each.id))));
    }
    if (signal.aborted) return;
  }
}

/** Logs failures, but not refusals: the organization has moved on meanwhile. */
export function reportSweep(id: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiError)) new Logger('Actions').error(`A sweep failed at ${id}`, (error as Error).stack);
  };
}
