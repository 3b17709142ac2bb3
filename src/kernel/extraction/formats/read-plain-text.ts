import { textOf } from './charset.ts';
import type { Reader } from './reader.ts';

/** Paragraphs are parted by empty lines. */
export const readPlainText: Reader = async (bytes, into, { charset }) => {
  for (const line of linesOf(textOf(bytes, charset!.label)))
    if (line.trim() === '') into.endParagraph();
    else {
      if (!into.isAtStart) into.lineBreak();
      into.text(line);
    }
  return {};
};

/** A longer line is handed on in pieces, so that no text is held as a whole. */
const LONGEST_LINE = 1_000_000;

/** The lines of a text that comes in pieces. */
export function* linesOf(pieces: Iterable<string>): Generator<string> {
  let rest = '';
  for (const piece of pieces) {
    rest += piece;
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
