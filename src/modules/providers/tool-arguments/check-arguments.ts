import { invalid } from '../../../kernel/errors/index.ts';
import { pathOf, requireFew } from './judged-value.ts';
import { faultOf } from './schema-judge.ts';

/** Refuses arguments that a tool's schema does not take, with the issue at the first of them. */
export function checkArguments(inputSchema: object, args: unknown): void {
  requireFew(args, 'arguments');
  const fault = faultOf(inputSchema, args);
  if (fault) throw invalid(pathOf(['arguments', ...fault.path]), fault.row);
}

/** Whether a result is what the output schema of its tool describes, as far as that is judged. */
export function fitsOutput(outputSchema: object, value: unknown): boolean {
  return faultOf(outputSchema, value) === undefined;
}
