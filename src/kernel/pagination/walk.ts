import { type Sql, sql } from '../database/index.ts';

/**
 * A filter that an index leads to value by value, in the order of the list behind each: the rows of every value that was
 * asked for are walked by themselves and merged, so that a page reads no more than a page of each.
 */
export interface Walk {
  /** Column of the list's table, without its alias. */
  readonly column: string;
  /** The values that were asked for, each once. */
  readonly values: readonly string[];
  /** Literal condition of a partial index that all of these values fulfil. */
  readonly among?: string;
}

/**
 * True of every row: the predicate of indexes that only those statements may use which say it. The planner would take one
 * that leads by status alone for the rows of a profile too, since it cannot know that the profile has few of them.
 */
export function atAnyTime(alias: string): string {
  return `${alias}.created_at > '-infinity'`;
}

/** The same for indexes that lead by time alone, which would do where no row is known to have another status than the rest. */
export function inOrder(alias: string): string {
  return `${alias}.created_at < 'infinity'`;
}

export interface Walked {
  readonly table: string;
  readonly alias: string;
  readonly where: readonly Sql[];
  readonly order: Sql;
  /** How many rows are wanted at most. */
  readonly limit: Sql;
}

/** The merged rows of several walks, in no order yet, under the table's own alias. */
export function merged(walks: readonly Walk[], { table, alias: name, where, order, limit }: Walked): Sql {
  const alias = sql.raw(name);
  const each = walks.map(({ column, values: asked, among }) => {
    const given = sql`${alias}.${sql.raw(column)} = asked.value`;
    const conditions = [...where, given, ...(among === undefined ? [] : [sql.raw(among)])];
    return sql`select ${alias}.* from unnest(${sql.value(asked)}::text[]) as asked(value) cross join lateral (
      select ${alias}.* from ${sql.raw(table)} ${alias} where ${sql.join(conditions, ' and ')}
      order by ${order} limit ${limit}) ${alias}`;
  });
  return sql`(${sql.join(each, ' union all ')}) ${alias}`;
}
