import type { MessagePart } from './message.state.ts';
import { MESSAGE_LIMITS } from './message.policy.ts';

const MARK = '…';

/** Cuts an answer at `maxBytes`; the part in which that limit lies ends with a mark. */
export function cutAnswer(parts: readonly MessagePart[], maxBytes: number = MESSAGE_LIMITS.answerBytes): MessagePart[] {
  const kept: MessagePart[] = [];
  let left = maxBytes;
  for (const part of parts) {
    const bytes = Buffer.byteLength(part.text);
    if (bytes > left) return [...kept, { ...part, text: cutBytes(part.text, left - Buffer.byteLength(MARK)) + MARK }];
    kept.push(part);
    left -= bytes;
  }
  return kept;
}

/** The longest beginning of a text within `maxBytes` that splits no character. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let end = Math.max(maxBytes, 0);
  while (end > 0 && (bytes[end]! & 0b1100_0000) === 0b1000_0000) end -= 1;
  return bytes.toString('utf8', 0, end);
}
