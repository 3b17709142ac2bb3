import { type Sql, sql, type Statement } from '../database/index.ts';

/** Rows that one count reads at most; it then stands at this number. */
export const COUNTED = 10_000;
export const COUNT_LIMIT = sql.raw(String(COUNTED));

/**
 * Bounds the counts of a transaction, and has them read indexes entry by entry up to their limit: a bitmap would read all
 * entries before the first row.
 */
export function bounded(): Statement {
  return sql`select set_config('statement_timeout', '2s', true), set_config('enable_bitmapscan', 'off', true)`;
}

/** How many there are, and for how many seconds the oldest of them has been there; null without any. */
export interface Counted {
  readonly count: number;
  readonly oldestSeconds: number | null;
}

/** Counts what is `found`, a subquery that names a time `since` and ends at `COUNT_LIMIT`; of it what meets a condition. */
export function counted(condition: Sql = sql`true`): Sql {
  return sql`json_build_object('count', count(*) filter (where ${condition}), 'oldestSeconds',
      extract(epoch from clock_timestamp() - min(found.since) filter (where ${condition}))::float8)`;
}
