/** One error of the API: its HTTP status, its stable code and the sentence that goes with it. */
export interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** One finding about one place of the input; `path` is dotted (`config.limits.maxTaskDepth`), `code` a stable snake_case word. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/** A module's table of errors. Exists so that every row is typed by its own name and literal code. */
export function defineErrors<const Table extends Record<string, ErrorRow>>(table: Table): Table {
  return table;
}
