import { checkHistory } from './check-history.ts';
import { checkRows } from './check-rows.ts';
import type { Call } from './history.ts';
import type { Rows } from './rows.ts';

/** What broke a promise, each with the rule and the ids to look for. */
export interface Findings {
  /** An acknowledged call that left nothing behind. */
  readonly lost: string[];
  /** An effect that happened twice. */
  readonly doubled: string[];
  /** Work that nobody will move, or did not end in time. */
  readonly stuck: string[];
  /** Every other promise that was broken. */
  readonly wrong: string[];
}

/** Compares what the clients were told with what the database holds, and the rows of the database with each other. */
export function check(calls: readonly Call[], rows: Rows): Findings {
  const findings: Findings = { lost: [], doubled: [], stuck: [], wrong: [] };
  checkHistory(calls, rows, findings);
  checkRows(rows, findings);
  return findings;
}
