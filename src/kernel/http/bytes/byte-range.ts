import type { ByteRange } from '../../storage/index.ts';

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * What a `Range` header asks for (RFC 9110). Several ranges, other units and what is no range at all are answered whole,
 * as the header had not been there. (`range-parser` reads the header as this does, but leaves to its caller what is said
 * here: which ranges are answered whole, those of other units and of nothing among them. It would save five lines.)
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Number(last);
    if (length === 0) return 'unsatisfiable';
    // No `Content-Range` can name a part of nothing.
    return sizeBytes === 0 ? 'whole' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
