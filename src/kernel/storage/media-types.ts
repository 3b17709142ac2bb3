import { ApiError, EdgeIssues, type ErrorRow, issueAt } from '../errors/index.ts';

/** The container of older office documents, and of newer ones with a password. */
const COMPOUND = 'application/x-cfb';
/** A document whose telling parts come too late in the file is recognised only as an archive. */
const ARCHIVE = 'application/zip';

/** One container, whose brand decides which of these names it gets. */
const HEIF = ['image/heic', 'image/heic-sequence', 'image/heif', 'image/heif-sequence'];
const ARCHIVE_MARKS = new Set(['PK\x03\x04', 'PK\x05\x06']);

type Content = 'text' | 'pdf' | 'archive' | readonly string[];

/**
 * The accepted media types, and how their bytes are recognised: text by what it must not contain, PDF by a mark near
 * its beginning, archives by their mark whatever they contain, and the rest by detection.
 */
const CONTENT = {
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/csv': 'text',
  'application/json': 'text',
  'application/pdf': 'pdf',
  'application/zip': 'archive',
  'image/png': ['image/png', 'image/apng'],
  'image/jpeg': ['image/jpeg'],
  'image/gif': ['image/gif'],
  'image/webp': ['image/webp'],
  'image/avif': ['image/avif'],
  'image/heic': HEIF,
  'image/heif': HEIF,
  'image/tiff': ['image/tiff'],
  'application/msword': [COMPOUND],
  'application/vnd.ms-excel': [COMPOUND],
  'application/vnd.ms-powerpoint': [COMPOUND],
  ...documents('application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
  ...documents('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
  ...documents('application/vnd.openxmlformats-officedocument.presentationml.presentation'),
  ...documents('application/vnd.oasis.opendocument.text'),
  ...documents('application/vnd.oasis.opendocument.spreadsheet'),
  ...documents('application/vnd.oasis.opendocument.presentation'),
} satisfies Record<string, Content>;

export type MediaType = keyof typeof CONTENT;

export const MEDIA_TYPES = Object.keys(CONTENT) as readonly MediaType[];

/**
 * Other names of the listed types, as used by Windows and its browsers, by older programs, and in lists of names from
 * before the registry.
 */
const OTHER_NAMES: Readonly<Record<string, MediaType>> = {
  'application/x-zip-compressed': 'application/zip',
  'application/x-zip': 'application/zip',
  'application/zip-compressed': 'application/zip',
  'multipart/x-zip': 'application/zip',
  'application/x-pdf': 'application/pdf',
  'application/acrobat': 'application/pdf',
  'application/vnd.pdf': 'application/pdf',
  'text/pdf': 'application/pdf',
  'text/x-pdf': 'application/pdf',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/jfif': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/apng': 'image/png',
  'image/vnd.mozilla.apng': 'image/png',
  'image/x-gif': 'image/gif',
  'image/x-webp': 'image/webp',
  'image/tif': 'image/tiff',
  'image/x-tif': 'image/tiff',
  'image/x-tiff': 'image/tiff',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'text/x-markdown': 'text/markdown',
  'text/md': 'text/markdown',
  'text/x-web-markdown': 'text/markdown',
  'application/markdown': 'text/markdown',
  'application/x-markdown': 'text/markdown',
  'application/csv': 'text/csv',
  'application/x-csv': 'text/csv',
  'text/x-csv': 'text/csv',
  'text/comma-separated-values': 'text/csv',
  'text/x-comma-separated-values': 'text/csv',
  'text/json': 'application/json',
  'text/x-json': 'application/json',
  'application/x-json': 'application/json',
  'text/x-log': 'text/plain',
  'application/txt': 'text/plain',
  'application/doc': 'application/msword',
  'application/x-msword': 'application/msword',
  'application/vnd.msword': 'application/msword',
  'application/excel': 'application/vnd.ms-excel',
  'application/msexcel': 'application/vnd.ms-excel',
  'application/x-excel': 'application/vnd.ms-excel',
  'application/x-msexcel': 'application/vnd.ms-excel',
  'application/xls': 'application/vnd.ms-excel',
  'application/x-xls': 'application/vnd.ms-excel',
  'application/powerpoint': 'application/vnd.ms-powerpoint',
  'application/mspowerpoint': 'application/vnd.ms-powerpoint',
  'application/x-mspowerpoint': 'application/vnd.ms-powerpoint',
};

function documents<Name extends string>(name: Name): Record<Name, readonly string[]> {
  return { [name]: [name, ARCHIVE, COMPOUND] } as unknown as Record<Name, readonly string[]>;
}

/**
 * The accepted type for a declared one, by any of its names and without parameters; throws `refusal` for another. Accepts
 * the listed types unless given others.
 */
export function mediaTypeOf<Type extends string = MediaType>(
  declared: string,
  refusal: ErrorRow,
  accepted: readonly Type[] = MEDIA_TYPES as readonly string[] as readonly Type[],
): Type {
  const plain = declared.split(';')[0]!.trim().toLowerCase();
  const name = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : plain;
  const found = accepted.find((type) => type === name);
  if (found !== undefined) return found;
  const message = `must be one of ${accepted.join(', ')}`;
  throw new ApiError(refusal, { issues: [issueAt('mediaType', EdgeIssues.mediaTypeNotAccepted, message)] });
}

export function isText(mediaType: MediaType): boolean {
  return CONTENT[mediaType] === 'text';
}

/** How many bytes of a file's beginning are checked. */
export const HEAD_BYTES = 16 * 1024;
/** Number of first bytes in which PDF readers search for the mark. */
const PDF_MARK_WITHIN = 1024;
const PDF_MARK = '%PDF-';

/** Whether a file with this beginning can be of the type. */
export async function canBegin(head: Buffer, mediaType: MediaType): Promise<boolean> {
  const content: Content = CONTENT[mediaType];
  // Only the PDF mark is refused: many words are marks of other types, such as `BM` of an image and `MZ` of a program.
  if (content === 'text') return !head.subarray(0, PDF_MARK.length).equals(Buffer.from(PDF_MARK));
  if (content === 'pdf') return head.subarray(0, PDF_MARK_WITHIN).includes(PDF_MARK);
  if (content === 'archive') return ARCHIVE_MARKS.has(head.toString('latin1', 0, 4));
  return content.includes(await recognised(head));
}

/**
 * The type that `file-type` detects; none if it fails. The library costs 12 MB, so it is loaded at the first such file.
 */
async function recognised(head: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found?.mime ?? '';
}
