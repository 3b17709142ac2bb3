import type { Tx } from '../../../kernel/database/index.ts';
import { takeNumbersOf } from './task-identifiers.queries.ts';

/** How many numbers are wanted in each scope. */
export type WantedNumbers = ReadonlyMap<string, number>;

/** Numbers that were taken and not yet given to a task. */
export class TakenNumbers {
  constructor(private readonly next: Map<string, number>) {}

  /** The next one of a scope. */
  take(scope: string): number {
    const number = this.next.get(scope);
    if (number === undefined) throw new RangeError(`No number was taken in ${scope}.`);
    this.next.set(scope, number + 1);
    return number;
  }
}

/**
 * Takes numbers and with them the counters' row locks, scope by scope in one order, before any other lock of tasks; a
 * round trip each. Numbers have no gaps: the next creation waits until this transaction ends, and a rollback gives them
 * back.
 */
export async function takeNumbers(tx: Tx, wanted: WantedNumbers): Promise<TakenNumbers> {
  const next = new Map<string, number>();
  for (const [scope, count] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [counter] = await tx.rows(takeNumbersOf(tx.organizationId, scope, count));
    next.set(scope, counter!.last - count + 1);
  }
  return new TakenNumbers(next);
}

/** Counts the occurrences of each scope. */
export function countScopes(scopes: readonly string[]): WantedNumbers {
  return new Map([...Map.groupBy(scopes, (scope) => scope)].map(([scope, all]) => [scope, all.length]));
}
