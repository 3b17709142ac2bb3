import type { IssueRow } from './issue-row.ts';

/** One error of the API: its HTTP status, its stable code and the sentence that goes with it. */
export interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** What its issues may be beside those of a request's form, for the documents. */
  readonly issues?: readonly IssueRow[];
}

/** A module's table of errors. Exists so that every row is typed by its own name and literal code. */
export function defineErrors<const Table extends Record<string, ErrorRow>>(table: Table): Table {
  return table;
}

/** An error with the issues that it has at one endpoint. */
export function withIssues(row: ErrorRow, ...issues: readonly IssueRow[]): ErrorRow {
  return { ...row, issues };
}
