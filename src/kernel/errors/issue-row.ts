declare const declared: unique symbol;

/** The code of a row of a table of issues; a literal elsewhere does not have this type. */
export type IssueCode = string & { readonly [declared]: true };

/** One kind of finding about a value of the input: its stable code and its message. */
export interface IssueRow {
  readonly code: IssueCode;
  readonly message: string;
}

/**
 * One finding about one value of the input; `path` is dotted (`config.limits.maxTaskDepth`), `code` a stable snake_case
 * word.
 */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code: IssueCode;
  readonly params?: IssueParams;
}

/** What a program needs of a finding beyond its code; the message says it to people. */
export interface IssueParams {
  /** Of a gap: how much is stored, so where the next text begins. */
  readonly length?: number;
  /** Of a cycle: its tasks, each waiting for the next one and the last for the first. */
  readonly tasks?: readonly string[];
}

const rows: IssueRow[] = [];

/** Defines a table of issues, of a module or of all requests. The OpenAPI document lists its rows. */
export function defineIssues<const Table extends Record<string, { readonly code: string; readonly message: string }>>(
  table: Table,
): { readonly [Name in keyof Table]: IssueRow } {
  const defined = table as { readonly [Name in keyof Table]: Table[Name] & IssueRow };
  rows.push(...Object.values(defined));
  return defined;
}

/** The rows of all tables that were loaded, by code. */
export function definedIssues(): readonly IssueRow[] {
  return rows.toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

/** Makes a finding from a row; `message` replaces the row's message where a more exact one helps the caller. */
export function issueAt(
  path: string,
  { code, message: sentence }: IssueRow,
  message = sentence,
  params?: IssueParams,
): Issue {
  return { path, code, message, ...(params ? { params } : {}) };
}

/** Types a code that passed through a library as text. */
export function issueCodeOf(text: string): IssueCode {
  return text as IssueCode;
}
