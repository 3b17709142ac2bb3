import type { IssueRow } from './issue-row.ts';

/** One error of the API: its HTTP status, its stable code and its message. */
export interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** What its issues may be beside those of a request's form, for the documents. */
  readonly issues?: readonly IssueRow[];
}

/** Types a module's table of errors, so that every row keeps its own name and literal code. */
export function defineErrors<const Table extends Record<string, ErrorRow>>(table: Table): Table {
  return table;
}

/** An error with the issues that it has at one endpoint. */
export function withIssues(row: ErrorRow, ...issues: readonly IssueRow[]): ErrorRow {
  return { ...row, issues };
}
