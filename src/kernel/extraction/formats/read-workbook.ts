import { LIMITS, oneLine, type TextCollector, UnreadableError } from '../text/index.ts';
import { Archive } from './archive.ts';
import { type CellFormat, formatOf, shownNumber } from './cell-format.ts';
import { mainPartOf, relationsOf } from './office-package.ts';
import type { Reader } from './reader.ts';
import { type Attributes, prefixed, walkXml, type XmlVisitor } from './xml.ts';

interface Sheet {
  readonly name: string;
  readonly part: string;
}

interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly dates: 1900 | 1904;
}

/** Each sheet is a table under its name. */
export const readWorkbook: Reader = async (bytes, into) => {
  const archive = await Archive.open(bytes);
  const main = (await mainPartOf(archive))!;
  const relations = await relationsOf(archive, main);
  const parts = new Map(relations.map(({ id, part }) => [id, part]));
  const partOf = (kind: string) => relations.find((each) => each.kind === kind)?.part;
  const { sheets, dates } = await workbookOf(archive, main, parts);
  const formats = await formatsOf(archive, partOf('styles'));
  const strings = await stringsOf(archive, partOf('sharedStrings'));
  let isCut = false;
  for (const { name, part } of sheets) {
    into.paragraph(name);
    into.startTable();
    const rows = new SheetRows(into, { strings, formats, dates });
    await walkXml(archive, part, rows);
    isCut ||= rows.isDone;
  }
  return { isCut };
};

async function workbookOf(archive: Archive, main: string, parts: ReadonlyMap<string, string>): Promise<Workbook> {
  const sheets: Sheet[] = [];
  let dates: Workbook['dates'] = 1900;
  await walkXml(archive, main, {
    open(name, attributes) {
      if (name === 'workbookPr' && ['1', 'true'].includes(attributes['date1904'] ?? '')) dates = 1904;
      const part = name === 'sheet' ? parts.get(prefixed(attributes, 'id') ?? '') : undefined;
      // Nobody can see a sheet that only a program shows again.
      if (part === undefined || attributes['state'] === 'veryHidden') return;
      sheets.push({ name: attributes['name'] ?? '', part });
    },
  });
  return { sheets, dates };
}

/** Of each style of cells its format. */
async function formatsOf(archive: Archive, part: string | undefined): Promise<readonly CellFormat[]> {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let isInCells = false;
  if (part === undefined) return formats;
  await walkXml(archive, part, {
    open(name, { numFmtId: id, formatCode: code }) {
      if (name === 'numFmt' && code !== undefined) codes.set(Number(id), code);
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) formats.push(formatOf(Number(id ?? 0), codes.get(Number(id))));
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return formats;
}

/** UTF-16 units of all shared strings. */
const STRINGS_UNITS = 24_000_000;

async function stringsOf(archive: Archive, part: string | undefined): Promise<readonly string[]> {
  const strings: string[] = [];
  let text = '';
  let units = 0;
  let isText = false;
  let phonetic = 0;
  if (part === undefined) return strings;
  await walkXml(archive, part, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 't') isText = true;
      else if (name === 'rPh') phonetic += 1;
    },
    close(name) {
      if (name === 'si') strings.push(text);
      else if (name === 't') isText = false;
      else if (name === 'rPh') phonetic -= 1;
    },
    text(piece) {
      if (!isText || phonetic > 0) return;
      text += piece;
      units += piece.length;
      if (units > STRINGS_UNITS) throw new UnreadableError('too_complex', 'too much text in shared strings');
    },
  });
  return strings;
}

interface Look {
  readonly strings: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly dates: Workbook['dates'];
}

class SheetRows implements XmlVisitor {
  isDone = false;
  private rows = 0;
  private cells: string[] = [];
  private column = 0;
  private type: string | undefined;
  private format: CellFormat;
  private value = '';
  private isValue = false;
  private phonetic = 0;

  constructor(
    private readonly into: TextCollector,
    private readonly look: Look,
  ) {}

  open(name: string, { r: reference, s: style, t: type }: Attributes): void {
    if (name === 'row') this.cells = [];
    else if (name === 'c') {
      this.column = columnOf(reference) ?? this.cells.length;
      this.type = type;
      this.format = this.look.formats[Number(style ?? 0)];
      this.value = '';
    } else if (name === 'v' || name === 't') this.isValue = true;
    else if (name === 'rPh') this.phonetic += 1;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.isValue = false;
    else if (name === 'rPh') this.phonetic -= 1;
    else if (name === 'c') this.endCell();
    else if (name === 'row') this.endRow();
  }

  text(text: string): void {
    if (this.isValue && this.phonetic === 0 && this.value.length < LIMITS.cell) this.value += text;
  }

  private endCell(): void {
    const shown = this.shown();
    if (shown === '' || this.column >= LIMITS.columns) return;
    while (this.cells.length < this.column) this.cells.push('');
    this.cells[this.column] = oneLine(shown);
  }

  private shown(): string {
    if (this.type === 's') return this.look.strings[Number(this.value)] ?? '';
    if (this.type === 'b') return this.value === '1' ? 'TRUE' : 'FALSE';
    if (this.type === undefined || this.type === 'n') return shownNumber(this.value, this.format, this.look.dates);
    return this.value;
  }

  private endRow(): void {
    if (this.cells.length === 0 || this.isDone) return;
    this.rows += 1;
    if (this.rows > LIMITS.rowsOfSheet) this.isDone = true;
    else this.into.row(this.cells.join('\t'));
  }
}

/** The column of a reference like `AB12`, counted from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
