/** Where a move leads from each status that permits it. */
export type StatusMove<Status extends string> = Readonly<Partial<Record<Status, Status>>>;

/**
 * The transitions of a state machine in one table, from which checks and statements take their statuses, so that none
 * writes a status that the table does not know. Fences, deadlines and counts are the statements' own.
 */
export class StatusMoves<Status extends string, Move extends string> {
  private readonly table: Readonly<Record<Move, StatusMove<Status>>>;

  constructor(table: Readonly<Record<Move, StatusMove<Status>>>) {
    this.table = table;
  }

  /** The status after a move; undefined where it is not permitted. */
  after(move: Move, from: Status): Status | undefined {
    return this.table[move][from];
  }

  /** The same of a row that is locked, whose status was read behind the lock: throws where it is not permitted. */
  next(move: Move, from: Status): Status {
    const to = this.after(move, from);
    if (to === undefined) throw new Error(`"${move}" is not permitted in status "${from}"`);
    return to;
  }

  /** Condition of the statuses that permit a move, of a column. */
  permits(move: Move, column: string): string {
    return isOneOf(column, Object.keys(this.table[move]));
  }

  /** The status after a move, of a column that permits it. */
  moved(move: Move, column: string): string {
    const moves = Object.entries<string | undefined>(this.table[move]);
    const [, first] = moves[0]!;
    if (moves.every(([, to]) => to === first)) return `'${first}'`;
    return `case ${moves.map(([from, to]) => `when ${column} = '${from}' then '${to}'`).join(' ')} end`;
  }
}

/** Condition of a column that holds one of these words of the code. */
export function isOneOf(column: string, words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`;
}
