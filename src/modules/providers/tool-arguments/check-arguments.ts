import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { faultOf } from './schema-judge.ts';

/** Values in the arguments of a call. */
const MOST_VALUES = 5_000;
const LONGEST_PATH = 500;

/** Refuses arguments that a tool's schema does not take, with the issue at the first of them. */
export function checkArguments(inputSchema: object, args: unknown): void {
  if (valuesIn(args, MOST_VALUES + 1) > MOST_VALUES)
    throw invalid('arguments', EdgeIssues.tooManyValues, `has more than ${MOST_VALUES} values`);
  const fault = faultOf(inputSchema, args);
  if (fault) throw invalid(['arguments', ...fault.path].join('.').slice(0, LONGEST_PATH), fault.row);
}

/** Whether a result is what the output schema of its tool describes, as far as that is judged. */
export function fitsOutput(outputSchema: object, value: unknown): boolean {
  return faultOf(outputSchema, value) === undefined;
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
