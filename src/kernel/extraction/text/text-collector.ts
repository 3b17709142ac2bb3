import { clean } from './cleaning.ts';
import { codePoints, firstCodePoints } from './code-points.ts';
import { LIMITS } from './limits.ts';
import type { Block } from './passages.ts';

/** Ends the reading of a source of which enough was read. */
export class FullError extends Error {
  constructor() {
    super('enough was read');
    this.name = 'FullError';
  }
}

/** UTF-16 units that are cleaned at once; a longer paragraph is cleaned in pieces, so that none is held as a whole. */
const PIECE = 32_768;

/**
 * Takes the text of a source as its reader finds it, and keeps it cleaned, in paragraphs and rows. Throws `FullError`
 * when it has as much as is kept.
 */
export class TextCollector {
  readonly blocks: Block[] = [];
  /** Code points of all blocks. */
  characters = 0;
  private pending: string[] = [];
  private pendingUnits = 0;
  private header: string | undefined;

  /** Text of the present paragraph; newlines in it stay. */
  text(text: string): void {
    for (let at = 0; at < text.length;) {
      const end = pieceEnd(text, at, PIECE - this.pendingUnits);
      this.pending.push(text.slice(at, end));
      this.pendingUnits += end - at;
      at = end;
      if (this.pendingUnits >= PIECE) this.flush();
    }
  }

  lineBreak(): void {
    this.text('\n');
  }

  /** Whether the present paragraph has nothing yet. */
  get isAtStart(): boolean {
    return this.pendingUnits === 0;
  }

  endParagraph(): void {
    if (this.pendingUnits > 0) this.flush();
  }

  /** One paragraph. */
  paragraph(text: string): void {
    this.endParagraph();
    this.text(text);
    this.endParagraph();
  }

  /** A table begins: its first row is repeated where a passage begins within it. */
  startTable(): void {
    this.endParagraph();
    this.header = undefined;
  }

  /** A row of the present table, as a line; a very long one is a paragraph. Rows without anything are left out. */
  row(line: string): void {
    if (line.length > PIECE) {
      this.paragraph(line);
      return;
    }
    this.endParagraph();
    const text = clean(line).trimEnd();
    if (text.trim() === '') return;
    this.keep(text, this.header ?? '');
    this.header ??= text;
  }

  private flush(): void {
    const text = clean(this.pending.join('')).trim();
    this.pending = [];
    this.pendingUnits = 0;
    if (text !== '') this.keep(text, undefined);
  }

  private keep(text: string, header: string | undefined): void {
    const left = LIMITS.characters - this.characters;
    const count = codePoints(text);
    const kept = count > left ? firstCodePoints(text, left).trimEnd() : text;
    if (kept !== '') this.blocks.push(header === undefined ? { text: kept } : { text: kept, header });
    this.characters += Math.min(count, left);
    if (count > left) throw new FullError();
  }
}

/** Where a piece of about `units` ends, without cutting a character of two units. */
function pieceEnd(text: string, at: number, units: number): number {
  const end = Math.min(text.length, at + Math.max(units, 2));
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
