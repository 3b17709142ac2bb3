import { FullError, LIMITS, passagesOf, TextCollector, UnreadableError, type WarningCode } from '../text/index.ts';
import { realTypeOf } from './real-type.ts';
import type { Format, Found, Reader, RealType } from './reader.ts';

/** What was read of a source. */
export interface Reading {
  readonly foundMediaType: string | null;
  readonly passages: readonly string[];
  readonly characters: number;
  readonly pages: number | null;
  readonly truncated: boolean;
  readonly warnings: readonly WarningCode[];
}

/** Readers are loaded with the first source of their format, as their libraries are large. */
const READERS = {
  plain: async () => (await import('./read-plain-text.ts')).readPlainText,
  json: async () => (await import('./read-json.ts')).readJson,
  csv: async () => (await import('./read-csv.ts')).readCsv,
  html: async () => (await import('./read-html.ts')).readHtml,
  mail: async () => (await import('./read-mail.ts')).readMail,
  pdf: async () => (await import('./read-pdf.ts')).readPdf,
  word: async () => (await import('./read-word.ts')).readWord,
  workbook: async () => (await import('./read-workbook.ts')).readWorkbook,
  slides: async () => (await import('./read-slides.ts')).readSlides,
  openDocument: async () => (await import('./read-open-document.ts')).readOpenDocument,
} satisfies Record<Format, () => Promise<Reader>>;

export async function readSource(bytes: Buffer, declared: string): Promise<Reading> {
  if (bytes.length > LIMITS.sourceBytes) return unread(null, ['too_complex']);
  const type = await realTypeOf(bytes, declared);
  const warnings: WarningCode[] = type.isMismatch ? ['content_mismatch'] : [];
  if (type.unreadable !== undefined) return unread(type.mediaType, [...warnings, type.unreadable]);
  if (type.charset?.isGuessed) warnings.push('charset_guessed');
  const collector = new TextCollector();
  const reader: Reader = await READERS[type.format!]();
  try {
    const { pages, isCut, isDamaged } = await read(reader, bytes, collector, type);
    if (isDamaged) warnings.push('damaged');
    if (isCut) warnings.push('text_truncated');
    if (collector.characters === 0) warnings.push(type.charset ? 'empty_file' : 'no_text');
    return {
      foundMediaType: type.mediaType,
      passages: passagesOf(collector.blocks),
      characters: collector.characters,
      pages: pages ?? null,
      truncated: isCut ?? false,
      warnings,
    };
  } catch (error) {
    // Readers and their libraries fail in many ways at bytes that are not as they should be.
    const code = error instanceof UnreadableError ? error.code : 'damaged';
    return unread(type.mediaType, [...warnings, code]);
  }
}

async function read(reader: Reader, bytes: Buffer, collector: TextCollector, type: RealType): Promise<Found> {
  try {
    const found = await reader(bytes, collector, type);
    collector.endParagraph();
    return found;
  } catch (error) {
    if (error instanceof FullError) return { isCut: true };
    throw error;
  }
}

function unread(foundMediaType: string | null, warnings: readonly WarningCode[]): Reading {
  return { foundMediaType, passages: [], characters: 0, pages: null, truncated: false, warnings };
}
