import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FullError, LIMITS, type TextCollector, UnreadableError } from '../text/index.ts';
import type { Reader } from './reader.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')));

export const readPdf: Reader = async (bytes, into) => {
  const document = await opened(bytes);
  const pages = Math.min(document.numPages, LIMITS.pages);
  let isDamaged = !bytes.subarray(-END_WITHIN).includes('%%EOF');
  for (let number = 1; number <= pages; number += 1)
    try {
      await readPage(document, number, into);
    } catch (error) {
      if (error instanceof FullError)
        return { pages: document.numPages > LIMITS.pages ? pages : document.numPages, isCut: true };
      isDamaged = true;
    }
  return { pages, isCut: document.numPages > pages, isDamaged };
};

/** Bytes at the end of a file in which its end mark stands, as readers seek it. */
const END_WITHIN = 2_048;

async function opened(bytes: Buffer): Promise<PDFDocumentProxy> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    // Without them the text of fonts that name a character map instead of bringing one is empty, silently.
    cMapUrl: join(PACKAGE, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(PACKAGE, 'standard_fonts/'),
    useSystemFonts: false,
    disableFontFace: true,
    useWasm: false,
    useWorkerFetch: false,
    enableXfa: false,
    verbosity: 0,
  });
  try {
    return await loading.promise;
  } catch (error) {
    const isLocked = (error as Error).name === 'PasswordException';
    throw new UnreadableError(isLocked ? 'encrypted' : 'damaged', String(error));
  }
}

/** Lines further apart than this, in heights of a line, begin a new paragraph. */
const PARAGRAPH_GAP = 1.7;

async function readPage(document: PDFDocumentProxy, number: number, into: TextCollector): Promise<void> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  const lines = new Lines(into);
  for (const item of items)
    if ('str' in item) lines.add(item.str, item.transform[5] as number, item.height, item.hasEOL);
  lines.end();
  page.cleanup();
}

/** Puts the lines of a page together again. */
class Lines {
  private line = '';
  private y: number | undefined;
  private height = 0;
  private before: { readonly line: string; readonly y: number; readonly height: number } | undefined;

  constructor(private readonly into: TextCollector) {}

  add(text: string, y: number, height: number, endsLine: boolean): void {
    if (text !== '' && this.line === '') this.y = y;
    this.line += text;
    this.height = Math.max(this.height, height);
    if (endsLine) this.endLine();
  }

  end(): void {
    this.endLine();
    if (this.before) this.into.text(this.before.line);
    this.into.endParagraph();
  }

  private endLine(): void {
    const line = this.line.trim();
    const { y = 0, height } = this;
    this.line = '';
    this.y = undefined;
    this.height = 0;
    if (line === '') return;
    if (this.before) this.join(this.before, { line, y, height });
    this.before = { line, y, height };
  }

  /** Writes a line with what stands between it and the next one. */
  private join(before: NonNullable<typeof this.before>, next: NonNullable<typeof this.before>): void {
    const gap = Math.abs(before.y - next.y);
    const isApart = gap > Math.max(before.height, next.height, 1) * PARAGRAPH_GAP;
    if (isApart) {
      this.into.text(before.line);
      this.into.endParagraph();
    } else if (/\p{Ll}[-\u2010]$/u.test(before.line) && /^\p{Ll}/u.test(next.line)) {
      this.into.text(before.line.slice(0, -1));
    } else {
      this.into.text(before.line);
      if (!(UNSPACED_END.test(before.line) && UNSPACED_START.test(next.line))) this.into.lineBreak();
    }
  }
}

/** Scripts that write words without spaces, so that a line may end within a word. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー、。，．「」『』（）・]';
const UNSPACED_END = new RegExp(`${UNSPACED}$`, 'u');
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');
