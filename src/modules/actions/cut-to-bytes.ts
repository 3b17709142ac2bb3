/** The longest beginning of a text that has at most so many bytes in UTF-8 and ends between two characters. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // Bytes of the form 10xxxxxx go on with a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

const CUT_HERE = '\n[cut here: more is sent than is shown]';

/** As `cutToBytes`, with a last line that says so where anything is missing. */
export function cutAndTold(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return `${cutToBytes(text, maxBytes - CUT_HERE.length)}${CUT_HERE}`;
}
