import { UnreadableError } from '../text/index.ts';
import { type Charset, charsetOf } from './charset.ts';
import { Archive } from './archive.ts';
import { mainPartOf } from './office-package.ts';
import type { Format, RealType } from './reader.ts';

/** Text is what it is declared to be, unless it says otherwise itself. */
const TEXTS: Readonly<Record<string, Format>> = {
  'text/plain': 'plain',
  'text/markdown': 'plain',
  'text/csv': 'csv',
  'application/json': 'json',
  'text/html': 'html',
};
const PDF = 'application/pdf';
const MAIL = 'message/rfc822';
const OPEN_XML = 'application/vnd.openxmlformats-officedocument.';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.';

/** The folders of Office Open XML packages in which their main parts stand. */
const PACKAGES: Readonly<Record<string, { readonly mediaType: string; readonly format: Format }>> = {
  word: { mediaType: `${OPEN_XML}wordprocessingml.document`, format: 'word' },
  xl: { mediaType: `${OPEN_XML}spreadsheetml.sheet`, format: 'workbook' },
  ppt: { mediaType: `${OPEN_XML}presentationml.presentation`, format: 'slides' },
};
const OPEN_DOCUMENTS = new Set(['text', 'spreadsheet', 'presentation'].map((kind) => `${OPEN_DOCUMENT}${kind}`));

/** Streams of compound files, by which old programs are told apart. */
const COMPOUND_STREAMS: readonly (readonly [string, string])[] = [
  ['WordDocument', 'application/msword'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['__substg1.0_', 'application/vnd.ms-outlook'],
];

/** Other names of what `file-type` calls an image. */
const SAME: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heic',
  'image/heif': 'image/heic',
};

/** What a source is by its bytes. */
export async function realTypeOf(bytes: Buffer, declared: string): Promise<RealType> {
  if (bytes.length === 0) return { mediaType: null, isMismatch: false, unreadable: 'empty_file' };
  if (isPdf(bytes, declared)) return found(declared, PDF, { format: 'pdf' });
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06]))
    return archiveType(bytes, declared);
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])) return compoundType(bytes, declared);
  if (declared === MAIL && isMail(bytes)) return found(declared, MAIL, { format: 'mail' });
  const charset = charsetOf(bytes, charsetIn(bytes, declared));
  if (charset !== undefined) return textType(bytes, declared, charset);
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime;
  return found(declared, mime ?? null, { unreadable: 'no_text' });
}

function found(declared: string, mediaType: string | null, rest: Omit<RealType, 'mediaType' | 'isMismatch'>): RealType {
  const same = (type: string | null) => (type === null ? null : (SAME[type] ?? type));
  return { mediaType, isMismatch: same(declared) !== same(mediaType), ...rest };
}

/** Readers seek the mark in the first 1,024 bytes; text that begins otherwise may mention it. */
function isPdf(bytes: Buffer, declared: string): boolean {
  const at = bytes.subarray(0, 1_024 + 5).indexOf('%PDF-');
  return at === 0 || (at > 0 && !(declared in TEXTS) && declared !== MAIL);
}

async function archiveType(bytes: Buffer, declared: string): Promise<RealType> {
  try {
    const archive = await Archive.open(bytes);
    const kind = (await archive.beginning('mimetype', 200)).trim().replace(/-template$/, '');
    if (OPEN_DOCUMENTS.has(kind)) return found(declared, kind, { format: 'openDocument' });
    if (kind.startsWith(OPEN_DOCUMENT)) return found(declared, kind, { unreadable: 'no_text' });
    const main = await mainPartOf(archive);
    const type = main?.endsWith('.xml') ? PACKAGES[main.split('/')[0]!] : undefined;
    return type ? found(declared, type.mediaType, type) : found(declared, 'application/zip', { unreadable: 'no_text' });
  } catch (error) {
    // What it should be cannot be told of a broken archive, so what was declared is believed.
    const isDeclared = declared.startsWith(OPEN_XML) || declared.startsWith(OPEN_DOCUMENT);
    const code = error instanceof UnreadableError ? error.code : 'damaged';
    return { mediaType: isDeclared ? declared : 'application/zip', isMismatch: !isDeclared, unreadable: code };
  }
}

function compoundType(bytes: Buffer, declared: string): RealType {
  const isOffice = declared.startsWith(OPEN_XML) || COMPOUND_STREAMS.some(([, type]) => type === declared);
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    return { mediaType: isOffice ? declared : 'application/x-cfb', isMismatch: !isOffice, unreadable: 'encrypted' };
  const stream = COMPOUND_STREAMS.find(([name]) => bytes.includes(Buffer.from(name, 'utf16le')));
  return found(declared, stream?.[1] ?? 'application/x-cfb', { unreadable: 'no_text' });
}

function textType(bytes: Buffer, declared: string, charset: Charset): RealType {
  const beginning = bytes.toString('latin1', 0, 1_024);
  if (beginning.startsWith('{\\rtf')) return found(declared, 'application/rtf', { unreadable: 'no_text' });
  const isPage = /^[\s\u00ef\u00bb\u00bf]*(?:<!doctype html|<html[\s>])/i.test(beginning);
  const mediaType = isPage ? 'text/html' : declared in TEXTS ? declared : 'text/plain';
  return found(declared, mediaType, { format: TEXTS[mediaType]!, charset });
}

/** The charset that a page declares in its beginning. */
function charsetIn(bytes: Buffer, declared: string): string | undefined {
  if (declared !== 'text/html') return undefined;
  return /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(bytes.toString('latin1', 0, 4_096))?.[1];
}

/** Whether the first lines are fields of a header. */
function isMail(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 4_096).replace(/^(?:\u00ef\u00bb\u00bf)?\s*(?:>?From [^\n]*\n)?/, '');
  return /^(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*){2}/.test(beginning);
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}
