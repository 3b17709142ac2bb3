/** The status after a move, by each status that permits it. */
export type StatusMove<Status extends string> = Readonly<Partial<Record<Status, Status>>>;

/**
 * The transitions of a state machine in one table, from which checks and statements take their statuses, so that none
 * writes a status that the table does not permit. Statements add their own fences, deadlines and counts.
 */
export class StatusMoves<Status extends string, Move extends string> {
  private readonly table: Readonly<Record<Move, StatusMove<Status>>>;

  constructor(table: Readonly<Record<Move, StatusMove<Status>>>) {
    this.table = table;
  }

  /** The status after a move; undefined if it is not permitted. */
  after(move: Move, from: Status): Status | undefined {
    return this.table[move][from];
  }

  /**
   * The status after a move of a locked row, whose status was read after it was locked; throws if the move is not
   * permitted.
   */
  next(move: Move, from: Status): Status {
    const to = this.after(move, from);
    if (to === undefined) throw new Error(`"${move}" is not permitted in status "${from}"`);
    return to;
  }

  /** SQL condition that the status in a column permits a move. */
  permits(move: Move, column: string): string {
    return isOneOf(column, Object.keys(this.table[move]));
  }

  /** SQL for the status after a move, from a column whose status permits it. */
  moved(move: Move, column: string): string {
    const moves = Object.entries<string | undefined>(this.table[move]);
    const [, first] = moves[0]!;
    if (moves.every(([, to]) => to === first)) return `'${first}'`;
    return `case ${moves.map(([from, to]) => `when ${column} = '${from}' then '${to}'`).join(' ')} end`;
  }
}

/** SQL condition that a column has one of these words, which come from code. */
export function isOneOf(column: string, words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`;
}
