import { LIMITS, WARNING_CODES, type WarningCode } from './text/index.ts';

/** Rises whenever the same bytes may give another text. */
export const EXTRACTOR_VERSION = '2';

export interface ExtractionWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** What was read of a source. */
export interface Extracted {
  /** By its bytes; null where nothing is known of them. */
  readonly foundMediaType: string | null;
  /** Of at most 2,000 code points each; none if nothing could be read. */
  readonly passages: readonly string[];
  /** Code points of the whole text. */
  readonly characters: number;
  /** Pages or slides; null where the format has none. */
  readonly pages: number | null;
  readonly truncated: boolean;
  readonly warnings: readonly ExtractionWarning[];
}

/** What a warning says of a file. */
const MESSAGES: Readonly<Record<WarningCode, (fileName: string, mediaType: string | null) => string>> = {
  empty_file: (file) => `“${file}” is empty. Remove it, or upload it again with its content.`,
  encrypted: (file) => `“${file}” needs a password. Upload a copy without one.`,
  damaged: (file) =>
    `“${file}” is damaged and could not be read. Open it in its program, save it anew, and upload that.`,
  content_mismatch: (file, mediaType) =>
    `“${file}” is not what its type says: it was read as ${mediaType ?? 'a file of an unknown type'}. Upload it with its real type.`,
  no_text: (file) =>
    `“${file}” has no text that can be read: it is an image, a scan, a file of an old office program, or has none. Upload the text in another format.`,
  too_complex: (file) => `“${file}” is too large or too complex to be read. Split it, or save it in a simpler format.`,
  text_truncated: (file) =>
    `“${file}” has more text than is kept (${LIMITS.characters.toLocaleString('en')} characters, ${LIMITS.pages.toLocaleString('en')} pages, ${LIMITS.rowsOfSheet.toLocaleString('en')} rows a sheet). Split it if the rest matters.`,
  charset_guessed: (file) =>
    `The encoding of “${file}” was guessed. Check its text, or save it as UTF-8 and upload that.`,
};

export function warningOf(code: WarningCode, fileName: string, mediaType: string | null): ExtractionWarning {
  return { code, message: MESSAGES[code](fileName, mediaType) };
}

/** A reading as it comes from the process that read the source, which is not trusted: undefined unless it is one. */
export function readingFrom(
  json: string,
): (Omit<Extracted, 'warnings'> & { warnings: readonly WarningCode[] }) | undefined {
  try {
    const { foundMediaType, passages, characters, pages, truncated, warnings } = JSON.parse(json) as Extracted & {
      readonly warnings: readonly WarningCode[];
    };
    const isReading =
      (foundMediaType === null || isStorable(foundMediaType, 200)) &&
      Array.isArray(passages) &&
      passages.every((each) => isStorable(each, LIMITS.passage * 2)) &&
      isCount(characters, LIMITS.characters) &&
      (pages === null || isCount(pages, LIMITS.pages)) &&
      typeof truncated === 'boolean' &&
      Array.isArray(warnings) &&
      warnings.every((each) => WARNING_CODES.includes(each));
    return isReading ? { foundMediaType, passages, characters, pages, truncated, warnings } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the database can hold a text of at most so many UTF-16 units. */
function isStorable(text: unknown, units: number): boolean {
  return typeof text === 'string' && text.length <= units && !text.includes('\0') && text.isWellFormed();
}

function isCount(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
