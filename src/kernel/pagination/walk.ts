import { type Sql, sql } from '../database/index.ts';

/**
 * A filter for whose values an index has the rows in the order of the list. The rows of each requested value are walked
 * separately and merged, so that a page reads at most one page per value.
 */
export interface Walk {
  /** Column of the list's table, without its alias. */
  readonly column: string;
  /** The requested values, each once. */
  readonly values: readonly string[];
  /** Literal condition of a partial index that all of these values meet. */
  readonly among?: string;
}

/**
 * A condition that is true of every row: the predicate of indexes that only statements with this condition may use.
 * Otherwise the planner would use an index that leads by status alone for the rows of a profile too, because it cannot
 * know that the profile has few of them.
 */
export function atAnyTime(alias: string): string {
  return `${alias}.created_at > '-infinity'`;
}

/**
 * The same for indexes that lead by time alone, which the planner would use where the statistics show only one status.
 */
export function inOrder(alias: string): string {
  return `${alias}.created_at < 'infinity'`;
}

export interface Walked {
  readonly table: string;
  readonly alias: string;
  readonly where: readonly Sql[];
  readonly order: Sql;
  /** Most rows that are wanted. */
  readonly limit: Sql;
}

/** SQL for the rows of several walks, not yet ordered, under the table's own alias. */
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
