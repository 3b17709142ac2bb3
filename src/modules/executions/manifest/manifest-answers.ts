import type { ManifestAnswerDto } from './manifest-task.dto.ts';
import { cutOff, sizeOf } from './manifest-size.ts';

/** All answers of a manifest together, as JSON, in bytes. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Keeps answers within their limit, in their order: whole ones until the limit, then such that lose the ends of their
 * bodies and, where that is not enough, of their responses. Room for what cannot be cut of the later ones is kept.
 */
export function boundedAnswers(
  answers: readonly ManifestAnswerDto[],
  maxBytes = MAX_ANSWER_BYTES,
): ManifestAnswerDto[] {
  const sized = answers.map((answer) => {
    const size = sizeOf(answer) + 1;
    return { answer, size, least: Math.min(size, sizeOf(shortened(answer, Number.MAX_SAFE_INTEGER)) + 1) };
  });
  let left = maxBytes - sized.reduce((sum, { least }) => sum + least, 1);
  return sized.map(({ answer, size, least }) => {
    const excess = size - least - left;
    const shown = excess > 0 ? shortened(answer, excess) : answer;
    left = Math.max(left - (sizeOf(shown) + 1 - least), 0);
    return shown;
  });
}

/** An answer without `bytes` of its texts, which it may not have, and marked so. */
function shortened(answer: ManifestAnswerDto, bytes: number): ManifestAnswerDto {
  // The mark takes room too.
  let excess = bytes + MARK_BYTES;
  const body = cutOff(answer.body, excess);
  excess -= sizeOf(answer.body) - sizeOf(body);
  const response = answer.response !== null && excess > 0 ? cutOff(answer.response, excess) : answer.response;
  return { ...answer, body, response, truncated: true };
}

const MARK_BYTES = Buffer.byteLength(',"truncated":true');
