import { codePoints, unitsOf } from './code-points.ts';
import { LIMITS } from './limits.ts';

/** A paragraph, or a row of a table. */
export interface Block {
  readonly text: string;
  /** Of a row: the table's first row, '' for that row itself. */
  readonly header?: string;
}

/** A longer header is not repeated: little else would fit. */
const LONGEST_HEADER = 500;
/** A piece of a long paragraph is at least so much of a passage, or its end is not sought at a sentence. */
const LEAST_PIECE = 0.5;
const SENTENCE_END = /[.!?…。！？]['"”’»」』)]*\s|[。！？]/g;

/**
 * Text in passages of at most 2,000 code points. A passage ends where a paragraph does; a longer paragraph ends at a
 * line, a sentence or a word. A passage that begins within a table repeats its header.
 */
export function passagesOf(blocks: readonly Block[]): string[] {
  const passages: string[] = [];
  let passage = '';
  let length = 0;
  let before: Block | undefined;
  const end = () => {
    if (passage !== '') passages.push(passage);
    passage = '';
    length = 0;
  };
  for (const block of blocks) {
    const lead = leadOf(block);
    const room = LIMITS.passage - (lead === '' ? 0 : codePoints(lead) + 1);
    const isOfTable = block.header !== undefined && block.header !== '' && before?.header !== undefined;
    for (const [index, piece] of piecesOf(block.text, room).entries()) {
      const between = index > 0 || passage === '' ? '' : isOfTable ? '\n' : '\n\n';
      const count = codePoints(piece);
      if (index > 0 || length + between.length + count > LIMITS.passage) end();
      const added = passage !== '' ? between + piece : lead === '' ? piece : `${lead}\n${piece}`;
      passage += added;
      length += codePoints(added);
    }
    before = block;
  }
  end();
  return passages;
}

function leadOf({ header = '' }: Block): string {
  return header !== '' && codePoints(header) <= LONGEST_HEADER ? header : '';
}

function piecesOf(text: string, room: number): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '';) {
    const units = unitsOf(rest, room);
    const cut = units === rest.length ? units : cutOf(rest.slice(0, units));
    const piece = rest.slice(0, cut).trimEnd();
    if (piece !== '') pieces.push(piece);
    rest = rest.slice(cut).trimStart();
  }
  return pieces;
}

/** Where a piece that is too long ends: behind its last line, sentence or word, else where it is full. */
function cutOf(full: string): number {
  const least = full.length * LEAST_PIECE;
  const line = full.lastIndexOf('\n');
  if (line > least) return line;
  let sentence = 0;
  for (const { index, 0: end } of full.matchAll(SENTENCE_END)) sentence = index + end.length;
  if (sentence > least) return sentence;
  const word = Math.max(full.lastIndexOf(' '), full.lastIndexOf('\t'));
  return word > least ? word : full.length;
}
