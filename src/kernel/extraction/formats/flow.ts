import { oneLine, type TextCollector } from '../text/index.ts';

/** UTF-16 units of a row beyond which its table is taken for one that lays a page out. */
const LONGEST_ROW = 2_000;

/** Paragraphs and tables as documents nest them. A table's rows become lines; one inside of a cell is part of that cell. */
export class Flow {
  private tables = 0;
  private cells: string[] = [];
  private rowUnits = 0;
  private isSpilled = false;

  constructor(private readonly into: TextCollector) {}

  /** Whether the present paragraph has nothing yet. */
  get isAtStart(): boolean {
    if (this.tables === 0 || this.isSpilled) return this.into.isAtStart;
    const cell = this.cells.at(-1) ?? '';
    return cell === '' || cell.endsWith('\n');
  }

  text(text: string): void {
    if (this.tables === 0 || this.isSpilled) {
      this.into.text(text);
      return;
    }
    if (this.cells.length === 0) this.cells.push('');
    this.cells[this.cells.length - 1] += text;
    this.rowUnits += text.length;
    if (this.rowUnits > LONGEST_ROW) this.spill();
  }

  lineBreak(): void {
    if (!this.isAtStart) this.text('\n');
  }

  endParagraph(): void {
    if (this.tables === 0 || this.isSpilled) this.into.endParagraph();
    else this.lineBreak();
  }

  startTable(): void {
    if (this.tables === 0) this.into.startTable();
    this.tables += 1;
  }

  startCell(): void {
    if (this.tables === 1 && !this.isSpilled) this.cells.push('');
    else this.endParagraph();
  }

  endRow(): void {
    if (this.tables !== 1) {
      this.endParagraph();
      return;
    }
    if (this.isSpilled) this.into.endParagraph();
    else this.into.row(this.cells.map(oneLine).join('\t'));
    this.cells = [];
    this.rowUnits = 0;
    this.isSpilled = false;
  }

  endTable(): void {
    if (this.tables === 0) return;
    this.endRow();
    this.tables -= 1;
    if (this.tables === 0) this.into.endParagraph();
  }

  /** Cells of much text are read as text, one after the other. */
  private spill(): void {
    this.isSpilled = true;
    const last = this.cells.pop()!;
    for (const cell of this.cells) for (const each of cell.split('\n')) this.into.paragraph(each);
    for (const [index, each] of last.split('\n').entries()) {
      if (index > 0) this.into.endParagraph();
      this.into.text(each);
    }
    this.cells = [];
  }
}
