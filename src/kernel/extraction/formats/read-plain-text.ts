import type { TextCollector } from '../text/index.ts';
import { textOf } from './charset.ts';
import type { Reader } from './reader.ts';

/** Paragraphs are parted by empty lines. */
export const readPlainText: Reader = async (bytes, into, { charset }) => {
  readParagraphs(linesOf(textOf(bytes, charset!.label)), into);
  return {};
};

export function readParagraphs(lines: Iterable<string>, into: TextCollector): void {
  for (const line of lines)
    if (line.trim() === '') into.endParagraph();
    else {
      if (!into.isAtStart) into.lineBreak();
      into.text(line);
    }
  into.endParagraph();
}

/** A longer line is handed on in pieces, so that no text is held as a whole. */
const LONGEST_LINE = 1_000_000;

/** The lines of a text that comes in pieces. */
export function* linesOf(pieces: Iterable<string>): Generator<string> {
  let rest = '';
  for (const piece of pieces) {
    // Millions of empty lines would take seconds one by one.
    rest = (rest + piece).replace(/(?:\r?\n){3,}/g, '\n\n');
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > LONGEST_LINE) {
      yield rest;
      rest = '';
    }
  }
  yield rest.replace(/\r$/, '');
}
