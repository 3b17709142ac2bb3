import { checkHistory } from './check-history.ts';
import { checkRows } from './check-rows.ts';
import type { Findings } from './findings.ts';
import type { Call } from './history.ts';
import type { Rows } from './rows.ts';

/** Compares what the clients were told with what the database holds, and the rows of the database with each other. */
export function check(calls: readonly Call[], rows: Rows): Findings {
  const findings: Findings = { lost: [], doubled: [], stuck: [], wrong: [] };
  checkHistory(calls, rows, findings);
  checkRows(rows, findings);
  return findings;
}
