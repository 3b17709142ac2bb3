import { sql, type Statement } from '../database/index.ts';

/** Answers the names of the tables that were analyzed; none while another process does it. */
export function analyzeGrownTables(): Statement<{ name: string }> {
  return sql`select name from analyze_grown_tables() name`;
}
