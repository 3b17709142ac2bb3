import { textOf } from './charset.ts';
import { linesOf } from './read-plain-text.ts';
import type { Reader } from './reader.ts';

/** As it is written, but with characters in place of their escapes, so that words can be found. */
export const readJson: Reader = async (bytes, into, { charset }) => {
  for (const line of linesOf(textOf(bytes, charset!.label))) {
    into.text(line.replace(ESCAPE, unescaped));
    into.lineBreak();
  }
  return {};
};

/** An escaped backslash is one escape, so that what follows it is none. */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[\\/"nrtbf])/g;
const KEPT = new Set(['\\\\', '\\"']);

function unescaped(escape: string): string {
  if (KEPT.has(escape)) return escape;
  if (escape.startsWith('\\u')) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return escape === '\\/' ? '/' : ' ';
}
