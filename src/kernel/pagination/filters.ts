import { type Sql, sql } from '../database/index.ts';
import type { WindowedPageQuery } from './page-query.dto.ts';

/** Collects the conditions of a list from the filters that the caller sent. */
export class Filters {
  readonly where: Sql[] = [];

  equals(column: string, value: string | undefined): this {
    if (value !== undefined) this.where.push(sql`${sql.raw(column)} = ${value}`);
    return this;
  }

  oneOf(column: string, values: readonly string[] | undefined): this {
    if (values !== undefined) this.where.push(sql`${sql.raw(column)} = any(${values}::text[])`);
    return this;
  }

  between(column: string, after: string | undefined, before: string | undefined): this {
    if (after !== undefined) this.where.push(sql`${sql.raw(column)} > ${after}::timestamptz`);
    if (before !== undefined) this.where.push(sql`${sql.raw(column)} < ${before}::timestamptz`);
    return this;
  }

  window(table: string, query: WindowedPageQuery): this {
    return this.between(`${table}.created_at`, query.createdAfter, query.createdBefore).between(
      `${table}.updated_at`,
      query.updatedAfter,
      query.updatedBefore,
    );
  }
}
