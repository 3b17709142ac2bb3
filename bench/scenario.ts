import type { Bench } from './bench.ts';
import type { Bounds, Sample } from './stats.ts';

/** One figure of a scenario. With a baseline the ratio to it is judged, else the value itself. */
export interface Metric extends Bounds {
  readonly name: string;
  readonly unit: string;
  readonly baseline: string | null;
}

/** What one or more rows of the table of goals measure together. */
export interface Scenario<Key extends string = string> {
  /** Numbers of the rows in the table of goals. */
  readonly ids: readonly number[];
  readonly name: string;
  /** Its metrics; a key begins with the number of its row: `1`, `2a`. */
  readonly metrics: Readonly<Record<Key, Metric>>;
  /** Samples of each metric, one a round. */
  measure(bench: Bench): Promise<Readonly<Record<Key, readonly Sample[]>>>;
}

/** Keeps the keys of metrics and samples together. */
export function scenario<Key extends string>(definition: Scenario<Key>): Scenario {
  return definition;
}
