/**
 * The form of a statement, for the code that writes one and the code that runs it.
 *
 * Guarantees: values are sent beside the text and never in it; one text has one prepared name in every process;
 * database errors are told apart by their SQLSTATE.
 * Refuses: connections, and texts built from input.
 */
export { columns } from './select-list.ts';
export { preparedName, type RowsOf, type Statement, tellCommitted, withAfterCommit } from './statement.ts';
export { type Sql, sql } from './sql.ts';
export { sqlState, SqlState } from './sql-state.ts';
export { isOneOf, type StatusMove, StatusMoves } from './status-moves.ts';
