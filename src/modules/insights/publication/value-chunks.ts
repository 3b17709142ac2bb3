import { type Sql, sql } from '../../../kernel/database/index.ts';

/** Rows of one INSERT; few sizes, so that few texts are planned. */
const SIZES = [100, 10, 1];

/** Rows for VALUES, in as many lists as it takes. An INSERT of values goes to one shard as it is, one of a function's rows does not. */
export function inChunks<Row>(rows: readonly Row[], valuesOf: (row: Row) => Sql): readonly Sql[] {
  const chunks: Sql[] = [];
  for (let at = 0; at < rows.length;) {
    const size = SIZES.find((each) => at + each <= rows.length)!;
    chunks.push(sql.join(rows.slice(at, at + size).map(valuesOf), ', '));
    at += size;
  }
  return chunks;
}
