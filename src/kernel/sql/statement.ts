import { sha256 } from '../crypto/index.ts';

/** A SQL text with `$1 …` placeholders and its values, in the form that `pg` takes. */
export interface Statement<Row = unknown> {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Carries only the type of the rows. */
  readonly row?: Row;
  /** Runs with the rows once the transaction has committed, and not if it does not. Must not throw. */
  afterCommit?(rows: readonly Row[]): void;
}

/** The same statement, which tells others of its rows once they are committed. */
export function withAfterCommit<Row>(
  { text, values }: Statement<Row>,
  afterCommit: (rows: readonly Row[]) => void,
): Statement<Row> {
  return { text, values, afterCommit };
}

/** Tells of the rows of statements that have committed. */
export function tellCommitted(statements: readonly Statement[], sets: readonly (readonly unknown[])[]): void {
  for (const [place, statement] of statements.entries()) statement.afterCommit?.(sets[place]!);
}

/** The rows that statements return, one list each. */
export type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [Place in keyof Statements]: Statements[Place] extends Statement<infer Row> ? Row[] : never;
};

const names = new Map<string, string>();

/**
 * The name under which a text is prepared; the same text has the same name in every process. Names are kept, because
 * texts are few: they come from code, never from input.
 */
export function preparedName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s_${sha256(text).toString('base64url').slice(0, 22)}`;
    names.set(text, name);
  }
  return name;
}
