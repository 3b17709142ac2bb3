import type { ByteRange } from '../../storage/index.ts';

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads a `Range` header (RFC 9110). Several ranges, other units and malformed headers are answered with the whole
 * file, as if the header were absent. (`range-parser` reads the header in the same way, but its caller would still
 * decide which ranges are answered whole, such as those of other units and of empty files. It would save five lines.)
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Number(last);
    if (length === 0) return 'unsatisfiable';
    // `Content-Range` cannot name a part of an empty file.
    return sizeBytes === 0 ? 'whole' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
