import { zip, type ZipEntry } from './zip.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

export const WORD_TYPE = `${OPEN_XML}.wordprocessingml.document`;
export const WORKBOOK_TYPE = `${OPEN_XML}.spreadsheetml.sheet`;
export const SLIDES_TYPE = `${OPEN_XML}.presentationml.presentation`;

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function relations(targets: readonly (readonly [kind: string, target: string])[]): string {
  const lines = targets.map(
    ([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${RELATIONS}">${lines.join('')}</Relationships>`;
}

function packageOf(main: string, mediaType: string, entries: readonly ZipEntry[]): Buffer {
  const types = `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="${mediaType}.main+xml"/></Types>`;
  return zip([
    { name: '[Content_Types].xml', content: types },
    { name: '_rels/.rels', content: relations([['officeDocument', main]]) },
    ...entries,
  ]);
}

/** A DOCX with this between `<w:body>` and `</w:body>`. */
export function wordOf(
  body: string,
  others: readonly ZipEntry[] = [],
  related: readonly (readonly [string, string])[] = [],
): Buffer {
  return packageOf('word/document.xml', WORD_TYPE, [
    { name: 'word/document.xml', content: wordPart(body) },
    { name: 'word/_rels/document.xml.rels', content: relations(related) },
    ...others,
  ]);
}

export function wordPart(body: string): string {
  return `${HEAD}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
}

export function wordParagraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;
}

export function word(...paragraphs: readonly string[]): Buffer {
  return wordOf(paragraphs.map(wordParagraph).join(''));
}

/** A DOCX whose main part is this entry, for entries that lie. */
export function wordWithMain(entry: Omit<ZipEntry, 'name'>): Buffer {
  return packageOf('word/document.xml', WORD_TYPE, [{ name: 'word/document.xml', ...entry }]);
}

interface SheetOf {
  readonly name: string;
  /** Cells as XML; a row a list. */
  readonly rows: readonly (readonly string[])[];
  readonly state?: string;
}

export interface WorkbookParts {
  readonly strings?: readonly string[];
  /** Codes of further formats of cells: styles 1, 2 … */
  readonly formats?: readonly string[];
  readonly dates1904?: boolean;
}

export function workbook(
  sheets: readonly SheetOf[],
  { strings = [], formats = [], dates1904 }: WorkbookParts = {},
): Buffer {
  const main = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${escaped(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`,
  );
  const xmlns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const xfs = formats.map((_, index) => `<xf numFmtId="${164 + index}" applyNumberFormat="1"/>`).join('');
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(code).replaceAll('"', '&quot;')}"/>`,
  );
  return packageOf('xl/workbook.xml', WORKBOOK_TYPE, [
    {
      name: 'xl/workbook.xml',
      content: `${HEAD}<workbook ${xmlns} xmlns:r="${OFFICE}"><workbookPr${dates1904 ? ' date1904="1"' : ''}/><sheets>${main.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations([
        ...sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
        ['styles', 'styles.xml'],
        ['sharedStrings', 'sharedStrings.xml'],
      ]),
    },
    {
      name: 'xl/styles.xml',
      content: `${HEAD}<styleSheet ${xmlns}><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${xfs}</cellXfs></styleSheet>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `${HEAD}<sst ${xmlns}>${strings.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    },
    ...sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${HEAD}<worksheet ${xmlns}><sheetData>${rows.map((cells, row) => `<row r="${row + 1}">${cells.join('')}</row>`).join('')}</sheetData></worksheet>`,
    })),
  ]);
}

/** Cells of a workbook. */
export const cell = {
  text: (text: string) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`,
  shared: (index: number) => `<c t="s"><v>${index}</v></c>`,
  number: (value: number | string, style = 0) => `<c s="${style}"><v>${value}</v></c>`,
} as const;

/** Paragraphs of each slide, and of its notes. */
export function slides(pages: readonly { readonly paragraphs: readonly string[]; readonly notes?: string }[]): Buffer {
  const xmlns = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}"`;
  const shape = (paragraphs: readonly string[]) =>
    `<p:cSld><p:spTree><p:sp><p:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp></p:spTree></p:cSld>`;
  return packageOf('ppt/presentation.xml', SLIDES_TYPE, [
    {
      name: 'ppt/presentation.xml',
      content: `${HEAD}<p:presentation ${xmlns}><p:sldIdLst>${pages.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      // Parts are numbered against the order of the slides.
      content: relations(pages.map((_, index) => ['slide', `slides/slide${pages.length - index}.xml`])),
    },
    ...pages.flatMap(({ paragraphs, notes }, index) => {
      const name = `slide${pages.length - index}.xml`;
      const slide = { name: `ppt/slides/${name}`, content: `${HEAD}<p:sld ${xmlns}>${shape(paragraphs)}</p:sld>` };
      if (notes === undefined) return [slide];
      const number = '<a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>';
      return [
        slide,
        { name: `ppt/slides/_rels/${name}.rels`, content: relations([['notesSlide', `../notesSlides/${name}`]]) },
        {
          name: `ppt/notesSlides/${name}`,
          content: `${HEAD}<p:notes ${xmlns}>${shape([notes]).replace('</p:txBody>', `${number}</p:txBody>`)}</p:notes>`,
        },
      ];
    }),
  ]);
}
