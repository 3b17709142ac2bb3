import { type Sql, sql } from './sql.ts';

/**
 * A select list that names its columns as the row type does: `columns<Row>({ createdAt: 'a.created_at' })`. A property
 * without a column, or a column without a property, does not compile.
 */
export function columns<Row>(map: { readonly [Property in keyof Row]-?: string | Sql }): Sql {
  const list = Object.entries<string | Sql>(map).map(
    ([property, column]) =>
      sql`${typeof column === 'string' ? sql.raw(column) : column} as ${sql.raw(`"${property}"`)}`,
  );
  return sql.join(list, ', ');
}
