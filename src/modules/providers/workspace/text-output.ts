import type { ToolOutput } from '../../integrations/index.ts';
import { outputOf } from '../wire/index.ts';

/** Bytes of an output as JSON that texts are cut to, below the bound of every output. */
const MOST_BYTES = 1_000_000;
/** Of the texts beside it. */
const MOST_CHARACTERS = 32 * 1_024;

/** An output with one long text, which is cut as far as the output has to be. */
export function textOutput(rest: object, text: string, mostBytes = MOST_BYTES): ToolOutput {
  const kept = fitting(text, mostBytes - Buffer.byteLength(JSON.stringify(rest)) - 20);
  return outputOf(
    { ...rest, text: kept },
    {
      mostCharacters: Math.max(kept.length, MOST_CHARACTERS),
      truncated: kept.length < text.length,
    },
  );
}

/** The longest beginning whose JSON has no more bytes, found by halves. */
function fitting(text: string, mostBytes: number): string {
  if (sizeOf(text) <= mostBytes) return text;
  let [fits, beyond] = [0, text.length];
  while (beyond - fits > 1) {
    const middle = (fits + beyond) >> 1;
    if (sizeOf(text.slice(0, middle)) <= mostBytes) fits = middle;
    else beyond = middle;
  }
  // Half of a character becomes the sign for one that cannot be read.
  return text.slice(0, fits).toWellFormed();
}

function sizeOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
