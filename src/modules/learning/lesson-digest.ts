import { sha256 } from '../../kernel/crypto/index.ts';

/** What makes two lessons the same to readers, whatever their case, spacing and punctuation. */
export function lessonDigest(lesson: string): string {
  const words = lesson
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [lesson];
  return sha256(words.join(' ')).toString('hex');
}
