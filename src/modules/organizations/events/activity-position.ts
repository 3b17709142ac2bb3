/**
 * Where a reader of the activity log is. Entries become visible when their transactions commit, in another order than
 * they were numbered, so a position is a set of transactions: all before `next`, but for those that had not ended when
 * they were read. That is what a PostgreSQL snapshot is, cut behind the entry that was seen last. Writers only note their
 * transaction; they take no number from a shared row. (Measured: an entry takes 28 instead of 24 µs of PostgreSQL, and 388
 * instead of 295 bytes of its log.)
 */
export interface Position {
  /** The first transaction of which nothing can have been seen. */
  readonly next: number;
  /** Transactions before it that had not ended, in order: their entries are still to come. */
  readonly open: readonly number[];
  /** Transactions before it whose entries are seen up to `last`, in the order of time and id, and not beyond. */
  readonly begun: readonly number[];
  /** The entry that was seen last; a log that does not have it is not the one that was read. Null of an empty log. */
  readonly last: { readonly writtenIn: number; readonly id: string } | null;
}

/** What of an entry its place in the log depends on. */
export interface Placed {
  readonly id: string;
  readonly at: string;
  /** The transaction that wrote it. */
  readonly writtenIn: number;
}

/** What a read could see: of a snapshot of the database, or of a position further on. */
export interface Sight {
  /** Transactions that had not ended, or whose entries were left out. */
  readonly open: readonly number[];
  /** The first transaction that was cut off at the end of a page; absent where the page has all. */
  readonly cutAt?: number;
}

/** An entry with the position of a reader that has it. */
export interface Step<Row extends Placed> {
  readonly row: Row;
  readonly position: Position;
}

/**
 * Entries of so many transactions are told in the order of their times; a position within lists those that are begun. So
 * what waited for a lock comes behind what it waited for, although its transaction may have the lower number.
 */
const TOLD_TOGETHER = 32;

/** The positions that lead over entries, given in the order of their transactions, each unseen from `from`. */
export function stepsFrom<Row extends Placed>(from: Position, rows: readonly Row[], sight: Sight): Step<Row>[] {
  const steps: Step<Row>[] = [];
  // Those that a later read finds again, or a later group has.
  const later = new Set(rows.map(({ writtenIn }) => writtenIn));
  const isCut = (transaction: number) => sight.cutAt !== undefined && transaction >= sight.cutAt;
  let { next } = from;
  for (const group of inGroups(rows)) {
    for (const { writtenIn } of group) later.delete(writtenIn);
    const unread = from.open.filter((transaction) => isCut(transaction) || later.has(transaction));
    steps.push(...stepsWithin(group, { next, open: inOrder([...sight.open, ...unread]) }));
    ({ next } = steps.at(-1)!.position);
  }
  return steps;
}

/** The positions that lead over the rest of the transactions that are begun, in the order of time and id. */
export function stepsThrough<Row extends Placed>(from: Position, rows: readonly Row[], isCut: boolean): Step<Row>[] {
  return isCut
    ? rows.map((row) => ({ row, position: { ...from, last: lastOf(row) } }))
    : stepsWithin([...rows], { next: from.next, open: from.open });
}

/** A position after a page of one transaction alone, of which more is to come. */
export function stepsInto<Row extends Placed>(from: Position, rows: readonly Row[], sight: Sight): Step<Row>[] {
  const { writtenIn } = rows[0]!;
  const next = Math.max(from.next, writtenIn + 1);
  const open = inOrder([
    ...sight.open.filter((transaction) => transaction < next),
    ...from.open.filter((transaction) => transaction > writtenIn),
  ]);
  return rows.map((row) => ({ row, position: { next, open, begun: [writtenIn], last: lastOf(row) } }));
}

/** Where a reader is that has all that a read could see, with these entries at the end. */
export function endOf(from: Position, steps: readonly Step<Placed>[], sight: Sight): Position {
  const reached = steps.at(-1)?.position ?? from;
  return { ...reached, open: sight.open.filter((transaction) => transaction < reached.next) };
}

/** Whether whoever is at `position` has all that one at `other` has; neither is inside a transaction. */
export function covers(position: Position, other: Position): boolean {
  return (
    position.next >= other.next &&
    position.open.every((transaction) => transaction >= other.next || other.open.includes(transaction))
  );
}

/**
 * The positions in one group of entries of whole transactions; sorts it. Each names no more transactions than it must, so
 * that an entry that was not written beside others has the same position whoever read it.
 */
function stepsWithin<Row extends Placed>(group: Row[], from: Pick<Position, 'next' | 'open'>): Step<Row>[] {
  group.sort((one, other) => (isBefore(one, other) ? -1 : 1));
  const left = new Map<number, number>();
  for (const { writtenIn } of group) left.set(writtenIn, (left.get(writtenIn) ?? 0) + 1);
  let { next } = from;
  return group.map((row) => {
    const remaining = left.get(row.writtenIn)! - 1;
    if (remaining === 0) left.delete(row.writtenIn);
    else left.set(row.writtenIn, remaining);
    next = Math.max(next, row.writtenIn + 1);
    const open = from.open.filter((transaction) => transaction < next);
    const begun = inOrder([...left.keys()].filter((transaction) => transaction < next));
    return { row, position: { next, open, begun, last: lastOf(row) } };
  });
}

function inGroups<Row extends Placed>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let transactions = new Set<number>();
  for (const row of rows) {
    const isNew = !transactions.has(row.writtenIn);
    if (groups.length === 0 || (isNew && transactions.size === TOLD_TOGETHER)) {
      groups.push([]);
      transactions = new Set();
    }
    transactions.add(row.writtenIn);
    groups.at(-1)!.push(row);
  }
  return groups;
}

function isBefore(one: Placed, other: Placed): boolean {
  return one.at === other.at ? one.id < other.id : one.at < other.at;
}

function lastOf({ id, writtenIn }: Placed) {
  return { writtenIn, id };
}

function inOrder(transactions: readonly number[]): number[] {
  return [...new Set(transactions)].sort((one, other) => one - other);
}
