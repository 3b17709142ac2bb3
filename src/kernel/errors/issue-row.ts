declare const declared: unique symbol;

/** The code of a row of some table of issues; a literal elsewhere is none. */
export type IssueCode = string & { readonly [declared]: true };

/** One kind of finding about a place of the input: its stable code, and the sentence that goes with it. */
export interface IssueRow {
  readonly code: IssueCode;
  readonly message: string;
}

/** One finding about one place of the input; `path` is dotted (`config.limits.maxTaskDepth`), `code` a stable snake_case word. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code: IssueCode;
}

const rows: IssueRow[] = [];

/** A table of issues: of a module, or of all requests. Its rows stand in the documents. */
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

/** A finding of a row; `message` replaces the row's sentence where a more exact one helps the caller. */
export function issueAt(path: string, { code, message: sentence }: IssueRow, message = sentence): Issue {
  return { path, code, message };
}

/** A code that went through a library as text. */
export function issueCodeOf(text: string): IssueCode {
  return text as IssueCode;
}
