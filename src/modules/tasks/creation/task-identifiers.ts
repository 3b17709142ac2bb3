import { statement, type Tx } from '../../../kernel/database/index.ts';

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
 * Takes numbers and with them the counters' row locks, scope by scope in one order, before any other lock of tasks. They
 * are gap-free, since whoever comes next waits for this transaction's end, and a rollback gives them back.
 */
export async function takeNumbers(tx: Tx, organizationId: string, wanted: WantedNumbers): Promise<TakenNumbers> {
  const next = new Map<string, number>();
  for (const [scope, count] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [counter] = await tx.rows(
      statement<{ last: number }>(
        `insert into task_identifier as i (organization_id, scope, last_number) values ($1, $2, $3)
         on conflict (organization_id, scope) do update set last_number = i.last_number + excluded.last_number
         returning last_number as last`,
        organizationId,
        scope,
        count,
      ),
    );
    next.set(scope, counter!.last - count + 1);
  }
  return new TakenNumbers(next);
}

/** How often each scope is there. */
export function countScopes(scopes: readonly string[]): WantedNumbers {
  return new Map([...Map.groupBy(scopes, (scope) => scope)].map(([scope, all]) => [scope, all.length]));
}
