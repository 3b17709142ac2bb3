import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';

/** Values in the arguments of a call, and in settings. */
const MOST_VALUES = 5_000;
const LONGEST_PATH = 500;

/** Refuses what has so many values that judging it takes long. */
export function requireFew(value: unknown, path: string): void {
  if (valuesIn(value, MOST_VALUES + 1) > MOST_VALUES)
    throw invalid(path, EdgeIssues.tooManyValues, `has more than ${MOST_VALUES} values`);
}

/** The path of an issue, whatever its steps are called. */
export function pathOf(steps: readonly (string | number)[]): string {
  return steps.join('.').slice(0, LONGEST_PATH);
}

/** Values in a value, itself among them; counted up to a bound. */
function valuesIn(value: unknown, most: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const each of Object.values(value)) {
    if (count >= most) return count;
    count += valuesIn(each, most - count);
  }
  return count;
}
