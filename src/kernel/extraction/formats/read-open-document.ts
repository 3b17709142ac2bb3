import { LIMITS, oneLine, type TextCollector, UnreadableError } from '../text/index.ts';
import { Archive } from './archive.ts';
import { Flow } from './flow.ts';
import type { Reader } from './reader.ts';
import { type Attributes, valueOf, walkXml, type XmlVisitor } from './xml.ts';

export const readOpenDocument: Reader = async (bytes, into, { mediaType }) => {
  const archive = await Archive.open(bytes);
  await refuseEncrypted(archive);
  if (mediaType === 'application/vnd.oasis.opendocument.spreadsheet') {
    const rows = new OpenRows(into);
    await walkXml(archive, 'content.xml', rows);
    return { isCut: rows.isCut };
  }
  const text = new OpenText(into);
  await walkXml(archive, 'content.xml', text);
  return mediaType === 'application/vnd.oasis.opendocument.presentation'
    ? { pages: Math.min(text.pages, LIMITS.pages), isCut: text.isDone }
    : {};
};

async function refuseEncrypted(archive: Archive): Promise<void> {
  if (archive.has('encrypted-package')) throw new UnreadableError('encrypted', 'the whole package is encrypted');
  await walkXml(archive, 'META-INF/manifest.xml', {
    open(name) {
      if (name === 'encryption-data') throw new UnreadableError('encrypted', 'its parts are encrypted');
    },
  });
}

/** Deleted, hidden, or no text of the document. */
const UNREAD = new Set([
  'tracked-changes',
  'hidden-text',
  'hidden-paragraph',
  'note-citation',
  'scripts',
  'font-face-decls',
  'automatic-styles',
  'ruby-text',
  'page-number',
]);
/** More spaces than that in a row are no text. */
const MOST_SPACES = 100;

/** What texts, presentations and cells have in common: paragraphs, in which white space counts once. */
abstract class Paragraphs implements XmlVisitor {
  protected unread = 0;
  private paragraphs = 0;
  private isSpacePending = false;

  open(name: string, attributes: Attributes): void {
    if (UNREAD.has(name)) this.unread += 1;
    if (this.unread > 0) return;
    if (name === 'p' || name === 'h') {
      this.paragraphs += 1;
      this.isSpacePending = false;
    } else if (name === 's') this.put(' '.repeat(Math.min(Number(valueOf(attributes, 'c') ?? 1) || 1, MOST_SPACES)));
    else if (name === 'tab') this.put('\t');
    else if (name === 'line-break') this.put('\n');
    else this.openOther(name, attributes);
  }

  close(name: string): void {
    if (UNREAD.has(name)) this.unread -= 1;
    if (this.unread > 0) return;
    if (name === 'p' || name === 'h') {
      this.paragraphs -= 1;
      this.endParagraph();
    } else this.closeOther(name);
  }

  text(text: string): void {
    if (this.unread > 0 || this.paragraphs === 0) return;
    const words = text.replace(/[ \t\r\n]+/g, ' ');
    const begin = words.startsWith(' ') ? words.slice(1) : words;
    if (begin !== words) this.isSpacePending = true;
    if (begin === '') return;
    const end = begin.endsWith(' ') ? begin.slice(0, -1) : begin;
    this.put(this.isSpacePending && !this.isAtStart ? ` ${end}` : end);
    this.isSpacePending = end !== begin;
  }

  private put(text: string): void {
    if (this.isSpacePending && text.trim() === '') this.isSpacePending = false;
    this.append(text);
  }

  protected abstract readonly isAtStart: boolean;
  protected abstract append(text: string): void;
  protected abstract endParagraph(): void;
  protected abstract openOther(name: string, attributes: Attributes): void;
  protected abstract closeOther(name: string): void;
}

class OpenText extends Paragraphs {
  pages = 0;
  private readonly flow: Flow;

  constructor(into: TextCollector) {
    super();
    this.flow = new Flow(into);
  }

  get isDone(): boolean {
    return this.pages > LIMITS.pages;
  }

  protected override get isAtStart(): boolean {
    return this.flow.isAtStart;
  }

  protected override append(text: string): void {
    if (!this.isDone) this.flow.text(text);
  }

  protected override endParagraph(): void {
    this.flow.endParagraph();
  }

  protected override openOther(name: string): void {
    if (name === 'table') this.flow.startTable();
    else if (name === 'table-cell') this.flow.startCell();
    else if (name === 'page') this.pages += 1;
  }

  protected override closeOther(name: string): void {
    if (name === 'table-row') this.flow.endRow();
    else if (name === 'table') this.flow.endTable();
  }
}

/** Cells show what the program that saved them showed. */
class OpenRows extends Paragraphs {
  isCut = false;
  private rows = 0;
  private cells: string[] = [];
  private cell = '';
  private repeated = 1;
  private gap = 0;

  constructor(private readonly into: TextCollector) {
    super();
  }

  protected override get isAtStart(): boolean {
    return this.cell === '' || this.cell.endsWith('\n');
  }

  protected override append(text: string): void {
    if (this.cell.length < LIMITS.cell) this.cell += text;
  }

  protected override endParagraph(): void {
    if (this.cell !== '') this.cell += '\n';
  }

  protected override openOther(name: string, attributes: Attributes): void {
    if (name === 'table') {
      this.rows = 0;
      this.into.paragraph(valueOf(attributes, 'name') ?? '');
      this.into.startTable();
    } else if (name === 'table-row') {
      this.cells = [];
      this.gap = 0;
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.cell = '';
      this.repeated = Number(valueOf(attributes, 'number-columns-repeated') ?? 1) || 1;
    }
  }

  protected override closeOther(name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell') this.endCell();
    else if (name === 'table-row') this.endRow();
  }

  private endCell(): void {
    const shown = oneLine(this.cell);
    this.cell = '';
    if (shown === '') {
      this.gap = Math.min(this.gap + this.repeated, LIMITS.columns);
      return;
    }
    const room = LIMITS.columns - this.cells.length;
    const gap = Math.min(this.gap, room);
    this.cells.push(...Array<string>(gap).fill(''));
    this.cells.push(...Array<string>(Math.min(this.repeated, room - gap)).fill(shown));
    this.gap = 0;
  }

  private endRow(): void {
    if (this.cells.length === 0) return;
    this.rows += 1;
    if (this.rows > LIMITS.rowsOfSheet) this.isCut = true;
    else this.into.row(this.cells.join('\t'));
  }
}
